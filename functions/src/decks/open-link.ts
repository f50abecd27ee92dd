import { setTimeout as pause } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { config } from '../config';
import type { Context } from '../context';
import type { ManifestPointer } from '../policy/manifest';
import { isGated, isGrantEnded } from '../policy/link-gates';
import { linkStateOf, type LinkState } from '../policy/presentation-access';
import { readFor } from '../records/database';
import { presentationRef, type Presentation } from '../records/presentations';
import { shareTokenRef, type ShareToken } from '../records/share-tokens';
import type { LinkGrant } from '../values/deck-grants';
import { isId } from '../values/ids';
import { digestsOf, isToken, isWellFormedToken, type TokenDigests } from '../values/share-tokens';

export type Link = { verdict: Exclude<LinkState, 'open' | 'held'> } | GatedLink | OpenLink;

/** A link whose reader must first prove something, or prove it again. */
export interface GatedLink {
  verdict: 'gated';
  deck: Presentation;
  token: ShareToken;
}

/** A deck that may be shown, and the version that is shown. */
export interface OpenDeck {
  verdict: 'open';
  deck: Presentation;
  served: ManifestPointer;
}

export interface OpenLink extends OpenDeck {
  tokenId: string;
}

/** The pauses before a held link is read again, in units of `config.heldLinkPauseMs`. */
const pauseUnits = [1, 2, 4, 8];

/**
 * Judges a share link with one round trip of two reads. Access is never cached: every request reads again. A mail may
 * arrive before the transaction that opens its link: the link is then held. `openLink` reads a held link again after
 * each pause, and returns not-found when it is still held after the last one.
 */
export async function openLink(context: Context, presentationId: string, token: string, now: Date): Promise<Link> {
  if (!isId(presentationId) || !isWellFormedToken(token)) return { verdict: 'not-found' };
  const digests = lastDigests.memo(token);
  const admits = (stored: ShareToken) => !isGated(stored);
  return judge(
    context,
    { presentationId, tokenId: digests.tokenId },
    { isRight: (hash) => isToken(digests, hash), admits },
    now,
  );
}

/**
 * The digests of the tokens that this instance got last: a reader sends one token with every file of a deck, and the
 * hashes are 9 % of a 304. They say nothing about the link, whose record every request reads.
 */
const lastDigests = new LRUCache<string, TokenDigests>({ max: 1000, memoMethod: (token) => digestsOf(token) });

/** Judges, like `openLink`, the link of a ticket or grant. Its signature proves that the token was sent before. */
export function openGrantedLink(context: Context, grant: LinkGrant, now: Date): Promise<Link> {
  return judge(
    context,
    grant,
    { isRight: () => true, admits: (stored) => !isGrantEnded(stored, grant.opening, now), hasOpened: true },
    now,
  );
}

/** Judges, like `openLink`, a link by its id, which the service has signed. */
export function findLink(context: Context, id: LinkId, now: Date): Promise<Link> {
  return judge(context, id, { isRight: () => true, admits: (stored) => !isGated(stored) }, now);
}

/** What somebody has who asks for a link. */
interface Asker {
  isRight: (hash: string) => boolean;
  /** Whether the rules of the link let it in. */
  admits: (token: ShareToken) => boolean;
  /** Whether its opening is one of those that are counted. */
  hasOpened?: boolean;
}

type LinkId = Pick<LinkGrant, 'presentationId' | 'tokenId'>;

async function judge(context: Context, id: LinkId, asker: Asker, now: Date): Promise<Link> {
  for (const units of [...pauseUnits, undefined]) {
    const link = await judgeOnce(context, id, asker, now);
    if (link.verdict !== 'held') return link;
    if (units !== undefined) await pause(units * config.heldLinkPauseMs());
  }
  return { verdict: 'not-found' };
}

async function judgeOnce(
  context: Context,
  { presentationId, tokenId }: LinkId,
  { isRight, admits, hasOpened }: Asker,
  now: Date,
): Promise<Link | { verdict: 'held' }> {
  const [deck, stored] = await readFor(
    context,
    presentationRef(presentationId),
    shareTokenRef(presentationId, tokenId),
  );
  const asked = stored && { ...stored, isRight: isRight(stored.hash), ...(hasOpened && { maxOpenings: null }) };
  const verdict = linkStateOf(deck, asked, now);
  if (verdict !== 'open') return { verdict };
  if (!admits(stored!)) return { verdict: 'gated', deck: deck!, token: stored! };
  return { verdict, deck: deck!, tokenId, served: stored!.pinned ?? deck!.current };
}
