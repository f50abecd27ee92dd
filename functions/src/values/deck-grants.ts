import { randomBytes } from 'node:crypto';
import { cookiesOf } from './cookies';
import { labelOfPreview, labelOfToken } from './deck-origins';
import { readSigned, writeSigned } from './signed';

/** What a reader proved at the gate of a link. */
export interface Proof {
  /** The id of the passcode that the reader knew. */
  passcode?: string | undefined;
  /** The keyed hashes of the proven address and of its domain. */
  reader?: readonly [address: string, domain: string] | undefined;
}

/** The opening of a gated link. */
export interface Opening extends Proof {
  at: Date;
}

/** A share link that its holder may open. */
export interface LinkGrant {
  presentationId: string;
  tokenId: string;
  /** Random: two openings are two, also within a second. */
  id: string;
  /** Whether the owner or a dev of the deck opened it. Their loads are not visits of readers. */
  isOwn?: boolean;
  /** Absent for a link that had no gate. */
  opening?: Opening;
  /** Whether the browser asked at the opening that its reader is not tracked. */
  isPrivate?: boolean;
  /** The host of the page that led to the link. */
  from?: string;
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

/** How long the grant of an opening opens its deck, in seconds. */
export const OPENING_SECONDS = DAY;

/**
 * The life of what is signed, in seconds. A `ticket` is part of an address, and becomes a `grant` in a cookie. A
 * `frame` is part of the address of each file, for a deck in a frame without an origin of its own, and a `page` part of
 * the address of the page around that frame. With a `seen` the deck in that frame tells what its reader sees. The
 * opening of a gated link opens nothing after a day; its cookie and its page live longer, so that a late reader is
 * told. Nothing in that page renews the grant of its frame, so it lives as long as the opening.
 */
export const grantSeconds = {
  link: { ticket: MINUTE, grant: 30 * DAY, frame: OPENING_SECONDS, page: 30 * DAY, seen: DAY },
  preview: { ticket: MINUTE, grant: 8 * HOUR, frame: 8 * HOUR, page: 8 * HOUR, seen: 0 },
} as const;
export type GrantKind = keyof (typeof grantSeconds)['link'];

const secondsOf = (kind: GrantKind, of: Granted) => grantSeconds[isPreview(of) ? 'preview' : 'link'][kind];
const purposeOf = (kind: GrantKind) => `deck-${kind}`;

/** A grant for a link without a gate, or for the opening of one with a gate. */
export const newLinkGrant = (of: Omit<LinkGrant, 'id'>): LinkGrant => ({
  ...of,
  id: randomBytes(12).toString('base64url'),
});

/** When the opening of a gated link ends. */
export const endOfOpening = ({ at }: Opening) => new Date(at.getTime() + OPENING_SECONDS * 1000);

/** What is signed. Times are in seconds. */
interface Signed {
  of: Granted;
  expires: number;
}

/** The signed text of what is granted now. It does not reveal the share token. */
export function writeGrant(secret: string, kind: GrantKind, of: Granted, now: Date): string {
  const end = Math.floor(now.getTime() / 1000) + secondsOf(kind, of);
  const opening = isPreview(of) ? undefined : of.opening;
  const expires = opening && kind === 'frame' ? Math.min(end, Math.floor(endOfOpening(opening).getTime() / 1000)) : end;
  return writeSigned(secret, purposeOf(kind), { of, expires } satisfies Signed);
}

/**
 * What a signed text grants. Undefined for a text that none of the secrets signed for this kind, and for one that has
 * expired.
 */
export function readGrant(secrets: readonly string[], kind: GrantKind, text: string, now: Date): Grant | undefined {
  const signed = readSigned<Signed>(secrets, purposeOf(kind), text);
  if (!signed || signed.expires * 1000 <= now.getTime()) return undefined;
  const { of } = signed;
  const expiresAt = new Date(signed.expires * 1000);
  if (isPreview(of) || !of.opening) return { ...of, expiresAt };
  // JSON has no dates.
  return { ...of, opening: { ...of.opening, at: new Date(of.opening.at) }, expiresAt };
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

/** When a grant was given. */
export const grantedAt = (grant: Grant, kind: GrantKind = 'grant') =>
  new Date(grant.expiresAt.getTime() - secondsOf(kind, grant) * 1000);
