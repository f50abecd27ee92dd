import { createHash } from 'node:crypto';

const LABEL_BYTES = 20;
/** RFC 4648, in lower case. */
const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567';

/** 20 bytes are 32 characters of base32, without padding. */
function base32(bytes: Buffer): string {
  let text = '';
  let rest = 0;
  let bits = 0;
  for (const byte of bytes) {
    rest = ((rest << 8) | byte) & 0xfff;
    for (bits += 8; bits >= 5;) text += ALPHABET[(rest >> (bits -= 5)) & 31];
  }
  return text;
}

const labelOf = (text: string) => base32(createHash('sha256').update(text).digest().subarray(0, LABEL_BYTES));

export const labelShape = /^[a-z2-7]{32}$/;

/** The page on which a person who has the address of a deck's page asks for access. */
export const askUrl = (viewerUrl: string, label: string) => `${viewerUrl}/share/ask/${label}`;

/** The first label of the host name on which the deck of a share link opens. It is no secret. */
export const labelOfToken = (tokenId: string) => labelOf(`token:${tokenId}`);

/** The first label of the host name on which the deck of a listing opens. */
export const labelOfListing = (slug: string) => labelOf(`listing:${slug}`);

/** The first label of the host name on which a person looks at one version of a deck. */
export const labelOfPreview = (of: { presentationId: string; version: number; userId: string }) =>
  labelOf(`preview:${of.presentationId}:${of.version}:${of.userId}`);

/**
 * Whether the text is an origin with `*` as the first label of its host name, such as `https://*.decks.example.com`.
 */
export const isDeckOrigin = (text: string) =>
  /^https?:\/\/\*(\.[a-z\d]([a-z\d-]{0,61}[a-z\d])?)+(:\d{1,5})?$/.test(text);

/** The origin of the decks with this label. `deckOrigin` is one that `isDeckOrigin` accepts. */
export const originOf = (deckOrigin: string, label: string) => deckOrigin.replace('*', label);

/**
 * The label of a `Host` header; undefined for a host that the deck origin does not match. Host names compare without
 * case. The port is compared only when the deck origin names one.
 */
export function labelOfHost(deckOrigin: string, host: string): string | undefined {
  const [, suffix = '', port] = /^https?:\/\/\*([^:]+)(:\d+)?$/.exec(deckOrigin) ?? [];
  const [, label, rest, sentPort] = /^([a-z2-7]{32})(\.[a-z\d.-]+)(:\d+)?$/.exec(host.toLowerCase()) ?? [];
  return rest === suffix && (port === undefined || port === sentPort) ? label : undefined;
}
