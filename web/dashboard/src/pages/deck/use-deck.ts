import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { listDecks } from 'deckhost-client/browser';
import { isFailure, service, type Answer } from '../../service';
import { toast } from '../../ui/toast';
import { useLoaded, type Loaded } from '../../use-loaded';
import { words } from '../../words/en';

/** A link of a deck. */
export type Link = Answer<'getSharedPresentationInfo'>['tokens'][number];

/** A deck as its pages show it. Collaborators do not see the links. */
export interface Deck {
  id: string;
  title: string;
  version: number;
  role: 'owner' | 'dev';
  /** What is recorded of readers. Collaborators do not see it. */
  tracking?: Answer<'getSharedPresentationInfo'>['tracking'];
  /** Whether the deck has pictures of its slides. Collaborators do not see it. */
  slidePictures?: boolean;
  updatedAt: string;
  lastViewedAt: string | null;
  totalViews: number;
  expiresAt: string | null;
  closed: 'expired' | 'taken-down' | null;
  takedown: { reason: string } | null;
  listing: Answer<'getSharedPresentationInfo'>['listing'];
  /** The listing of which the deck is a remix. */
  remixedFromSlug: string | null;
  picture: Answer<'getSharedPresentationInfo'>['picture'];
  /** The address of the link to open and to copy, or null when no link can be shared. */
  shareUrl: string | null;
  links: Link[];
}

/** What each section of the page gets. */
export interface SectionProps {
  deck: Deck;
  /** Reads the deck again. Never rejects. */
  reload: () => Promise<void>;
  /** Says that the person made this version, so that it is not announced as the work of somebody else. */
  made: (version: number) => void;
}

/**
 * The deck of the page. It is read again when the person comes back to the tab: others may have pushed, revoked or
 * deleted meanwhile. A version that somebody else has pushed is announced.
 */
export function useDeck(id: string): Loaded<Deck> & Pick<SectionProps, 'made'> {
  const loaded = useLoaded((signal) => load(id, signal), [id]);
  const { data, reload } = loaded;
  const known = useRef<number | undefined>(undefined);

  useEffect(() => {
    if (!data) return;
    if (known.current !== undefined && data.version > known.current) toast(words.deck.pushed(data.version));
    known.current = data.version;
  }, [data]);
  useLayoutEffect(() => {
    const onReturn = () => {
      if (document.visibilityState === 'visible') void reload();
    };
    document.addEventListener('visibilitychange', onReturn);
    return () => document.removeEventListener('visibilitychange', onReturn);
  }, [reload]);

  return { ...loaded, made: (version) => (known.current = version) };
}

/** What the owner sees, or else what a collaborator sees. */
async function load(id: string, signal: AbortSignal): Promise<Deck> {
  try {
    const found = await service().get('getSharedPresentationInfo', { presentationId: id }, { signal });
    return { ...found, role: 'owner', links: found.tokens, shareUrl: urlToShare(found.tokens) };
  } catch (error) {
    if (!isFailure(error, 'permission-denied')) throw error;
    for await (const row of listDecks(service(), signal)) {
      if (row.id === id) return { ...row, takedown: null, links: [] };
    }
    throw error;
  }
}

/**
 * The first open link, and rather one that asks its readers nothing and follows the latest version. A personal link is
 * for the recipient of a mail only.
 */
function urlToShare(links: Link[]): string | null {
  const open = links.filter((link) => link.state === 'open' && link.shareUrl && !link.isPersonal);
  const free = open.filter((link) => !isGated(link));
  const best = free.length > 0 ? free : open;
  const link = best.find(({ versionMode }) => versionMode.type === 'latest') ?? best[0];
  return link?.shareUrl ?? null;
}

/** Whether readers of the link first meet a page that asks them. */
const isGated = ({ hasPasscode, maxOpenings, allowedEmailCount }: Link) =>
  Boolean(hasPasscode) || (maxOpenings ?? null) !== null || (allowedEmailCount ?? null) !== null;

/** The address of a page of the deck. */
export const pathOf = (id: string, tab = '') => `/dashboard/decks/${encodeURIComponent(id)}${tab && `/${tab}`}`;
