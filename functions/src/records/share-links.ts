import type { ManifestPointer } from '../policy/manifest';
import { isLiveToken, revocationOf } from '../policy/presentation-access';
import { collection, paths } from './collections';
import type { Transaction } from './database';
import { presentationRef, type Presentation, type TokenLink } from './presentations';
import { createShareToken, linkTo, listShareTokens, shareToken, shareTokenRef, type ShareToken } from './share-tokens';

/**
 * Every write to the share tokens of a deck. The deck's document repeats two of them, so that a list shows a URL
 * without a further read: `firstToken` is the oldest live token, `latestToken` the oldest live token that follows the
 * latest version. It also holds the number of live tokens, `activeLinks`. Each function of this file keeps that true in
 * its transaction.
 */

interface NewLink {
  name: string;
  /** The version to which the link is pinned, or null to follow the latest version. */
  pinned: ManifestPointer | null;
  createdBy: string;
}

/** Creates the link of a deck that the same transaction creates, and returns the two fields of the deck with it. */
export function createFirstLink(tx: Transaction, presentationId: string, createdBy: string, createdAt: Date) {
  const { token, link } = createShareToken(tx, presentationId, { name: 'default', pinned: null, createdBy, createdAt });
  return { token, link, shown: { firstToken: link, latestToken: link, activeLinks: 1 } };
}

/** Adds a link to a deck. The raw token is returned only here. */
export function addLink(
  tx: Transaction,
  deck: Presentation,
  of: NewLink,
  now: Date,
): { token: string; link: TokenLink } {
  const created = createShareToken(tx, deck.presentationId, { ...of, createdAt: creationTime(deck, now) });
  showLinks(tx, deck, { link: created.link, following: of.pinned ? undefined : created.link, count: 1 });
  return created;
}

/**
 * Adds a link that opens nothing and that no list shows until `releaseLinks`. It stays held when its call is
 * interrupted before that.
 */
export function holdLink(
  tx: Transaction,
  deck: Presentation,
  of: { name: string; createdBy: string },
  now: Date,
): TokenLink {
  const held = { ...of, pinned: null, createdAt: creationTime(deck, now), isHeld: true };
  return createShareToken(tx, deck.presentationId, held).link;
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
  const following = opened.find(({ pinned }) => pinned === null);
  const count = opened.length;
  if (opened[0]) showLinks(tx, deck, { link: linkTo(opened[0]), following: following && linkTo(following), count });
}

/** Pins a live token to a version, or lets it follow the latest one (null). Reads before it writes. */
export async function pinLink(
  tx: Transaction,
  deck: Presentation,
  token: ShareToken,
  pinned: ManifestPointer | null,
): Promise<void> {
  await changeToken(tx, deck, token, { pinned });
}

/** Revokes a live token. Reads before it writes. */
export async function revokeLink(tx: Transaction, deck: Presentation, token: ShareToken, now: Date): Promise<void> {
  await changeToken(tx, deck, token, { revokedAt: now });
}

/**
 * Revokes every token of the deck with one write: the deck stores the time up to which its tokens are revoked. Held tokens are revoked too. Returns the tokens that this call revoked, and those that were revoked before.
 */
export async function revokeAllLinks(
  tx: Transaction,
  deck: Presentation,
  now: Date,
): Promise<{ revoked: ShareToken[]; before: ShareToken[]; revokedAt: Date }> {
  const tokens = await listShareTokens(deck.presentationId, tx);
  const isRevoked = (token: ShareToken) => revocationOf(token, deck) !== null;
  const [revoked, before] = [tokens.filter((token) => !isRevoked(token)), tokens.filter(isRevoked)];
  if (revoked.length === 0) return { revoked, before, revokedAt: deck.tokensRevokedAt ?? now };
  // A token may have been created a moment after this call began.
  const revokedAt = new Date(Math.max(now.getTime(), ...revoked.map((token) => token.createdAt.getTime())));
  const shown = { firstToken: null, latestToken: null, activeLinks: 0 };
  tx.update(presentationRef(deck.presentationId), { tokensRevokedAt: revokedAt, ...shown });
  return { revoked, before, revokedAt };
}

/** The creation time of a new token: later than the last revocation of all tokens, even within the same millisecond. */
function creationTime(deck: Presentation, now: Date): Date {
  return new Date(Math.max(now.getTime(), (deck.tokensRevokedAt?.getTime() ?? 0) + 1));
}

/**
 * Counts new live links, and writes them to `firstToken` and `latestToken` where these are empty. Existing tokens are
 * older than new ones, so they stay.
 */
function showLinks(
  tx: Transaction,
  deck: Presentation,
  { link, following, count }: { link: TokenLink; following: TokenLink | undefined; count: number },
): void {
  const { presentationId, firstToken, latestToken } = deck;
  const shown = { firstToken: firstToken ?? link, latestToken: latestToken ?? following ?? null };
  tx.update(presentationRef(presentationId), { ...shown, activeLinks: deck.activeLinks + count });
}

/** Writes a changed token, and the two tokens that the deck shows after the change. */
async function changeToken(
  tx: Transaction,
  deck: Presentation,
  token: ShareToken,
  change: Partial<Pick<ShareToken, 'pinned' | 'revokedAt'>>,
): Promise<void> {
  const changed = { ...token, ...change };
  const shown = await readShown(tx, deck, changed);
  const difference = Number(isLiveToken(changed, deck)) - Number(isLiveToken(token, deck));
  tx.update(shareTokenRef(deck.presentationId, token.tokenId), change);
  tx.update(presentationRef(deck.presentationId), { ...shown, activeLinks: deck.activeLinks + difference });
}

/**
 * The two tokens that the deck shows after `changed` is written. Read in the transaction, so that racing changes see
 * each other.
 */
async function readShown(
  tx: Transaction,
  deck: Presentation,
  changed: ShareToken,
): Promise<Pick<Presentation, 'firstToken' | 'latestToken'>> {
  let live = collection(paths.shareTokens(deck.presentationId), shareToken)
    .query()
    .where('isHeld', '==', false)
    .where('revokedAt', '==', null);
  if (deck.tokensRevokedAt) live = live.where('createdAt', '>', deck.tokensRevokedAt);
  const [any, following] = await Promise.all([
    tx.get(live.orderBy('createdAt').limit(2)),
    tx.get(live.where('pinned', '==', null).orderBy('createdAt').limit(2)),
  ]);
  // The database still holds the changed token in its old state: replace it with the new one.
  const oldest = (found: typeof any, isCandidate: boolean): TokenLink | null => {
    const others = found.docs.map((document) => document.data()).filter(({ tokenId }) => tokenId !== changed.tokenId);
    const [first] = [...others, ...(isCandidate ? [changed] : [])].sort((a, b) => +a.createdAt - +b.createdAt);
    return first ? linkTo(first) : null;
  };
  const isCandidate = isLiveToken(changed, deck);
  return {
    firstToken: oldest(any, isCandidate),
    latestToken: oldest(following, isCandidate && changed.pinned === null),
  };
}
