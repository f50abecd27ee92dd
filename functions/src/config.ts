import { defineSecret } from 'firebase-functions/params';
import { version } from '../package.json';
import { DEFAULT_CPU_QUOTA } from './values/cpu-quota';
import { isDeckOrigin } from './values/deck-origins';
import { MB } from './values/units';

/**
 * The settings of a deployment. They come from the environment (functions/.env) and are read when a request needs them.
 * Parameters of the Firebase CLI are not used: it would ask for each of them at the first deploy, and they have no
 * default at run time.
 */

/** The region of the functions. The Firebase CLI passes functions/.env on when it lists the functions for a deploy. */
export const region = (): string => process.env['REGION'] || 'us-central1';

/** The service account of the functions; undefined for the default account of Compute Engine. */
export const serviceAccount = (): string | undefined => process.env['SERVICE_ACCOUNT'] || undefined;

/**
 * The CPU quota of the project in the region, in vCPU. It limits the instances of the functions and is read when they
 * are listed for a deploy. Throws below that of a new project.
 */
export function cpuQuota(): number {
  const quota = wholeNumber('CPU_QUOTA', DEFAULT_CPU_QUOTA);
  if (quota < DEFAULT_CPU_QUOTA) throw new Error(`CPU_QUOTA must be at least ${DEFAULT_CPU_QUOTA}, not ${quota}.`);
  return quota;
}

/** Whether one instance of each viewer and each page always runs, read when the functions are listed for a deploy. */
export const isWarm = (): boolean => process.env['WARM'] === '1';

/**
 * The secrets from which the service derives its keys, such as those for one-time codes and stored share links: one on
 * each line, the newest first. Functions that read `serviceSecrets` declare this parameter.
 */
export const serviceSecret = defineSecret('SERVICE_SECRET');

const linesOf = (secret: { value: () => string }) =>
  secret
    .value()
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
const secretLines = () => linesOf(serviceSecret);

/** The smallest number of characters of a secret that keys are derived from. */
const MIN_SECRET_LENGTH = 16;

export const serviceSecrets = {
  /** The secret that seals, signs and hashes what is stored from now on. Throws when it is missing or too short. */
  current(): string {
    const [line = ''] = secretLines();
    if (line.length >= MIN_SECRET_LENGTH) return line;
    throw new Error(`The first line of SERVICE_SECRET is missing or shorter than ${MIN_SECRET_LENGTH} characters.`);
  },
  /** The secrets of the parameter, the current one first. */
  configured: secretLines,
  /**
   * Every secret that opens and verifies what is stored, the current one first. Other lines that are too short are
   * ignored. Throws as `current` does.
   */
  accepted(): readonly string[] {
    const lines = [serviceSecrets.current(), ...secretLines().filter((line) => line.length >= MIN_SECRET_LENGTH)];
    return [...new Set(lines)];
  },
};
export const resendApiKey = defineSecret('RESEND_API_KEY');

/**
 * The secrets with which Resend signs what it tells of mails: one on each line, so that both are accepted while the
 * secret is changed. The deploy sets `none` when the operator has no webhook at Resend.
 */
export const resendWebhookSecret = defineSecret('RESEND_WEBHOOK_SECRET');

export const resendWebhookSecrets = (): string[] =>
  linesOf(resendWebhookSecret).filter((line) => line.startsWith('whsec_'));

function projectId(): string {
  const id = process.env['GCLOUD_PROJECT'];
  if (!id) throw new Error('GCLOUD_PROJECT is not set: the functions run on Firebase or under `npm start`.');
  return id;
}

/** The address of the emulator of Cloud Storage, as the client library and the Admin SDK find it. */
function storageEmulator(): string | undefined {
  const host = variable('FIREBASE_STORAGE_EMULATOR_HOST');
  const address = variable('STORAGE_EMULATOR_HOST') || (host && `http://${host}`);
  return address?.replace(/(?<!\/)\/+$/, '');
}

/** The name of the project's bucket, as the Admin SDK finds it. The platform sets FIREBASE_CONFIG. */
function bucketName(): string {
  const { storageBucket } = JSON.parse(variable('FIREBASE_CONFIG') || '{}') as { storageBucket?: string };
  if (!storageBucket) throw new Error('FIREBASE_CONFIG does not name a bucket.');
  return storageBucket;
}

/** A URL without trailing slashes. */
const url = (name: string, fallback: () => string) => (variable(name) || fallback()).replace(/(?<!\/)\/+$/, '');

function deckOrigin(): string | undefined {
  const origin = variable('DECK_ORIGIN') || undefined;
  if (origin === undefined || isDeckOrigin(origin)) return origin;
  throw new Error(`DECK_ORIGIN must be an origin such as https://*.decks.example.com, not ${JSON.stringify(origin)}.`);
}

/** What the environment has, read once in a turn of the event loop: a request needs several settings. */
let known: Map<string, string | undefined> | undefined;

/** A variable of the environment. Each read of `process.env` costs about as much as a header of an answer. */
function variable(name: string): string | undefined {
  if (!known) {
    known = new Map();
    setImmediate(() => (known = undefined));
  }
  if (!known.has(name)) known.set(name, process.env[name]);
  return known.get(name);
}

function wholeNumber(name: string, fallback: number): number {
  const text = variable(name);
  if (!text) return fallback;
  if (!/^\d+$/.test(text)) throw new Error(`${name} must be a whole number, not ${JSON.stringify(text)}.`);
  return Number(text);
}

export const config = {
  /** The id of the project, whose services the functions use. */
  projectId,
  /**
   * The function that the platform starts this instance for; undefined in Firebase's emulator and under `npm start`.
   */
  deployedFunction: () => (variable('FUNCTIONS_EMULATOR') ? undefined : variable('FUNCTION_TARGET')),
  /** The host and port of the emulator of Firestore, as the Admin SDK finds it; undefined in the cloud. */
  firestoreEmulator: () => variable('FIRESTORE_EMULATOR_HOST') || undefined,
  /** The id of the database: after a restore the service runs on a named one (docs/operating.md, Restore data). */
  databaseId: () => variable('DATABASE_ID') || '(default)',
  storageEmulator,
  bucketName,
  /** The version of the deployed service. */
  version: () => version,
  /** The name of a trace of the platform, as Cloud Logging reads it. */
  traceName: (id: string) => `projects/${projectId()}/traces/${id}`,
  /** The base URL of the functions. */
  baseUrl: () => url('BASE_URL', () => `https://${region()}-${projectId()}.cloudfunctions.net`),
  /** The base URL of the site that shows shared decks. */
  viewerUrl: () => url('VIEWER_URL', () => `https://${projectId()}.web.app`),
  /** The base URL of the site that shows the marketplace. */
  marketplaceUrl: () => url('MARKETPLACE_URL', () => `https://${projectId()}.web.app`),
  /** The origins of the site. */
  siteOrigins: () => [
    ...new Set([config.viewerUrl(), config.marketplaceUrl()].map((address) => new URL(address).origin)),
  ],
  /** How long views of readers are kept, in days. */
  viewRetentionDays: () => wholeNumber('VIEW_RETENTION_DAYS', 400),
  /**
   * Whether webhooks may have addresses of private networks, without TLS and on any port. The local cloud sets it, and
   * a deploy refuses it: a webhook could then call what the functions reach and strangers do not.
   */
  allowsPrivateWebhooks: () => variable('WEBHOOK_PRIVATE_TARGETS') === 'true',
  /** Whether browsers reach the site over TLS: everywhere except in the local cloud. */
  isSiteSecure: () => new URL(config.viewerUrl()).protocol === 'https:',
  /** The address of the packed client. The build of the site makes this file. */
  clientUrl: () => `${config.viewerUrl()}/deckhost.tgz`,
  /**
   * The origin of shared decks, with `*` for the label of a deck: `https://*.decks.example.com`. Undefined when the
   * service has no deck origins. Throws when the value has another form.
   */
  deckOrigin,
  /** The sender of mails. Its domain must be verified at Resend. */
  mailFrom: () => process.env['MAIL_FROM'] || 'Deckhost <onboarding@resend.dev>',
  /**
   * How long an attempt of a call of Firestore, Cloud Storage or Firebase Auth waits for the next answer or the next
   * bytes, in milliseconds.
   */
  attemptTimeoutMs: () => wholeNumber('ATTEMPT_TIMEOUT_MS', 12_000),
  /** How long such a call may take with its retries, in milliseconds, or with its retries after the last bytes. */
  callTimeoutMs: () => wholeNumber('CALL_TIMEOUT_MS', 40_000),
  /** `sdk` to read and commit outside of transactions with the Admin SDK, instead of the small client. */
  firestoreClient: () => variable('FIRESTORE_CLIENT'),
  /** The average pause before the second attempt of such a call, in milliseconds. The pause doubles. */
  retryPauseMs: () => wholeNumber('RETRY_PAUSE_MS', 500),
  /**
   * How long an uploaded file waits for the transaction that records other files of its deck, in milliseconds. Then
   * another transaction starts beside it.
   */
  uploadGroupPatienceMs: () => wholeNumber('UPLOAD_GROUP_PATIENCE_MS', 100),
  /**
   * How long a call waits for the mail provider, in seconds. It must be less than the time that the shortest function
   * that mails may run.
   */
  mailPatienceSeconds: () => wholeNumber('MAIL_PATIENCE_SECONDS', 45),
  /**
   * The average pause before a call of the mail provider is repeated, in milliseconds. The pause doubles, up to 8 times
   * this value.
   */
  mailRetryPauseMs: () => wholeNumber('MAIL_RETRY_PAUSE_MS', 600),
  /**
   * The first pause before a held link is read again, in milliseconds. Each of the four pauses is twice as long as the
   * one before.
   */
  heldLinkPauseMs: () => wholeNumber('HELD_LINK_PAUSE_MS', 250),
  /** How often an instance looks after its streams of live sessions, in milliseconds. */
  liveBeatMs: () => wholeNumber('LIVE_BEAT_MS', 5_000),
  /** The most followers whose streams an instance holds. Others ask every few seconds, which needs places, too. */
  liveStreams: () => wholeNumber('LIVE_STREAMS', 900),
  /** How long the last byte of an opened deck waits until its view is counted, in milliseconds. */
  viewPatienceMs: () => wholeNumber('VIEW_PATIENCE_MS', 250),
  /** How long the page of a share link waits for its description and its picture, in milliseconds. */
  previewPatienceMs: () => wholeNumber('PREVIEW_PATIENCE_MS', 2_000),
  /**
   * How long a request waits for its body when the client sends nothing, in milliseconds. Each received byte adds to
   * the time: see http/body-clock.
   */
  bodyTimeoutMs: () => wholeNumber('BODY_TIMEOUT_MS', 15_000),
  /** How many proxies in front of the functions write X-Forwarded-For. */
  trustedProxyHops: () => wholeNumber('TRUSTED_PROXY_HOPS', 1),
  /** The largest request that the platform accepts, in bytes. 0 in the environment means no limit (`Infinity`). */
  maxRequestBytes: () => wholeNumber('MAX_REQUEST_BYTES', 32 * MB) || Infinity,
  /**
   * The largest file in one answer, in bytes. The service redirects to larger ones, except HTML, SVG and XML. 0 in the
   * environment means no limit (`Infinity`).
   */
  maxResponseBytes: () => wholeNumber('MAX_RESPONSE_BYTES', 10 * MB) || Infinity,
  /**
   * The largest HTML, SVG or XML file that a new version may have, in bytes (docs/decisions.md, Pages fit into one
   * answer). 0 in the environment means no limit (`Infinity`).
   */
  maxPageBytes: () => wholeNumber('MAX_PAGE_BYTES', 30 * MB) || Infinity,
};
