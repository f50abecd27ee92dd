import { timingSafeEqual } from 'node:crypto';
import { cookiesOf } from './cookies';
import { mac } from './secrets';

/** A share link that its holder may open on the origin of its deck, for a time. */
export interface Grant {
  presentationId: string;
  tokenId: string;
  /** Whether the owner or a dev of the deck opened it. Their loads are not visits of readers. */
  isOwn: boolean;
  expiresAt: Date;
}

/** A ticket is part of an address and lives for 60 seconds. A grant is a cookie and lives for 30 days. */
export const grantSeconds = { ticket: 60, grant: 30 * 24 * 3600 } as const;
export type GrantKind = keyof typeof grantSeconds;

const signatureOf = (secret: string, kind: GrantKind, ...signed: string[]) => mac(secret, `deck-${kind}`, ...signed);

/** What a ticket or a grant is made for. */
export type Opened = Pick<Grant, 'presentationId' | 'tokenId'> & Partial<Pick<Grant, 'isOwn'>>;

/** In a ticket or a grant of the owner or a dev of the deck. */
const OWN = 'own';

/** The signed text of a ticket or a grant that is made now. It does not reveal the share token. */
export function writeGrant(
  secret: string,
  kind: GrantKind,
  { presentationId, tokenId, isOwn = false }: Opened,
  now: Date,
): string {
  const expires = String(Math.floor(now.getTime() / 1000) + grantSeconds[kind]);
  const signed = [presentationId, tokenId, expires, ...(isOwn ? [OWN] : [])];
  return [...signed, signatureOf(secret, kind, ...signed)].join('.');
}

/**
 * What a ticket or a grant allows. Undefined for a text that none of the secrets signed for this kind, and for one that
 * has expired.
 */
export function readGrant(secrets: readonly string[], kind: GrantKind, text: string, now: Date): Grant | undefined {
  const [, presentationId = '', tokenId = '', expires = '', own, signature = ''] =
    /^([\w-]{1,64})\.([\w-]{1,64})\.(\d{1,11})(?:\.(own))?\.([\da-f]{64})$/.exec(text) ?? [];
  if (!signature) return undefined;
  const sent = Buffer.from(signature, 'hex');
  const signed = [presentationId, tokenId, expires, ...(own ? [own] : [])];
  const isSigned = secrets.some((secret) =>
    timingSafeEqual(sent, Buffer.from(signatureOf(secret, kind, ...signed), 'hex')),
  );
  const expiresAt = new Date(Number(expires) * 1000);
  return isSigned && expiresAt > now ? { presentationId, tokenId, isOwn: own !== undefined, expiresAt } : undefined;
}

/** The prefix makes browsers refuse a cookie of this name that the page of another host sets for this one. */
const COOKIE = '__Host-deck';

/** The `Set-Cookie` header that gives the browser a grant. */
export const grantCookie = (text: string) =>
  `${COOKIE}=${text}; Secure; HttpOnly; SameSite=Lax; Path=/; Max-Age=${grantSeconds.grant}`;

/** The texts of a `Cookie` header that may be grants. */
export const grantsOf = (cookies: string): string[] => cookiesOf(cookies, COOKIE);

/** When a grant that expires then was given. */
export const grantedAt = ({ expiresAt }: Grant) => new Date(expiresAt.getTime() - grantSeconds.grant * 1000);
