import { defineInt, defineSecret, defineString } from 'firebase-functions/params';

/** Everything that differs between deployments. Values are read when a request needs them, never at load. */

export const REGION = 'us-central1';

const baseUrlParameter = defineString('BASE_URL', {
  default: '',
  description: 'Address under which the functions answer. Empty: the address that Firebase gives them.',
});
const viewerUrlParameter = defineString('VIEWER_URL', {
  default: '',
  description: "Address of the pages that show shared decks. Empty: the project's own Hosting site.",
});
const mailFrom = defineString('MAIL_FROM', {
  default: 'Decks <onboarding@resend.dev>',
  description: 'Sender of every mail; its domain must be verified at Resend.',
});
const trustedProxyHops = defineInt('TRUSTED_PROXY_HOPS', {
  default: 1,
  description: 'How many proxies in front of the functions write X-Forwarded-For.',
});
const maxRequestBytes = defineInt('MAX_REQUEST_BYTES', {
  default: 32 * 1024 * 1024,
  description: 'Largest request that the platform hands to a function, in bytes; 0 means no limit.',
});
const maxResponseBytes = defineInt('MAX_RESPONSE_BYTES', {
  default: 10 * 1024 * 1024,
  description: 'Largest streamed response that the platform lets out, in bytes; 0 means no limit.',
});

/** Root of every key that the service derives: one-time codes and stored share links hang on it. */
export const serviceSecret = defineSecret('SERVICE_SECRET');
export const resendApiKey = defineSecret('RESEND_API_KEY');

function projectId(): string {
  const id = process.env['GCLOUD_PROJECT'];
  if (!id) throw new Error('GCLOUD_PROJECT is not set: the functions run on Firebase or under `npm start`.');
  return id;
}

const withoutTrailingSlash = (url: string) => url.replace(/\/+$/, '');

/** Addresses have no trailing slash. */
export const config = {
  baseUrl: () =>
    withoutTrailingSlash(baseUrlParameter.value() || `https://${REGION}-${projectId()}.cloudfunctions.net`),
  viewerUrl: () => withoutTrailingSlash(viewerUrlParameter.value() || `https://${projectId()}.web.app`),
  mailFrom: () => mailFrom.value(),
  trustedProxyHops: () => trustedProxyHops.value(),
  /** `Infinity` where the platform sets no limit. */
  maxRequestBytes: () => maxRequestBytes.value() || Infinity,
  /** `Infinity` where the platform sets no limit. */
  maxResponseBytes: () => maxResponseBytes.value() || Infinity,
};
