import { usageFailure } from '../../client/src/failure';

/** The address of the local cloud that `npm start` runs. */
export const DEFAULT_BASE_URL = 'http://127.0.0.1:5001/demo-decks/us-central1';

/**
 * The address of the service. `isFromFolder` is true when the user did not name it and the folder's `.deck.json` did.
 */
export interface Address {
  baseUrl: string;
  isFromFolder: boolean;
}

/** The first that exists of: `--base-url`, DECK_BASE_URL, the address in the folder's `.deck.json`, the local cloud. */
export function resolveAddress(option: string | undefined, remembered?: string): Address {
  const named = option ?? (process.env['DECK_BASE_URL'] || undefined);
  return {
    baseUrl: parseBaseUrl(named ?? remembered ?? DEFAULT_BASE_URL),
    isFromFolder: !named && remembered !== undefined,
  };
}

/** Normalises the address: keys and decks are stored under it, so that one address must have one spelling. */
function parseBaseUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.search || url.hash)
    throw usageFailure(`"${text}" is not a base URL.`, `It looks like ${DEFAULT_BASE_URL}`);
  return url.origin + url.pathname.replace(/\/+$/, '');
}
