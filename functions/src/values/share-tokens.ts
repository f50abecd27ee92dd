import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { seal, unseal } from './secrets';

/** 48 random bytes, base64url: 384 bits of entropy. */
const shape = /^[A-Za-z0-9_-]{64}$/;
const PURPOSE = 'share-token';

/**
 * The stored form of a share token: a hash that recognises it, and a sealed copy from which its owner sees the link
 * again.
 */
export interface StoredToken {
  tokenId: string;
  hash: string;
  sealed: string;
}

const digest = (domain: string, token: string) => hash('sha256', `${domain}\n${token}`, 'buffer');

/**
 * The document id of a token. The id is derived from the token, so a viewer's request finds the record with one read.
 * The derivation is a one-way hash of 384 random bits, so the id does not reveal the token.
 */
export function tokenIdOf(token: string): string {
  return digest('share-token-id', token).subarray(0, 16).toString('base64url');
}

/** A new token and its stored form. The sealed copy opens only for this deck and with the service secret. */
export function mintShareToken(secret: string, presentationId: string): { token: string; stored: StoredToken } {
  const { token, tokenId } = newToken();
  return {
    token,
    stored: {
      tokenId,
      hash: digest('share-token', token).toString('hex'),
      sealed: seal(secret, PURPOSE, token, presentationId),
    },
  };
}

/** A command line would take an id that begins with a hyphen for an option. One token in 64 is dropped for that. */
function newToken(): { token: string; tokenId: string } {
  for (;;) {
    const token = randomBytes(48).toString('base64url');
    const tokenId = tokenIdOf(token);
    if (!tokenId.startsWith('-')) return { token, tokenId };
  }
}

/** The raw token of a sealed copy. Throws when none of the secrets sealed the copy, or for another deck. */
export function openShareToken(secrets: readonly string[], presentationId: string, sealed: string): string {
  return unseal(secrets, PURPOSE, sealed, presentationId);
}

export function isWellFormedToken(text: string): boolean {
  return shape.test(text);
}

/** Constant-time comparison of a sent token with a stored hash. */
export function isToken(sent: string, storedHash: string): boolean {
  return timingSafeEqual(digest('share-token', sent), Buffer.from(storedHash, 'hex'));
}

/** `{viewer_url}/share/<presentationId>?token=<token>` */
export function shareUrl(viewerUrl: string, presentationId: string, token: string): string {
  return `${viewerUrl}/share/${presentationId}?token=${token}`;
}
