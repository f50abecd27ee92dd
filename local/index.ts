import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { readConfiguration } from './configuration';
import { startDataParts, type DataParts } from './data-parts';
import type { MailEvents } from './mail/events';
import { proxyExceptions } from './no-proxy';
import { assertDistinct, listening, portsWith, type Ports } from './ports';
import { bucketOf, DEFAULT_PROJECT, projectRoot } from './project';
import { startSchedules, type Schedules } from './schedules';
import type { Secrets } from './secrets';
import { startSites } from './sites';
import { StartedParts } from './started-parts';
import type { Dispatcher } from './tasks/dispatcher';

export const DEFAULT_DATA_DIR = join(projectRoot, '.local');

export interface LocalCloudOptions {
  project?: string;
  dataDir?: string;
  /** Free ports for every part, and a temporary data folder that `close` deletes (unless `dataDir` is given). */
  ephemeral?: boolean;
  /** 0 picks a free port. */
  ports?: Partial<Ports>;
  /** Whether decks have origins of their own. On by default. */
  deckOrigin?: boolean;
  /** Whether a query needs its index in firestore.indexes.json, as in the cloud. On by default. */
  indexCheck?: boolean;
  /** Whether the cloud's limits for request and response size apply: 32 MiB and 10 MiB, and 30 MiB for pages. */
  platformLimits?: boolean;
  /**
   * Whether scheduled functions run by their schedules, tasks when they are due, and whether the functions are told
   * what becomes of mails. Off by default: a `POST` runs a scheduled function, `queues.runDue` the tasks, and
   * `mailEvents.runDue` tells of mails.
   */
  schedules?: boolean;
  /** Returns the exports of functions/. Called after process.env contains the addresses that the functions need. */
  loadFunctions: () => Promise<Record<string, unknown>>;
}

/** Where the parts answer. URLs have no trailing slash. Hosts are `address:port`. */
export interface Addresses {
  project: string;
  baseUrl: string;
  hostingUrl: string;
  firestoreHost: string;
  storageHost: string;
  authHost: string;
  mailUrl: string;
  /** The origin of decks, with `*` for the label of a deck. Null without deck origins. */
  deckOrigin: string | null;
}

/** A running local cloud. */
export interface LocalCloud extends Addresses {
  dataDir: string;
  /** The URL of Hosting in links to the marketplace. With deck origins it is of one site with them. */
  marketplaceUrl: string;
  firestore: DataParts['firestore'];
  storage: DataParts['storage'];
  /** Undefined when scheduled functions run by a `POST` only. */
  schedules: Schedules | undefined;
  /** The tasks of all queues. */
  queues: Dispatcher;
  /** What the local Resend tells of mails. */
  mailEvents: MailEvents;
  /** The variables that were set in process.env. Another process needs them to use this cloud. */
  environment: Record<string, string>;
  /** Stops every part and releases the data folder. Idempotent. */
  close(): Promise<void>;
}

/**
 * Starts every part of the local cloud in this process and sets its addresses in process.env. Rejects when the data
 * folder or a port is in use; every part that was started is stopped before.
 */
export async function startLocalCloud(options: LocalCloudOptions): Promise<LocalCloud> {
  const { project = DEFAULT_PROJECT, ephemeral = false, indexCheck = true, platformLimits = false } = options;
  const hasDeckOrigin = options.deckOrigin ?? true;
  const ports = portsWith(options.ports ?? {}, { ephemeral, deckOrigin: hasDeckOrigin });
  assertDistinct(ports);
  const started = new StartedParts();
  try {
    const isTemporary = ephemeral && !options.dataDir;
    const dataDir = await openDataFolder(options, isTemporary, started);
    const { hosting: hostingConfig, indexes, cors } = await readConfiguration();
    const { firestore, secrets, storage, auth, mail, tasks, isNew } = await startDataParts({
      folder: { dataDir, isTemporary },
      project,
      cors,
      started,
      indexes: indexCheck ? indexes : undefined,
      listening: (part, start) => listening(part, ports, start),
    });
    const { bucket } = bucketOf(project);

    const firestoreHost = `127.0.0.1:${firestore.port}`;
    const storageHost = `127.0.0.1:${storage.port}`;
    const environment: Record<string, string> = {
      ...configuration(project, bucket, secrets, platformLimits),
      ...proxyExceptions(),
      // Receivers of events run on this machine, unless the environment says `false`.
      WEBHOOK_PRIVATE_TARGETS: process.env['WEBHOOK_PRIVATE_TARGETS'] || 'true',
      FIRESTORE_EMULATOR_HOST: firestoreHost,
      STORAGE_EMULATOR_HOST: storage.url,
      FIREBASE_STORAGE_EMULATOR_HOST: storageHost,
      FIREBASE_AUTH_EMULATOR_HOST: auth.host,
      CLOUD_TASKS_EMULATOR_HOST: tasks.host,
      RESEND_BASE_URL: mail.url,
    };
    Object.assign(process.env, environment);

    const functions = await options.loadFunctions();
    const taskSecret = randomBytes(32);
    const sites = await startSites({ functions, taskSecret, project, hostingConfig, hasDeckOrigin, ports, started });
    const { baseUrl, hostingUrl, marketplaceUrl, deckOrigin } = sites;
    // These addresses are known only now. The functions read them when a request arrives.
    Object.assign(environment, {
      BASE_URL: baseUrl,
      VIEWER_URL: hostingUrl,
      MARKETPLACE_URL: marketplaceUrl,
      DECK_ORIGIN: deckOrigin ?? '',
    });
    Object.assign(process.env, environment);
    // Tasks and schedules start last, because their functions use every other part.
    const kept = isTemporary ? {} : { dataDir, isNew };
    const isTimed = options.schedules ?? false;
    const queues = started.add(tasks.run({ functions, baseUrl, secret: taskSecret, isTimed }));
    const url = `${baseUrl}/receiveMailEvents`;
    const mailEvents = started.add(mail.run({ url, secret: secrets.mailWebhookSecret, isTimed }));
    const schedules = isTimed ? started.add(startSchedules({ functions, baseUrl, ...kept })) : undefined;

    let closing: Promise<void> | undefined;
    return {
      project,
      dataDir,
      ...sites,
      firestoreHost,
      storageHost,
      authHost: auth.host,
      mailUrl: mail.url,
      firestore,
      storage,
      schedules,
      queues,
      mailEvents,
      environment,
      close: () => (closing ??= started.stop()),
    };
  } catch (error) {
    await started.stop();
    throw error;
  }
}

/** Creates the folder when it does not exist. */
async function openDataFolder(
  options: LocalCloudOptions,
  isTemporary: boolean,
  started: StartedParts,
): Promise<string> {
  const dataDir = isTemporary ? await mkdtemp(join(tmpdir(), 'decks-')) : resolve(options.dataDir ?? DEFAULT_DATA_DIR);
  if (isTemporary) started.atEnd(() => rm(dataDir, { recursive: true, force: true }));
  else await mkdir(dataDir, { recursive: true, mode: 0o700 });
  return dataDir;
}

/** The functions' environment, without the addresses of the other parts. */
function configuration(project: string, storageBucket: string, secrets: Secrets, platformLimits: boolean) {
  return {
    GCLOUD_PROJECT: project,
    FIREBASE_CONFIG: JSON.stringify({ projectId: project, storageBucket }),
    GOOGLE_APPLICATION_CREDENTIALS: secrets.serviceAccountFile,
    SERVICE_SECRET: secrets.serviceSecret,
    RESEND_API_KEY: 're_local',
    RESEND_WEBHOOK_SECRET: secrets.mailWebhookSecret,
    // Without this, Google's libraries look for a metadata server, which does not exist here.
    METADATA_SERVER_DETECTION: 'none',
    MAIL_FROM: 'Deckhost <decks@localhost.localdomain>',
    // There is no proxy in front of the local functions.
    TRUSTED_PROXY_HOPS: '0',
    MAX_REQUEST_BYTES: platformLimits ? String(32 * 1024 * 1024) : '0',
    MAX_RESPONSE_BYTES: platformLimits ? String(10 * 1024 * 1024) : '0',
    MAX_PAGE_BYTES: platformLimits ? String(30 * 1024 * 1024) : '0',
  };
}
