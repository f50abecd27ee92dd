import { Failure, isFailure } from '../../../client/src/failure';
import { plain } from '../../../client/src/format';
import { listDecks, type DeckRow } from '../../../client/src/service/decks';
import type { DeckService } from '../../../client/src/service/service';
import { commandLine } from '../command-line';
import { linksOf, readInfo, type Link } from './links';

type Common = Pick<
  DeckRow,
  'title' | 'version' | 'createdAt' | 'updatedAt' | 'totalViews' | 'lastViewedAt' | 'expiresAt' | 'closed'
>;

/** A deck and its links, as the service tells them to its owner or to a collaborator. */
export interface DeckState extends Common {
  presentationId: string;
  /** The address of the first active link. */
  shareUrl: string | null;
  /** What the service tells the owner only; undefined for a collaborator. */
  own:
    | {
        links: Link[];
        takedown: { at: string; reason: string } | null;
        listingSlug: string | null;
        /** What is recorded of readers. An admin key is not told. */
        tracking?: 'full' | 'count';
      }
    | undefined;
}

/**
 * The state of a deck: one call for its owner; a collaborator needs the list of decks. Throws `not-found` when the deck
 * is deleted, or not shared with the caller any more.
 */
export async function readDeckState(
  service: DeckService,
  presentationId: string,
  signal?: AbortSignal,
): Promise<DeckState> {
  try {
    const info = await readInfo(service, presentationId, signal);
    const { takedown, listingSlug, tracking, primaryShareUrl: shareUrl, tokens, id: _id, ...rest } = info;
    return { ...rest, presentationId, shareUrl, own: { links: linksOf({ tokens }), takedown, listingSlug, tracking } };
  } catch (error) {
    if (!isFailure(error, 'permission-denied')) throw error;
  }
  for await (const deck of listDecks(service, signal))
    if (deck.id === presentationId) return { ...deck, presentationId, own: undefined };
  throw new Failure(`The deck ${presentationId} is not shared with you.`, {
    code: 'not-found',
    nextAction: `\`${commandLine('list')}\` shows the decks that you own or may edit.`,
  });
}

/** Why viewers cannot open what the user may expect, and what the user can do. */
export interface LinkNotice {
  code: 'expired' | 'taken-down' | 'no-link' | 'link-replaced' | 'link-pinned' | 'link-not-checked';
  message: string;
  nextAction?: string;
}

/** The link to hand out, and what the user must know about it. */
export interface HandedOut {
  shareUrl: string | undefined;
  notices: LinkNotice[];
}

export interface Wish {
  /** The address that this computer handed out before. */
  remembered: string | undefined;
  /** The address in the answer of a commit, which is newer than the state; null when no link follows the versions. */
  committed?: string | null | undefined;
  /** The words that name the deck in hints. */
  deckWords: readonly string[];
}

/**
 * The link of a deck to hand out: the oldest active link that follows the latest version, or else the oldest active
 * link; one that asks who opens it only when there is no other. The links of mails belong to their recipients and are
 * not handed out to others. Without a link that opens, `shareUrl` is undefined and a notice tells why.
 */
export function linkToHandOut(state: DeckState, { remembered, committed, deckWords }: Wish): HandedOut {
  const hint = (...words: string[]) => commandLine(...words, ...deckWords);
  const closed = closedNotice(state, hint);
  if (closed) return { shareUrl: undefined, notices: [closed] };
  const link = state.own && chooseLink(state.own.links, committed);
  // A link that the state does not name is newer than the state. A collaborator is told one address only.
  const isNamed = state.own?.links.some((each) => each.shareUrl === committed) ?? false;
  const told = isNamed ? undefined : committed;
  const shareUrl = told ?? (state.own ? link?.shareUrl : state.shareUrl) ?? undefined;
  if (shareUrl === undefined) return { shareUrl, notices: [noLinkNotice(state, hint)] };
  const isOther = remembered !== undefined && remembered !== shareUrl;
  const replaced = isOther ? replacedNotice(state, remembered, shareUrl) : undefined;
  const isOld = link?.shareUrl === shareUrl && link.pinnedVersion !== null && link.pinnedVersion !== state.version;
  const pinned = isOld ? pinnedNotice(link, state, hint) : undefined;
  return { shareUrl, notices: [replaced, pinned].filter((notice) => notice !== undefined) };
}

/** `committed` is a link that follows the latest version; no older link did when it was told. */
function chooseLink(links: readonly Link[], committed: string | null | undefined): Link | undefined {
  const active = links.filter(({ state, shareUrl, isPersonal }) => state === 'active' && shareUrl && !isPersonal);
  const told = links.findIndex(({ shareUrl }) => shareUrl === committed);
  const isFollowing = (link: Link) => link.pinnedVersion === null && links.indexOf(link) >= told;
  const following = committed === null ? [] : active.filter(isFollowing);
  const pinned = active.filter(({ pinnedVersion }) => pinnedVersion !== null);
  return openFirst(following) ?? openFirst(pinned);
}

const openFirst = (links: readonly Link[]) => links.find((link) => !isGated(link)) ?? links[0];

/** Whether the link asks who opens it. */
const isGated = ({ hasPasscode, maxOpenings, allowedEmailCount }: Link) =>
  hasPasscode || maxOpenings !== null || allowedEmailCount !== null;

type Hint = (...words: string[]) => string;

/** Why all links of the deck are closed: it expired, or an operator took it down. */
function closedNotice({ closed, expiresAt, own }: DeckState, hint: Hint): LinkNotice | undefined {
  if (closed === 'taken-down') {
    const reason = own?.takedown ? ` Reason: ${plain(own.takedown.reason)}` : '';
    const message = `The operator of the service took this deck down: its links no longer open it.${reason}`;
    return { code: 'taken-down', message, nextAction: 'Ask the operator of the service.' };
  }
  if (closed === null) return undefined;
  const message = `This deck expired${expiresAt === null ? '' : ` at ${expiresAt}`}: its links no longer open it.`;
  const nextAction = own
    ? `To open it again: ${hint('expire', 'never')}, or with a later time: ${hint('expire', '7d')}`
    : 'Ask the owner of the deck for a later time.';
  return { code: 'expired', message, nextAction };
}

function noLinkNotice({ own }: DeckState, hint: Hint): LinkNotice {
  const nextAction = own ? `Make one: ${hint('links', 'add', '<name>')}` : 'Ask the owner of the deck for a link.';
  const isMailed = own?.links.some(({ state }) => state === 'active');
  const message = isMailed
    ? 'The only active links of this deck are those that were mailed to their recipients.'
    : 'The deck has no active link: nobody can open the deck.';
  return { code: 'no-link', message, nextAction };
}

const whyClosed = { expired: 'has expired', 'used-up': 'has no openings left', revoked: 'is revoked' };

/** The remembered link is another one. Undefined when it opens the latest version too: nothing is wrong with it. */
function replacedNotice({ own }: DeckState, remembered: string, shareUrl: string): LinkNotice | undefined {
  const code = 'link-replaced';
  const before = own?.links.findIndex((link) => link.shareUrl === remembered) ?? -1;
  const now = own?.links.findIndex((link) => link.shareUrl === shareUrl) ?? -1;
  const [old, next] = [own?.links[before], own?.links[now]];
  if (!old || !next) return { code, message: 'This is a different link than before. The earlier link may be revoked.' };
  const isPinned = old.state === 'active' && old.pinnedVersion !== null;
  // An older link that follows the versions would have been chosen: it was revoked after the state was read.
  if (old.state === 'active' && !isPinned && before > now) return undefined;
  const isAsking = old.state === 'active' && isGated(old) && !isGated(next);
  const why = isPinned
    ? `stays on version ${old.pinnedVersion}`
    : isAsking
      ? 'asks who opens it'
      : whyClosed[old.state === 'active' ? 'revoked' : old.state];
  return { code, message: `The earlier link "${plain(old.name)}" ${why}. This is the link "${plain(next.name)}".` };
}

function pinnedNotice({ name, id, pinnedVersion }: Link, { version }: DeckState, hint: Hint): LinkNotice {
  return {
    code: 'link-pinned',
    message: `The link "${plain(name)}" stays on version ${pinnedVersion}; the deck is at version ${version}.`,
    nextAction: `To make it follow the latest version: ${hint('links', 'follow', plain(name) === name ? name : id)}`,
  };
}
