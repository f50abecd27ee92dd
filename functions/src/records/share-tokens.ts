import { z } from 'zod';
import { config, serviceSecrets } from '../config';
import { logWarning } from '../log';
import type { ManifestPointer } from '../policy/manifest';
import { mintShareToken, openShareToken, shareUrl } from '../values/share-tokens';
import { collection, date, paths } from './collections';
import type { Transaction } from './database';
import { manifestPointer, type TokenLink } from './presentations';

/** A share token. It holds a hash and a sealed copy, not the raw token. */
export const shareToken = z.object({
  tokenId: z.string(),
  name: z.string(),
  hash: z.string(),
  sealed: z.string(),
  /** The version to which the token is pinned; null to follow the latest version. */
  pinned: manifestPointer.nullable(),
  createdAt: date,
  createdBy: z.string(),
  /** Created for a mail that the provider has not accepted yet. */
  isHeld: z.boolean(),
  revokedAt: date.nullable(),
  /** Whether the token is that of the recipient of a mail: its first name is an address. */
  isForRecipient: z.boolean(),
});
export type ShareToken = z.output<typeof shareToken>;

export const shareTokenRef = (presentationId: string, tokenId: string) =>
  collection(paths.shareTokens(presentationId), shareToken).doc(tokenId);

interface NewToken {
  name: string;
  /** The version to which the token is pinned, or null to follow the latest version. */
  pinned: ManifestPointer | null;
  createdBy: string;
  createdAt: Date;
  isHeld?: boolean;
}

/** Creates a token. The raw token is returned only here. Only records/share-links calls this function. */
export function createShareToken(
  tx: Transaction,
  presentationId: string,
  { isHeld = false, ...of }: NewToken,
): { token: string; link: TokenLink } {
  const { token, stored } = mintShareToken(serviceSecrets.current(), presentationId);
  const record = { ...stored, ...of, isHeld, isForRecipient: of.name.includes('@'), revokedAt: null };
  tx.create(shareTokenRef(presentationId, stored.tokenId), record);
  return { token, link: linkTo(record) };
}

/** Every token of a deck, revoked and held ones too, oldest first. One query. */
export async function listShareTokens(presentationId: string, tx?: Transaction): Promise<ShareToken[]> {
  const query = collection(paths.shareTokens(presentationId), shareToken).query().orderBy('createdAt');
  const found = await (tx ? tx.get(query) : query.get());
  return found.docs.map((document) => document.data());
}

/** Changes the name of a token, and returns the token. What the document of its deck repeats stays the same. */
export function renameShareToken(tx: Transaction, presentationId: string, token: ShareToken, name: string): ShareToken {
  tx.update(shareTokenRef(presentationId, token.tokenId), { name });
  return { ...token, name };
}

/** The fields of a token that the document of its deck repeats. */
export const linkTo = ({
  tokenId,
  sealed,
  isForRecipient,
}: Pick<ShareToken, 'tokenId' | 'sealed' | 'isForRecipient'>): TokenLink => ({
  tokenId,
  sealed,
  ...(isForRecipient && { isPersonal: true }),
});

/**
 * A link in an answer to members of the deck: its URL, and the mark of a personal one, so that a client does not give
 * it to others.
 */
export const linkFields = (presentationId: string, link: TokenLink | null) => ({
  shareUrl: shareUrlOf(presentationId, link),
  ...(link?.isPersonal && { shareUrlIsPersonal: true as const }),
});

/**
 * The share URL of a stored token; null without a token, or when the secret that sealed the token is gone. Such
 * a token still opens its deck, but its URL cannot be made.
 */
export function shareUrlOf(presentationId: string, link: TokenLink | null): string | null {
  if (!link) return null;
  try {
    return shareUrl(
      config.viewerUrl(),
      presentationId,
      openShareToken(serviceSecrets.accepted(), presentationId, link.sealed),
    );
  } catch (error) {
    logWarning('A share token was sealed with a service secret that is gone.', error, { presentationId });
    return null;
  }
}
