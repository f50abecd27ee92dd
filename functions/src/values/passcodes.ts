import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';

/** A stored passcode. It cannot be shown again. */
export interface StoredPasscode {
  /** Random. Grants name it, so that a new passcode ends the grants of the old one. */
  id: string;
  salt: string;
  hash: string;
}

const COST = { N: 2 ** 15, r: 8, p: 1, maxmem: 64 * 1024 * 1024 };
const HASH_BYTES = 32;

export const [MIN_PASSCODE, MAX_PASSCODE] = [6, 64];

const derive = (passcode: string, salt: string): Promise<Buffer> =>
  new Promise((resolve, reject) =>
    scrypt(passcode.normalize('NFC'), salt, HASH_BYTES, COST, (error, key) => (error ? reject(error) : resolve(key))),
  );

export async function storePasscode(passcode: string): Promise<StoredPasscode> {
  const salt = randomBytes(16).toString('base64url');
  const hash = await derive(passcode, salt);
  return { id: randomBytes(9).toString('base64url'), salt, hash: hash.toString('base64url') };
}

/** Whether this is the passcode. Takes 32 MB of memory and some 50 ms of a processor. */
export async function isPasscode({ salt, hash }: StoredPasscode, sent: string): Promise<boolean> {
  return timingSafeEqual(await derive(sent, salt), Buffer.from(hash, 'base64url'));
}
