import { hash, randomBytes } from 'node:crypto';
import { seal, unseal } from './secrets';

/** Base58: no `0`, `O`, `I` and `l`, which people confuse when they read an address aloud or type it. */
const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
/** 93.7 bits of entropy. */
const LENGTH = 16;
const shape = new RegExp(`^[${ALPHABET}]{${LENGTH}}$`);
const PURPOSE = 'short-code';
/**
 * The largest multiple of 58 in a byte. Bytes above it are dropped, so that each character is as likely as the others.
 */
const UNBIASED = 256 - (256 % ALPHABET.length);

/** The stored form of a short code: a hash that recognises it, and a sealed copy from which its owner sees it again. */
export interface StoredCode {
  hash: string;
  sealed: string;
}

/** The hash of a code. It is a one-way hash of 93 random bits, so it does not reveal the code. */
export const hashOfCode = (code: string) => hash('sha256', `${PURPOSE}\n${code}`, 'hex');

/** A new code in its stored form. The sealed copy opens only for this deck and with the service secret. */
export function mintCode(secret: string, presentationId: string): StoredCode {
  let code = '';
  while (code.length < LENGTH) {
    for (const byte of randomBytes(LENGTH - code.length)) if (byte < UNBIASED) code += ALPHABET[byte % ALPHABET.length];
  }
  return { hash: hashOfCode(code), sealed: seal(secret, PURPOSE, code, presentationId) };
}

/** The code of a sealed copy. Throws when none of the secrets sealed the copy, or for another deck. */
export function openCode(secrets: readonly string[], presentationId: string, sealed: string): string {
  return unseal(secrets, PURPOSE, sealed, presentationId);
}

export function isWellFormedCode(text: string): boolean {
  return shape.test(text);
}

/** `{viewer_url}/s/<code>` */
export function shortUrl(viewerUrl: string, code: string): string {
  return `${viewerUrl}/s/${code}`;
}
