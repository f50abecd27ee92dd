import type { IncomingMessage } from 'node:http';

/**
 * The address on the host of the site, for a page that a browser opens in a whole window at another host of this
 * machine. Undefined when the request came to the host of the site. A browser keeps a cookie for one host only, so all
 * pages of the site must have the same.
 */
export function addressOnSiteHost(
  { method, headers, url = '/' }: IncomingMessage,
  siteHost: string,
): string | undefined {
  const isWindow = headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document';
  if (method !== 'GET' || !isWindow) return undefined;
  const { hostname, port } = new URL(`http://${headers.host}`);
  return hostname === siteHost ? undefined : `http://${siteHost}:${port}${url}`;
}
