import type { Isolation } from '../values/host-rules';

/**
 * The devices and credentials that no deck needs. A viewer must not be asked for them by a page that anybody can
 * publish. Decks are of one site with the service: without this a deck could use passkeys that were made for the site's
 * domain.
 */
const DENIED = [
  ...['camera', 'microphone', 'geolocation', 'payment', 'usb', 'serial', 'hid', 'midi', 'bluetooth', 'display-capture'],
  ...['publickey-credentials-get', 'publickey-credentials-create', 'otp-credentials', 'identity-credentials-get'],
  ...['storage-access', 'local-network-access'],
];

/**
 * A window that another deck opened gives that deck no reference to this one. The windows of a presenter are of the
 * same origin.
 */
const APART = { 'Cross-Origin-Opener-Policy': 'same-origin-allow-popups' };

/**
 * Browsers isolate a page with both headers. They refuse a worker or a frame of it without the second one, and part it
 * from a window of its own origin that has not the same.
 */
const isolated = (isolation: Isolation) => ({
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': isolation,
});

/**
 * The headers of every answer on the origin of a deck, apart from its policy (docs/decisions.md, Decks are one site for
 * browsers). `isolation` is that of the version; null for an answer that is of none.
 */
export const deckHeaders = (isNavigation: boolean, isolation: Isolation | null): Record<string, string> => ({
  // Decks are different origins of one site. Browsers then give each a process of its own where they can.
  'Origin-Agent-Cluster': '?1',
  // The pages of other decks get no file of this one, although they are of the same site and cookies are sent with
  // their requests.
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Permissions-Policy': DENIED.map((feature) => `${feature}=()`).join(', '),
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Robots-Tag': 'noindex, nofollow',
  ...(isolation ? isolated(isolation) : isNavigation && APART),
});

/** The destinations of Sec-Fetch-Dest that show a document. */
const documents = new Set(['document', 'iframe', 'frame', 'embed', 'object', 'fencedframe']);

/** Whether a browser says that it asks for a part of a page: a picture, a script, a style, a call. */
export const asksForPart = (destination: string | undefined): boolean =>
  destination !== undefined && !documents.has(destination.toLowerCase());

/**
 * Whether a browser asks for a document of a window or frame. `mode` is the header Sec-Fetch-Mode. Older browsers say
 * so only in Accept.
 */
export const asksForDocument = (mode: string | undefined, accept = ''): boolean =>
  mode === undefined ? /\btext\/html\b/i.test(accept) : mode === 'navigate';
