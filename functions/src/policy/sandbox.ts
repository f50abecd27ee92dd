/**
 * What a deck may do in a browser: run its scripts, open links in new tabs, show dialogs and go full screen. Without
 * `allow-same-origin` it has an origin of its own that holds no storage and no cookie, and without
 * `allow-top-navigation` it cannot lead its viewer away.
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
 * The policy of every active file of a deck. `origin` is the functions' own: it is named beside 'self' because browsers differ on
 * what 'self' means to a document without an origin.
 */
export function deckPolicy(origin: string): string {
  const own = `'self' ${origin}`;
  // Over plain HTTP, which only development is, protocol-relative links lead to plain HTTP.
  const elsewhere = origin.startsWith('http:') ? 'https: http:' : 'https:';
  return [
    `sandbox ${sandboxFlags}`,
    `default-src ${own} ${elsewhere} data: blob: 'unsafe-inline' 'unsafe-eval'`,
    `connect-src ${own} ${elsewhere} wss: data: blob:`,
    `worker-src ${own} blob: data:`,
    `base-uri ${own}`,
    `form-action ${own} https:`,
  ].join('; ');
}
