import { usageFailure } from '../../client/src/failure';

/** The address of the local cloud that `npm start` runs. */
export const DEFAULT_BASE_URL = 'http://127.0.0.1:5001/demo-decks/us-central1';

/** Normalises the address: profiles and links are stored with it, so that one address must have one spelling. */
export function parseBaseUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.search || url.hash)
    throw usageFailure(`"${text}" is not a base URL.`, `A base URL looks like ${DEFAULT_BASE_URL}`);
  return url.origin + url.pathname.replace(/\/+$/, '');
}
