import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/**
 * The secrets of a dashboard session besides its tokens: the one that is exchanged for a cookie, the cookie, and the
 * binder. Each has 256 random bits. The first two begin with the id of the session, by which the service finds it.
 */

const random = () => randomBytes(32).toString('base64url');

export const mintSessionSecret = (sessionId: string): string => `${sessionId}.${random()}`;
export const mintBinder = random;

/** The id in a secret of `mintSessionSecret`, or undefined for any other text. */
export const sessionIdIn = (secret: string): string | undefined =>
  /^([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})\.[\w-]{43}$/.exec(secret)?.[1];

const digest = (secret: string) => createHash('sha256').update(secret).digest();

/** SHA-256 of a secret in hex: what the database stores. */
export const hashOfSecret = (secret: string): string => digest(secret).toString('hex');

/** Whether the hash is that of the secret. Takes the same time for every wrong secret. */
export const fitsHash = (secret: string, hash: string): boolean =>
  timingSafeEqual(digest(secret), Buffer.from(hash, 'hex'));
