/**
 * The sandbox flags of a deck: a deck may run scripts, send forms, open dialogs and new tabs, go full screen, lock
 * pointer and orientation, and start downloads. Without `allow-same-origin` a deck has an opaque origin, which has no
 * storage and no cookies. Without `allow-top-navigation` a deck cannot navigate the page that frames it.
 */
export const sandboxFlags = [
  'allow-scripts',
  'allow-forms',
  'allow-modals',
  'allow-popups',
  'allow-popups-to-escape-sandbox',
  'allow-presentation',
  'allow-pointer-lock',
  'allow-orientation-lock',
  'allow-downloads',
].join(' ');

/**
 * The Content-Security-Policy of every active file of a deck. `origin` is the origin of the functions. The policy names
 * it beside 'self' because browsers differ on the meaning of 'self' in a document with an opaque origin.
 */
export function deckPolicy(origin: string): string {
  const self = `'self' ${origin}`;
  // Only development uses plain HTTP. Protocol-relative links of a deck then lead to plain HTTP too.
  const otherOrigins = origin.startsWith('http:') ? 'https: http:' : 'https:';
  return [
    `sandbox ${sandboxFlags}`,
    `default-src ${self} ${otherOrigins} data: blob: 'unsafe-inline' 'unsafe-eval'`,
    `connect-src ${self} ${otherOrigins} wss: data: blob:`,
    `worker-src ${self} blob: data:`,
    `base-uri ${self}`,
    `form-action ${self} https:`,
  ].join('; ');
}
