import { createHash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

/**
 * API keys, `cko_` (organization) or `cka_` (admin), and the tokens of dashboard sessions, `cks_`: 43 base62 characters of 32 random bytes, and 6 of a CRC-32 over
 * all before them. The checksum lets a wrong key be refused without a database read, and secret scanners know a key.
 */
export const keyKinds = { organization: 'cko_', admin: 'cka_', session: 'cks_' } as const;
export type KeyKind = keyof typeof keyKinds;

export const KEY_LENGTH = 53;
/** The most keys that an organization may have active at once. */
export const MAX_ACTIVE_KEYS = 20;

export const scopes = ['presentations:write', 'presentations:read', 'marketplace:publish'] as const;
export type Scope = (typeof scopes)[number];

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const SHAPE = /^(cko_|cka_|cks_)[0-9A-Za-z]{49}$/;

function base62(value: bigint, length: number): string {
  let text = '';
  for (let rest = value; rest > 0n; rest /= 62n) text = ALPHABET[Number(rest % 62n)]! + text;
  return text.padStart(length, '0');
}

const checksum = (text: string) => base62(BigInt(crc32(text)), 6);

/** A new raw key; it exists nowhere else until it is returned to its owner. */
export function mintKey(kind: KeyKind): string {
  const body = keyKinds[kind] + base62(BigInt(`0x${randomBytes(32).toString('hex')}`), 43);
  return body + checksum(body);
}

/** Whether the text has the shape and checksum of a key; says nothing of whether the key exists. */
export function isWellFormedKey(text: string): boolean {
  return SHAPE.test(text) && checksum(text.slice(0, -6)) === text.slice(-6);
}

/** SHA-256, hex: all that is stored of a key. */
export function hashKey(raw: string): string {
  return createHash('sha256').update(raw).digest('hex');
}

/** The first 8 characters, safe to display. */
export function keyPrefix(raw: string): string {
  return raw.slice(0, 8);
}

export function isSessionToken(raw: string): boolean {
  return raw.startsWith(keyKinds.session);
}
