import { z } from 'zod';
import { config, serviceSecret } from '../config';
import { logWarning } from '../log';
import type { ManifestRef } from '../policy/manifest';
import { isLive } from '../policy/presentation-access';
import { mintShareToken, openShareToken, shareUrl } from '../values/share-tokens';
import { collection, paths } from './collections';
import type { Transaction } from './database';
import { date } from './fields';
import { manifestRef, type Presentation, type TokenLink } from './presentations';

export const shareToken = z.object({
  tokenId: z.string(),
  name: z.string(),
  hash: z.string(),
  sealed: z.string(),
  /** Null follows the latest version. */
  pinned: manifestRef.nullable(),
  createdAt: date,
  createdBy: z.string(),
  /** Made for a mail that is not known to be taken yet; see held-tokens. */
  isHeld: z.boolean(),
  revokedAt: date.nullable(),
});
export type ShareToken = z.output<typeof shareToken>;

export const shareTokenRef = (presentationId: string, tokenId: string) =>
  collection(paths.shareTokens(presentationId), shareToken).doc(tokenId);

interface NewToken {
  name: string;
  /** The version that it stays on, or null to follow the latest. */
  pinned: ManifestRef | null;
  createdBy: string;
  createdAt: Date;
  isHeld?: boolean;
}

/** When a token that is made now counts as made: later than whatever was revoked with all tokens, even within the same millisecond. */
export function creationTime(deck: Presentation, now: Date): Date {
  return new Date(Math.max(now.getTime(), (deck.tokensRevokedAt?.getTime() ?? 0) + 1));
}

/** Writes a new token; the raw value is returned this once. */
export function createShareToken(
  tx: Transaction,
  presentationId: string,
  { isHeld = false, ...of }: NewToken,
): { token: string; link: TokenLink } {
  const { token, stored } = mintShareToken(serviceSecret.value(), presentationId);
  tx.create(shareTokenRef(presentationId, stored.tokenId), { ...stored, ...of, isHeld, revokedAt: null });
  return { token, link: { tokenId: stored.tokenId, sealed: stored.sealed } };
}

/** Every token of a deck, revoked and held ones too, oldest first. One query. */
export async function listShareTokens(presentationId: string, tx?: Transaction): Promise<ShareToken[]> {
  const query = collection(paths.shareTokens(presentationId), shareToken).orderBy('createdAt');
  const found = await (tx ? tx.get(query) : query.get());
  return found.docs.map((document) => document.data());
}

/**
 * The tokens whose URLs the deck shows, as they are when `changed` takes its new place: the first one that is live, and the
 * first of those that follow the latest version. Read in the transaction, so that two changes do not show a revoked one.
 */
export async function readLinks(
  tx: Transaction,
  deck: Presentation,
  changed: ShareToken,
): Promise<Pick<Presentation, 'firstToken' | 'latestToken'>> {
  let live = collection(paths.shareTokens(deck.presentationId), shareToken)
    .where('isHeld', '==', false)
    .where('revokedAt', '==', null);
  if (deck.tokensRevokedAt) live = live.where('createdAt', '>', deck.tokensRevokedAt);
  const [any, following] = await Promise.all([
    tx.get(live.orderBy('createdAt').limit(2)),
    tx.get(live.where('pinned', '==', null).orderBy('createdAt').limit(2)),
  ]);
  // The stored state of the changed token is the old one: it takes part with its new one.
  const first = (found: typeof any, takesPart: boolean): TokenLink | null => {
    const others = found.docs.map((document) => document.data()).filter(({ tokenId }) => tokenId !== changed.tokenId);
    const [oldest] = [...others, ...(takesPart ? [changed] : [])].sort((a, b) => +a.createdAt - +b.createdAt);
    return oldest ? { tokenId: oldest.tokenId, sealed: oldest.sealed } : null;
  };
  const takesPart = isLive(changed, deck);
  return { firstToken: first(any, takesPart), latestToken: first(following, takesPart && changed.pinned === null) };
}

/**
 * The share URL of a stored token, or null when there is none. A token that was sealed with another service secret still opens its deck,
 * but nobody can spell its URL any more.
 */
export function shareUrlOf(presentationId: string, link: TokenLink | null): string | null {
  if (!link) return null;
  try {
    return shareUrl(
      config.viewerUrl(),
      presentationId,
      openShareToken(serviceSecret.value(), presentationId, link.sealed),
    );
  } catch (error) {
    logWarning('A share token was sealed with another service secret.', error, { presentationId });
    return null;
  }
}
