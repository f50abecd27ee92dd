import { isDeckOrigin } from '../functions/src/values/deck-origins';

/** Names of resources in Google Cloud have at most 63 characters. The names of the certificate hold the domain. */
const MAX_DOMAIN_LENGTH = 50;
/** Google owns these domains, and no certificate authority issues a certificate for the others. */
const FOREIGN = /(^|\.)(web\.app|firebaseapp\.com|cloudfunctions\.net|run\.app|appspot\.com|localhost|local|test)$/;

/**
 * The origin of decks that a person wrote, as `https://*.decks.example.com`. The scheme may be missing. Throws
 * RangeError for what the deploy cannot serve.
 */
export function deckOriginOf(text: string): string {
  const written = text.toLowerCase().replace(/\/$/, '');
  const origin = written.includes('://') ? written : `https://${written}`;
  if (origin.startsWith('http:')) throw new RangeError('Decks need HTTPS: write https:// or no scheme.');
  if (!isDeckOrigin(origin) || /:\d+$/.test(origin)) {
    throw new RangeError("Write '*.decks.example.com': a star as the first label of a domain, without port and path.");
  }
  const domain = domainOf(origin);
  if (!domain.includes('.') || FOREIGN.test(domain)) {
    throw new RangeError(`${domain} is not a domain of yours: Google issues no certificate for you there.`);
  }
  if (domain.length > MAX_DOMAIN_LENGTH) {
    throw new RangeError(`${domain} has more than ${MAX_DOMAIN_LENGTH} characters.`);
  }
  return origin;
}

/** The domain of which every deck has a label: `decks.example.com` of `https://*.decks.example.com`. */
export const domainOf = (origin: string) => origin.slice('https://*.'.length);
