import { timingSafeEqual } from 'node:crypto';
import { cookiesOf } from './cookies';
import { labelOfPreview, labelOfToken } from './deck-origins';
import { mac } from './secrets';

/** A share link that its holder may open. */
export interface LinkGrant {
  presentationId: string;
  tokenId: string;
  /** Whether the owner or a dev of the deck opened it. Their loads are not visits of readers. */
  isOwn?: boolean;
}

/** A version that a person may look at for as long as they may read its deck. */
export interface PreviewGrant {
  presentationId: string;
  version: number;
  userId: string;
}

export type Granted = LinkGrant | PreviewGrant;
export type Grant<Of = Granted> = Of & { expiresAt: Date };

export const isPreview = (of: Granted): of is PreviewGrant => !('tokenId' in of);

const [MINUTE, HOUR, DAY] = [60, 3600, 24 * 3600];

/**
 * The life of what is signed, in seconds. A `ticket` is part of an address, and becomes a `grant` in a cookie. A `frame`
 * is part of the address of each file, for a deck in a frame without an origin of its own.
 */
export const grantSeconds = {
  link: { ticket: MINUTE, grant: 30 * DAY, frame: HOUR },
  preview: { ticket: MINUTE, grant: 8 * HOUR, frame: 8 * HOUR },
} as const;
export type GrantKind = keyof (typeof grantSeconds)['link'];

const secondsOf = (kind: GrantKind, of: Granted) => grantSeconds[isPreview(of) ? 'preview' : 'link'][kind];

const signatureOf = (secret: string, kind: GrantKind, ...signed: string[]) => mac(secret, `deck-${kind}`, ...signed);

/** In what the owner or a dev of the deck has opened. */
const OWN = 'own';

/** The fields that are signed. A link has one less than a preview, so neither is ever read as the other. */
const fieldsOf = (of: Granted, expires: string) =>
  isPreview(of)
    ? [of.presentationId, String(of.version), of.userId, expires]
    : [of.presentationId, of.tokenId, expires, ...(of.isOwn ? [OWN] : [])];

/** The signed text of what is granted now. It does not reveal the share token. */
export function writeGrant(secret: string, kind: GrantKind, of: Granted, now: Date): string {
  const signed = fieldsOf(of, String(Math.floor(now.getTime() / 1000) + secondsOf(kind, of)));
  return [...signed, signatureOf(secret, kind, ...signed)].join('.');
}

/**
 * What a signed text grants. Undefined for a text that none of the secrets signed for this kind, and for one that has
 * expired.
 */
export function readGrant(secrets: readonly string[], kind: GrantKind, text: string, now: Date): Grant | undefined {
  const [, presentationId = '', version, id = '', expires = '', own, signature = ''] =
    /^([\w-]{1,64})\.(?:(\d{1,10})\.)?([\w-]{1,64})\.(\d{1,11})(?:\.(own))?\.([\da-f]{64})$/.exec(text) ?? [];
  if (!signature) return undefined;
  const of =
    version === undefined ? { tokenId: id, isOwn: own !== undefined } : { version: Number(version), userId: id };
  const expiresAt = new Date(Number(expires) * 1000);
  const grant = { presentationId, ...of, expiresAt };
  const sent = Buffer.from(signature, 'hex');
  const isSigned = secrets.some((secret) =>
    timingSafeEqual(sent, Buffer.from(signatureOf(secret, kind, ...fieldsOf(grant, expires)), 'hex')),
  );
  return isSigned && expiresAt > now ? grant : undefined;
}

/** The first label of the host name on which a grant opens its deck. */
export const labelOfGrant = (of: Granted) => (isPreview(of) ? labelOfPreview(of) : labelOfToken(of.tokenId));

/** The prefix makes browsers refuse a cookie of this name that the page of another host sets for this one. */
const COOKIE = '__Host-deck';

/** The `Set-Cookie` header that gives the browser a grant. */
export const grantCookie = (text: string, of: Granted) =>
  `${COOKIE}=${text}; Secure; HttpOnly; SameSite=Lax; Path=/; Max-Age=${secondsOf('grant', of)}`;

/** The texts of a `Cookie` header that may be grants. */
export const grantsOf = (cookies: string): string[] => cookiesOf(cookies, COOKIE);

/** When a grant of a cookie was given. */
export const grantedAt = (grant: Grant) => new Date(grant.expiresAt.getTime() - secondsOf('grant', grant) * 1000);
