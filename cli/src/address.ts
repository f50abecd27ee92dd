import { usageFailure } from './failure';
import type { Address } from './keys';

/** The local cloud that `npm start` runs. */
export const defaultBaseUrl = 'http://127.0.0.1:5001/demo-decks/us-central1';

/** `--base-url`, else DECK_BASE_URL, else what the folder remembers, else the local cloud. */
export function resolveAddress(option: string | undefined, remembered?: string): Address {
  const named = option ?? (process.env['DECK_BASE_URL'] || undefined);
  return {
    baseUrl: parseBaseUrl(named ?? remembered ?? defaultBaseUrl),
    isFromFolder: !named && remembered !== undefined,
  };
}

/** One spelling for each address, since keys and decks are remembered by it. */
function parseBaseUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.search || url.hash)
    throw usageFailure(`"${text}" is no base URL.`, `It looks like ${defaultBaseUrl}`);
  return url.origin + url.pathname.replace(/\/+$/, '');
}

/** Whether a key would travel in the clear over a network. */
export function isInsecure(baseUrl: string): boolean {
  const { protocol, hostname } = new URL(baseUrl);
  return protocol === 'http:' && !/^(localhost|.*\.localhost|127\.[\d.]+|\[::1\])$/.test(hostname);
}
