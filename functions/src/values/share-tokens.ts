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

/** What is derived from a token. Both are one-way hashes of 384 random bits, so they do not reveal the token. */
export interface TokenDigests {
  /** The id of the token's document. It is derived from the token, so a viewer's request finds it with one read. */
  tokenId: string;
  /** The hash that the document has. */
  hash: Buffer;
}

export function digestsOf(token: string): TokenDigests {
  return {
    tokenId: digest('share-token-id', token).subarray(0, 16).toString('base64url'),
    hash: digest('share-token', token),
  };
}

/** A new token and its stored form. The sealed copy opens only for this deck and with the service secret. */
export function mintShareToken(secret: string, presentationId: string): { token: string; stored: StoredToken } {
  const { token, tokenId, hash: tokenHash } = newToken();
  return {
    token,
    stored: {
      tokenId,
      hash: tokenHash.toString('hex'),
      sealed: seal(secret, PURPOSE, token, presentationId),
    },
  };
}

/** A command line would take an id that begins with a hyphen for an option. One token in 64 is dropped for that. */
function newToken(): TokenDigests & { token: string } {
  for (;;) {
    const token = randomBytes(48).toString('base64url');
    const digests = digestsOf(token);
    if (!digests.tokenId.startsWith('-')) return { token, ...digests };
  }
}

/** The raw token of a sealed copy. Throws when none of the secrets sealed the copy, or for another deck. */
export function openShareToken(secrets: readonly string[], presentationId: string, sealed: string): string {
  return unseal(secrets, PURPOSE, sealed, presentationId);
}

export function isWellFormedToken(text: string): boolean {
  return shape.test(text);
}

/** Constant-time comparison of the hash of a sent token with a stored one. */
export function isToken(sent: TokenDigests, storedHash: string): boolean {
  return timingSafeEqual(sent.hash, Buffer.from(storedHash, 'hex'));
}

/** `{viewer_url}/share/<presentationId>?token=<token>` */
export function shareUrl(viewerUrl: string, presentationId: string, token: string): string {
  return `${viewerUrl}/share/${presentationId}?token=${token}`;
}
