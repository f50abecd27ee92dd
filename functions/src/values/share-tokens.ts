import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { seal, unseal } from './secrets';

/** 48 random bytes, base64url: 384 bits of entropy. */
const SHAPE = /^[A-Za-z0-9_-]{64}$/;
const PURPOSE = 'share-token';

/** What is kept of a share token: a hash to recognise it, and a sealed copy so that its owner can see the link again. */
export interface StoredToken {
  tokenId: string;
  hash: string;
  sealed: string;
}

const digest = (domain: string, token: string) => createHash('sha256').update(`${domain}\n${token}`).digest();

/**
 * The id under which a token is stored. It is derived from the token, so that a viewer's request finds the record with one
 * read, by a one-way function of 384 random bits, so that it tells nothing of the token.
 */
export function tokenIdOf(token: string): string {
  return digest('share-token-id', token).subarray(0, 16).toString('base64url');
}

/** A new token and what to store of it; the sealed copy opens only for this deck and with the service's secret. */
export function mintShareToken(secret: string, presentationId: string): { token: string; stored: StoredToken } {
  const token = randomBytes(48).toString('base64url');
  return {
    token,
    stored: {
      tokenId: tokenIdOf(token),
      hash: digest('share-token', token).toString('hex'),
      sealed: seal(secret, PURPOSE, token, presentationId),
    },
  };
}

/** The raw token again; throws when the secret is not the one that sealed it. */
export function openShareToken(secret: string, presentationId: string, sealed: string): string {
  return unseal(secret, PURPOSE, sealed, presentationId);
}

export function isWellFormedToken(text: string): boolean {
  return SHAPE.test(text);
}

/** Constant-time comparison of a sent token with a stored hash. */
export function isToken(sent: string, hash: string): boolean {
  return timingSafeEqual(digest('share-token', sent), Buffer.from(hash, 'hex'));
}

/** `{viewer_url}/share/<presentationId>?token=<token>` */
export function shareUrl(viewerUrl: string, presentationId: string, token: string): string {
  return `${viewerUrl}/share/${presentationId}?token=${token}`;
}
