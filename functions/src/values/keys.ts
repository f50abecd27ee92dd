import { createHash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { parse } from 'uuid';

/**
 * API keys (`cko_` of an organization, `cka_` of an admin) and tokens of dashboard sessions (`cks_`). The prefix is
 * followed by 32 bytes as 43 base62 characters, and by a CRC-32 of all characters before it as 6 base62
 * characters. The checksum refuses a mistyped key without a database read. Secret scanners recognise a key by its
 * prefix.
 */
export const keyKinds = { organization: 'cko_', admin: 'cka_', session: 'cks_' } as const;
export type KeyKind = keyof typeof keyKinds;

export const KEY_LENGTH = 53;
/** The largest number of active keys of one organization. */
export const MAX_ACTIVE_KEYS = 20;

export const scopes = ['presentations:write', 'presentations:read', 'marketplace:publish'] as const;
export type Scope = (typeof scopes)[number];

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const shape = /^(cko_|cka_|cks_)[0-9A-Za-z]{49}$/;

function base62(value: bigint, length: number): string {
  let text = '';
  for (let rest = value; rest > 0n; rest /= 62n) text = ALPHABET[Number(rest % 62n)]! + text;
  return text.padStart(length, '0');
}

const checksum = (text: string) => base62(BigInt(crc32(text)), 6);

function spell(kind: KeyKind, bytes: Buffer): string {
  const body = keyKinds[kind] + base62(BigInt(`0x${bytes.toString('hex')}`), 43);
  return body + checksum(body);
}

/** A new raw key. The database stores its hash, never the raw key. */
export const mintKey = (kind: KeyKind): string => spell(kind, randomBytes(32));

/**
 * A new token of a session. Its first 128 bits are the id of the session, so that one read finds the session, and the
 * other 128 bits are random.
 */
export const mintSessionToken = (sessionId: string): string =>
  spell('session', Buffer.concat([Buffer.from(parse(sessionId)), randomBytes(16)]));

/** The id of the session of a well-formed token. */
export function sessionIdOf(token: string): string {
  let value = 0n;
  for (const digit of token.slice(4, -6)) value = value * 62n + BigInt(ALPHABET.indexOf(digit));
  const id = value.toString(16).padStart(64, '0');
  return id.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, '$1-$2-$3-$4-$5');
}

/** Whether the text has the shape and the checksum of a key. Such a key may still be unknown to the service. */
export function isWellFormedKey(text: string): boolean {
  return shape.test(text) && checksum(text.slice(0, -6)) === text.slice(-6);
}

/** SHA-256 of a raw key or session token in hex: the id of its document. */
export function hashKey(raw: string): string {
  return createHash('sha256').update(raw).digest('hex');
}

/** The first 8 characters of a key. They are safe to display, and several keys may share them. */
export function keyPrefix(raw: string): string {
  return raw.slice(0, 8);
}

export function isSessionToken(raw: string): boolean {
  return raw.startsWith(keyKinds.session);
}
