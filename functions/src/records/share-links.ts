import { fail } from '../errors';
import { pointerOf, type ManifestPointer } from '../policy/manifest';
import { isGated } from '../policy/link-gates';
import { isLiveToken, MAX_LIVE_LINKS, revocationOf, tokenStateOf } from '../policy/presentation-access';
import { linkRulesView, linkView } from '../rows/decks';
import { collection, paths } from './collections';
import type { Transaction } from './database';
import { addEvent, changedFrom } from './events';
import { hashesOf, storeReaders } from './link-readers';
import { prepareRename } from './link-totals';
import { presentationRef, type Presentation, type TokenLink } from './presentations';
import {
  createShareToken,
  linkTo,
  listTokenStates,
  newShortCode,
  openRules,
  shareToken,
  shareTokenRef,
  type LinkRules,
  type ShareToken,
  type TokenState,
} from './share-tokens';

/**
 * Every write to the share tokens of a deck. The deck's document repeats some of them, so that a list shows a URL
 * without a further read: `firstTokens` are the live token without a gate and the one with a gate that expire last (of
 * several the oldest), `latestTokens` the same among those that follow the latest version. So `shownLink` finds one
 * that has not expired when there is one, however much time passes; only a link with a gate may be used up. The
 * document also holds the number of live tokens, `activeLinks`. Each function of this file keeps that true in its
 * transaction.
 */

interface NewLink {
  name: string;
  /** The version to which the link is pinned, or null to follow the latest version. */
  pinned: ManifestPointer | null;
  rules: LinkRules;
  createdBy: string;
}

/** Creates the link of a deck that the same transaction creates, and returns the fields of the deck that go with it. */
export function createFirstLink(tx: Transaction, presentationId: string, createdBy: string, createdAt: Date) {
  const of = { name: 'default', pinned: null, rules: openRules, createdBy, createdAt };
  const { token, created } = createShareToken(tx, presentationId, of);
  const link = linkTo(created);
  return { token, link, shown: { firstTokens: [link], latestTokens: [link], activeLinks: 1 } };
}

/**
 * Adds a link to a deck. The raw token is returned only here. Throws conflict when the deck has the most links that it
 * may have.
 */
export function addLink(
  tx: Transaction,
  deck: Presentation,
  of: NewLink,
  now: Date,
): { token: string; created: ShareToken } {
  assertRoomForLinks(deck, 1);
  const made = createShareToken(tx, deck.presentationId, { ...of, createdAt: creationTime(deck, now) });
  showLinks(tx, deck, [made.created]);
  tellCreated(tx, deck, made.created);
  return made;
}

/** Throws conflict when the deck may not have so many links more. Held links count from their release on. */
export function assertRoomForLinks({ activeLinks }: Presentation, count: number): void {
  const actual = activeLinks + count;
  if (actual <= MAX_LIVE_LINKS) return;
  fail(
    'conflict',
    { limit: MAX_LIVE_LINKS, actual },
    {
      message: `A deck has at most ${MAX_LIVE_LINKS} links that are not revoked.`,
      nextAction: 'Revoke links that nobody needs any more, then try again.',
    },
  );
}

/**
 * Adds a link that opens nothing and that no list shows until `releaseLinks`. It stays held when its call is
 * interrupted before that.
 */
export function holdLink(tx: Transaction, deck: Presentation, of: NewLink, now: Date): ShareToken {
  const held = { ...of, createdAt: creationTime(deck, now), isHeld: true };
  return createShareToken(tx, deck.presentationId, held).created;
}

/**
 * Ends the hold of the held tokens: tokens whose ids are in `open` open the deck from now on, the others are revoked. A
 * token that was revoked while it was held stays revoked.
 */
export function releaseLinks(
  tx: Transaction,
  deck: Presentation,
  tokens: readonly (ShareToken | undefined)[],
  { open, now }: { open: ReadonlySet<string>; now: Date },
): void {
  const held = tokens.flatMap((token) => (token?.isHeld ? [token] : []));
  for (const { tokenId, revokedAt } of held) {
    const released = { isHeld: false, revokedAt: revokedAt ?? (open.has(tokenId) ? null : now) };
    tx.update(shareTokenRef(deck.presentationId, tokenId), released);
  }
  const opened = held.filter((token) => open.has(token.tokenId) && revocationOf(token, deck) === null);
  if (opened.length > 0) showLinks(tx, deck, opened);
  for (const token of opened) tellCreated(tx, deck, { ...token, isHeld: false });
}

/** The fields of a link that its owner changes. An absent one stays. */
export interface LinkChange {
  name?: string | undefined;
  /** The version to which the link is pinned, or null to follow the latest version. */
  pinned?: ManifestPointer | null | undefined;
  /** A short address that is removed never opens again. */
  rules?: Partial<LinkRules>;
  /** Whether the link is changed because its reader is forgotten: the event does not tell its earlier fields. */
  isForgetting?: true;
}

/** Changes a link, and returns it. For a revoked link only `name` may be given. Reads before it writes. */
export async function changeLink(
  tx: Transaction,
  deck: Presentation,
  token: ShareToken,
  { name, pinned, rules = {}, isForgetting }: LinkChange,
): Promise<ShareToken> {
  const { presentationId } = deck;
  const { hasShort, readers, ...plain } = rules;
  const change: Partial<ShareToken> = {
    ...(name !== undefined && { name }),
    ...(pinned !== undefined && { pinned }),
    ...plain,
    ...(hasShort !== undefined && { short: hasShort ? (token.short ?? newShortCode(presentationId)) : null }),
    // They are counted from when the number was set.
    ...(plain.maxOpenings !== undefined && token.maxOpenings === null && { openings: 0 }),
    ...(plain.notify === 'first' && token.notify !== 'first' && { noticedAt: null }),
  };
  if (readers !== undefined) change.readers = readers && hashesOf(readers, token.tokenId);
  change.isGated = isGated({ ...token, ...change });
  const rename = name === undefined ? undefined : await prepareRename(tx, presentationId, token.tokenId);
  const isShown = pinned !== undefined || plain.expiresAt !== undefined || change.isGated !== token.isGated;
  const changed = isShown ? await changeToken(tx, deck, token, change) : { ...token, ...change };
  if (!isShown) tx.update(shareTokenRef(presentationId, token.tokenId), change);
  if (name !== undefined) rename?.(name);
  if (readers !== undefined) storeReaders(tx, presentationId, token.tokenId, readers);
  const before = isForgetting ? {} : changedFrom(rowOf(deck, token), rowOf(deck, changed));
  addEvent(tx, 'link.changed', aboutDeck(deck), { title: deck.title, link: rowOf(deck, changed), before });
  return changed;
}

/** Counts the opening of a link that opens a number of times. The transaction has read its token. */
export function countOpening(
  tx: Transaction,
  presentationId: string,
  { tokenId, maxOpenings, openings }: ShareToken,
): void {
  if (maxOpenings !== null) tx.update(shareTokenRef(presentationId, tokenId), { openings: openings + 1 });
}

/** Revokes a live token. Reads before it writes. */
export async function revokeLink(tx: Transaction, deck: Presentation, token: ShareToken, now: Date): Promise<void> {
  const revoked = await changeToken(tx, deck, token, { revokedAt: now });
  const data = { title: deck.title, tokenIds: [token.tokenId], link: rowOf(deck, revoked) };
  addEvent(tx, 'link.revoked', aboutDeck(deck), data);
}

/**
 * Revokes every token of the deck with one write: the deck stores the time up to which its tokens are revoked. Held
 * tokens are revoked too. Returns the tokens that this call revoked, and those that were revoked before.
 */
export async function revokeAllLinks(
  tx: Transaction,
  deck: Presentation,
  now: Date,
): Promise<{ revoked: TokenState[]; before: TokenState[]; revokedAt: Date }> {
  const tokens = await listTokenStates(tx, deck.presentationId);
  const isRevoked = (token: TokenState) => revocationOf(token, deck) !== null;
  const [revoked, before] = [tokens.filter((token) => !isRevoked(token)), tokens.filter(isRevoked)];
  if (revoked.length === 0) return { revoked, before, revokedAt: deck.tokensRevokedAt ?? now };
  // A token may have been created a moment after this call began.
  const revokedAt = new Date(Math.max(now.getTime(), ...revoked.map((token) => token.createdAt.getTime())));
  const shown = { firstTokens: [], latestTokens: [], activeLinks: 0 };
  tx.update(presentationRef(deck.presentationId), { tokensRevokedAt: revokedAt, ...shown });
  const tokenIds = revoked.filter(({ isHeld }) => !isHeld).map(({ tokenId }) => tokenId);
  // One event for up to 5000 links, as it is one write.
  if (tokenIds.length > 0) addEvent(tx, 'link.revoked', aboutDeck(deck), { title: deck.title, tokenIds });
  return { revoked, before, revokedAt };
}

const aboutDeck = ({ organizationId, presentationId }: Presentation) => ({ organizationId, presentationId });

/** The link as events tell it. */
const rowOf = (deck: Presentation, token: ShareToken) => ({
  ...linkView(deck, token),
  ...linkRulesView(deck, token, new Date()),
});

function tellCreated(tx: Transaction, deck: Presentation, token: ShareToken): void {
  addEvent(tx, 'link.created', aboutDeck(deck), { title: deck.title, link: rowOf(deck, token) });
}

/** The creation time of a new token: later than the last revocation of all tokens, even within the same millisecond. */
function creationTime(deck: Presentation, now: Date): Date {
  return new Date(Math.max(now.getTime(), (deck.tokensRevokedAt?.getTime() ?? 0) + 1));
}

/** Of links, the oldest first, the one without a gate and then the one with a gate that expire last. */
export const lasting = (links: readonly TokenLink[]): TokenLink[] =>
  [false, true].flatMap((isGatedOne) => {
    const alike = links.filter((link) => link.isGated === isGatedOne);
    return alike.toSorted((a, b) => +b.expiresAt - +a.expiresAt).slice(0, 1);
  });

/** The live tokens of a deck. */
function liveTokens({ presentationId, tokensRevokedAt }: Presentation) {
  const live = collection(paths.shareTokens(presentationId), shareToken)
    .query()
    .where('isHeld', '==', false)
    .where('revokedAt', '==', null);
  return tokensRevokedAt ? live.where('createdAt', '>', tokensRevokedAt) : live;
}

const lastingFirst = (query: ReturnType<typeof liveTokens>) => query.orderBy('expiresAt', 'desc').orderBy('createdAt');

/** The tokens of a query that expire last: first `limit` of those without a gate, then of those with one. */
async function readLasting(tx: Transaction, query: ReturnType<typeof liveTokens>, limit: number) {
  const found = await Promise.all(
    [false, true].map((isGatedOne) => tx.get(lastingFirst(query.where('isGated', '==', isGatedOne)).limit(limit))),
  );
  return found.flatMap(({ docs }) => docs.map((document) => document.data()));
}

/**
 * The live tokens of a deck, and of the others the newest, also held ones; oldest first. The number of revoked tokens
 * has no limit, but that of an answer has one. One query, and two for a deck that has had more than `limit` tokens.
 */
export async function listLinks(deck: Presentation, limit = MAX_LIVE_LINKS): Promise<ShareToken[]> {
  const all = collection(paths.shareTokens(deck.presentationId), shareToken).query();
  const newest = (await all.orderBy('createdAt', 'desc').limit(limit).get()).docs;
  const live = newest.length < limit ? [] : (await lastingFirst(liveTokens(deck).orderBy('isGated')).get()).docs;
  const tokens = new Map([...newest.toReversed(), ...live].map((document) => [document.id, document.data()]));
  return [...tokens.values()].sort((a, b) => +a.createdAt - +b.createdAt);
}

/** Whether a live link is pinned to a version. One query. */
export async function isPinned(tx: Transaction, deck: Presentation, of: ManifestPointer): Promise<boolean> {
  const pinned = liveTokens(deck).where('pinned', '==', pointerOf(of));
  return !(await tx.get(lastingFirst(pinned.orderBy('isGated')).limit(1))).empty;
}

/** How many links `findOpenLink` looks at, without a gate and with one each. */
const LOOKED_AT = 100;

/** The first link that is open, follows the latest version and was mailed to nobody alone. Two queries. */
export async function findOpenLink(tx: Transaction, deck: Presentation, now: Date): Promise<ShareToken | undefined> {
  const links = await readLasting(tx, liveTokens(deck).where('pinned', '==', null), LOOKED_AT);
  return links.find((link) => !link.isForRecipient && tokenStateOf(link, deck, now) === 'open');
}

/** Counts new live links, and repeats those that last longer than the repeated ones, which are older. */
function showLinks(tx: Transaction, deck: Presentation, added: readonly ShareToken[]): void {
  const { presentationId, firstTokens, latestTokens, activeLinks } = deck;
  const following = added.filter(({ pinned }) => pinned === null);
  tx.update(presentationRef(presentationId), {
    firstTokens: lasting([...firstTokens, ...added.map(linkTo)]),
    latestTokens: lasting([...latestTokens, ...following.map(linkTo)]),
    activeLinks: activeLinks + added.length,
  });
}

/** Writes a changed token, and the tokens that the deck repeats after the change. Returns the token. */
async function changeToken(
  tx: Transaction,
  deck: Presentation,
  token: ShareToken,
  change: Partial<ShareToken>,
): Promise<ShareToken> {
  const changed = { ...token, ...change };
  const shown = await readShown(tx, deck, changed);
  const difference = Number(isLiveToken(changed, deck)) - Number(isLiveToken(token, deck));
  tx.update(shareTokenRef(deck.presentationId, token.tokenId), change);
  tx.update(presentationRef(deck.presentationId), { ...shown, activeLinks: deck.activeLinks + difference });
  return changed;
}

/**
 * The tokens that the deck repeats after `changed` is written. Read in the transaction, so that racing changes see
 * each other.
 */
async function readShown(
  tx: Transaction,
  deck: Presentation,
  changed: ShareToken,
): Promise<Pick<Presentation, 'firstTokens' | 'latestTokens'>> {
  const live = liveTokens(deck);
  const [any, following] = await Promise.all(
    [live, live.where('pinned', '==', null)].map((query) => readLasting(tx, query, 2)),
  );
  // The database still holds the changed token in its old state: replace it with the new one.
  const shown = (found: typeof any, isCandidate: boolean): TokenLink[] => {
    const others = found!.filter(({ tokenId }) => tokenId !== changed.tokenId);
    const tokens = [...others, ...(isCandidate ? [changed] : [])].sort((a, b) => +a.createdAt - +b.createdAt);
    return lasting(tokens.map(linkTo));
  };
  const isCandidate = isLiveToken(changed, deck);
  return {
    firstTokens: shown(any, isCandidate),
    latestTokens: shown(following, isCandidate && changed.pinned === null),
  };
}
