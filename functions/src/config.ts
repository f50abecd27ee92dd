import { defineSecret } from 'firebase-functions/params';

/**
 * Everything that differs between deployments. Values are read when a request needs them, never at load. They come from the
 * environment (functions/.env): a parameter of the Firebase CLI would be asked for at every first deploy, and has no default at run time.
 */

export const REGION = 'us-central1';

/** Root of every key that the service derives: one-time codes and stored share links hang on it. */
export const serviceSecret = defineSecret('SERVICE_SECRET');
export const resendApiKey = defineSecret('RESEND_API_KEY');

const MB = 1024 * 1024;

function projectId(): string {
  const id = process.env['GCLOUD_PROJECT'];
  if (!id) throw new Error('GCLOUD_PROJECT is not set: the functions run on Firebase or under `npm start`.');
  return id;
}

/** An address without its trailing slash. */
const url = (name: string, standard: () => string) => (process.env[name] || standard()).replace(/\/+$/, '');

function wholeNumber(name: string, standard: number): number {
  const text = process.env[name] || String(standard);
  if (!/^\d+$/.test(text)) throw new Error(`${name} must be a whole number, not ${JSON.stringify(text)}.`);
  return Number(text);
}

export const config = {
  /** The address under which the functions answer. */
  baseUrl: () => url('BASE_URL', () => `https://${REGION}-${projectId()}.cloudfunctions.net`),
  /** The site that shows shared decks. */
  viewerUrl: () => url('VIEWER_URL', () => `https://${projectId()}.web.app`),
  /** The site that shows the marketplace. */
  marketplaceUrl: () => url('MARKETPLACE_URL', () => `https://${projectId()}.web.app`),
  /** The sender of every mail; its domain must be verified at Resend. */
  mailFrom: () => process.env['MAIL_FROM'] || 'Decks <onboarding@resend.dev>',
  /** How long a call waits for the mail provider, in seconds: less than the sixty that a function has. */
  mailPatienceSeconds: () => wholeNumber('MAIL_PATIENCE_SECONDS', 45),
  /** Half of the first pause before a call of the mail provider is repeated, in milliseconds. The pause doubles, up to ten times this value. */
  mailRetryPauseMs: () => wholeNumber('MAIL_RETRY_PAUSE_MS', 300),
  /** The first pause before a held link is read again, in milliseconds. Each of the four pauses is twice as long as the one before. */
  heldLinkPauseMs: () => wholeNumber('HELD_LINK_PAUSE_MS', 250),
  /** How many proxies in front of the functions write X-Forwarded-For. */
  trustedProxyHops: () => wholeNumber('TRUSTED_PROXY_HOPS', 1),
  /** The largest request that the platform hands to a function, in bytes; `Infinity` (0 in the environment) where it sets no limit. */
  maxRequestBytes: () => wholeNumber('MAX_REQUEST_BYTES', 32 * MB) || Infinity,
  /** The largest streamed answer that the platform lets out, in bytes; `Infinity` (0 in the environment) where it sets no limit. */
  maxResponseBytes: () => wholeNumber('MAX_RESPONSE_BYTES', 10 * MB) || Infinity,
};
