import { z } from 'zod';
import { config, serviceSecret } from '../config';
import { logWarning } from '../log';
import type { ManifestPointer } from '../policy/manifest';
import { mintShareToken, openShareToken, shareUrl } from '../values/share-tokens';
import { collection, paths } from './collections';
import type { Transaction } from './database';
import { date } from './fields';
import { manifestPointer, type TokenLink } from './presentations';

export const shareToken = z.object({
  tokenId: z.string(),
  name: z.string(),
  hash: z.string(),
  sealed: z.string(),
  /** Null follows the latest version. */
  pinned: manifestPointer.nullable(),
  createdAt: date,
  createdBy: z.string(),
  /** Made for a mail that is not known to be taken yet; see records/share-links. */
  isHeld: z.boolean(),
  revokedAt: date.nullable(),
});
export type ShareToken = z.output<typeof shareToken>;

export const shareTokenRef = (presentationId: string, tokenId: string) =>
  collection(paths.shareTokens(presentationId), shareToken).doc(tokenId);

interface NewToken {
  name: string;
  /** The version that it stays on, or null to follow the latest. */
  pinned: ManifestPointer | null;
  createdBy: string;
  createdAt: Date;
  isHeld?: boolean;
}

/** Writes a new token; the raw value is returned only here. Called by records/share-links alone. */
export function createShareToken(
  tx: Transaction,
  presentationId: string,
  { isHeld = false, ...of }: NewToken,
): { token: string; link: TokenLink } {
  const { token, stored } = mintShareToken(serviceSecret.value(), presentationId);
  tx.create(shareTokenRef(presentationId, stored.tokenId), { ...stored, ...of, isHeld, revokedAt: null });
  return { token, link: linkTo(stored) };
}

/** Every token of a deck, revoked and held ones too, oldest first. One query. */
export async function listShareTokens(presentationId: string, tx?: Transaction): Promise<ShareToken[]> {
  const query = collection(paths.shareTokens(presentationId), shareToken).orderBy('createdAt');
  const found = await (tx ? tx.get(query) : query.get());
  return found.docs.map((document) => document.data());
}

/** What the deck's document repeats of a token. */
export const linkTo = ({ tokenId, sealed }: TokenLink): TokenLink => ({ tokenId, sealed });

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
