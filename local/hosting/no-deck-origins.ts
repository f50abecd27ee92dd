import type { IncomingMessage } from 'node:http';

/**
 * WebKit's browsers cannot open a deck's local origin: they may not resolve the names below `localhost`, and they keep
 * no `Secure` cookie that comes over HTTP. The share page redirects the navigations that say so in `Sec-Fetch-Mode`.
 * Without this header, it shows the deck in its frame.
 */
export function keepFromDeckOrigins({ headers }: IncomingMessage): void {
  const agent = headers['user-agent'] ?? '';
  // Chrome names AppleWebKit, too.
  if (/AppleWebKit\//.test(agent) && !/Chrom/.test(agent)) delete headers['sec-fetch-mode'];
}
