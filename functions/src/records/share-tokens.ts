import { z } from 'zod';
import { logger } from 'firebase-functions';
import { config, serviceSecret } from '../config';
import { mintShareToken, openShareToken, shareUrl } from '../policy/share-tokens';
import { collection, paths } from './collections';
import type { Transaction } from './database';
import { date } from './fields';
import { manifestRef, type TokenLink } from './presentations';

export const shareToken = z.object({
  tokenId: z.string(),
  name: z.string(),
  hash: z.string(),
  sealed: z.string(),
  /** Null follows the latest version. */
  pinned: manifestRef.nullable(),
  createdAt: date,
  createdBy: z.string(),
  revokedAt: date.nullable(),
});
export type ShareToken = z.output<typeof shareToken>;

export const shareTokenRef = (presentationId: string, tokenId: string) =>
  collection(paths.shareTokens(presentationId), shareToken).doc(tokenId);

/** Writes a new token that follows the latest version; the raw token is returned this once. */
export function createShareToken(
  tx: Transaction,
  presentationId: string,
  of: { name: string; createdBy: string; createdAt: Date },
): { token: string; link: TokenLink } {
  const { token, stored } = mintShareToken(serviceSecret.value(), presentationId);
  tx.create(shareTokenRef(presentationId, stored.tokenId), { ...stored, ...of, pinned: null, revokedAt: null });
  return { token, link: { tokenId: stored.tokenId, sealed: stored.sealed } };
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
    logger.warn('A share token was sealed with another service secret.', { presentationId, error: String(error) });
    return null;
  }
}
