import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { startAuth } from './auth';
import { startFirestore } from './firestore';
import { startHost } from './host';
import { startHosting, type HostingConfig } from './hosting';
import { startMail } from './mail';
import { projectRoot } from './project';
import { openSecrets, type Secrets } from './secrets';
import { startStorage, type CorsRule } from './storage';

export interface Ports {
  functions: number;
  hosting: number;
  firestore: number;
  storage: number;
  auth: number;
  mail: number;
}

export const defaultPorts: Ports = {
  functions: 5001,
  hosting: 5000,
  firestore: 8080,
  storage: 9199,
  auth: 9099,
  mail: 5080,
};
const freePorts: Ports = { functions: 0, hosting: 0, firestore: 0, storage: 0, auth: 0, mail: 0 };

export const DEFAULT_PROJECT = 'demo-decks';
const DEFAULT_DATA_DIR = join(projectRoot, '.local');

type FirestoreServer = Awaited<ReturnType<typeof startFirestore>>;
type StorageServer = Awaited<ReturnType<typeof startStorage>>;
type IndexFile = Parameters<typeof startFirestore>[0]['indexes'];

export interface LocalCloudOptions {
  project?: string;
  dataDir?: string;
  /** A temporary data folder that goes with the cloud, and free ports for every part. */
  ephemeral?: boolean;
  /** 0 picks a free one. */
  ports?: Partial<Ports>;
  /** Whether queries need their index of firestore.indexes.json, as in the cloud. On by default. */
  indexCheck?: boolean;
  /** Whether the cloud's own limits of request and response size apply. */
  platformLimits?: boolean;
  /** Answers the exports of functions/; called when process.env names the parts that the functions talk to. */
  loadFunctions: () => Promise<Record<string, unknown>>;
}

/** A running local cloud. Urls have no trailing slash; hosts are `address:port`. */
export interface LocalCloud {
  project: string;
  dataDir: string;
  baseUrl: string;
  hostingUrl: string;
  firestoreHost: string;
  storageHost: string;
  authHost: string;
  mailUrl: string;
  firestore: FirestoreServer;
  storage: StorageServer;
  /** What was set in process.env, for other processes that are to talk to this cloud. */
  environment: Record<string, string>;
  /** Stops every part and lets go of the data folder. May be called twice. */
  close(): Promise<void>;
}

/**
 * Starts every part of the local cloud in this process and points process.env at it. Rejects, with nothing left running,
 * when the data folder is in use or a port is taken.
 */
export async function startLocalCloud(options: LocalCloudOptions): Promise<LocalCloud> {
  const { project = DEFAULT_PROJECT, ephemeral = false, indexCheck = true, platformLimits = false } = options;
  const ports = { ...(ephemeral ? freePorts : defaultPorts), ...options.ports };
  // What was started, in order: it is stopped in the opposite one.
  const stops: (() => Promise<void>)[] = [];
  const stop = async () => {
    for (let stopOne = stops.pop(); stopOne; stopOne = stops.pop()) await stopOne();
  };
  const started = <Part extends { close(): Promise<void> }>(part: Part): Part => {
    stops.push(() => part.close());
    return part;
  };

  try {
    const dataDir = await openDataFolder(options, stops);
    const { hosting: hostingConfig, indexes, cors } = await readConfiguration();
    // First of all: it refuses a data folder that another process works on.
    const firestore = started(await startFirestore({ dataDir, port: ports.firestore, ...(indexCheck && { indexes }) }));
    const secrets = await openSecrets(dataDir, project);
    const bucket = `${project}.firebasestorage.app`;

    const { signingKey } = secrets;
    const storage = started(await startStorage({ dataDir, port: ports.storage, buckets: [bucket], signingKey, cors }));
    const auth = started(await startAuth({ dataDir, port: ports.auth, project }));
    const mail = started(await startMail({ dataDir, port: ports.mail }));

    const firestoreHost = `127.0.0.1:${firestore.port}`;
    const storageHost = `127.0.0.1:${storage.port}`;
    const environment: Record<string, string> = {
      ...configuration(project, bucket, secrets, platformLimits),
      FIRESTORE_EMULATOR_HOST: firestoreHost,
      STORAGE_EMULATOR_HOST: storage.url,
      FIREBASE_STORAGE_EMULATOR_HOST: storageHost,
      FIREBASE_AUTH_EMULATOR_HOST: auth.host,
      RESEND_BASE_URL: mail.url,
    };
    Object.assign(process.env, environment);

    const functions = await options.loadFunctions();
    const host = started(await startHost({ functions, project, port: ports.functions, platformLimits }));
    const { baseUrl } = host;
    const hosting = started(
      await startHosting({ config: hostingConfig, root: projectRoot, functionsBaseUrl: baseUrl, port: ports.hosting }),
    );
    // These two are known last; the functions ask for them when a request comes in.
    Object.assign(environment, { BASE_URL: baseUrl, VIEWER_URL: hosting.url, MARKETPLACE_URL: hosting.url });
    Object.assign(process.env, environment);

    let closing: Promise<void> | undefined;
    return {
      project,
      dataDir,
      baseUrl,
      hostingUrl: hosting.url,
      firestoreHost,
      storageHost,
      authHost: auth.host,
      mailUrl: mail.url,
      firestore,
      storage,
      environment,
      close: () => (closing ??= stop()),
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Makes the folder where it is missing. */
async function openDataFolder(options: LocalCloudOptions, stops: (() => Promise<void>)[]): Promise<string> {
  const isTemporary = options.ephemeral && !options.dataDir;
  const dataDir = isTemporary ? await mkdtemp(join(tmpdir(), 'decks-')) : resolve(options.dataDir ?? DEFAULT_DATA_DIR);
  if (isTemporary) stops.push(() => rm(dataDir, { recursive: true, force: true }));
  else await mkdir(dataDir, { recursive: true, mode: 0o700 });
  return dataDir;
}

/** What is deployed beside the functions. */
async function readConfiguration() {
  const read = async (file: string) => JSON.parse(await readFile(join(projectRoot, file), 'utf8')) as unknown;
  const config = (await read('firebase.json')) as { hosting: HostingConfig; firestore: { indexes: string } };
  return {
    hosting: config.hosting,
    indexes: (await read(config.firestore.indexes)) as NonNullable<IndexFile>,
    cors: (await read('storage.cors.json')) as CorsRule[],
  };
}

/** The part of the functions' environment that depends on no address. */
function configuration(project: string, storageBucket: string, secrets: Secrets, platformLimits: boolean) {
  return {
    GCLOUD_PROJECT: project,
    FIREBASE_CONFIG: JSON.stringify({ projectId: project, storageBucket }),
    GOOGLE_APPLICATION_CREDENTIALS: secrets.serviceAccountFile,
    SERVICE_SECRET: secrets.serviceSecret,
    RESEND_API_KEY: 're_local',
    // Google's libraries look for a metadata server otherwise, which is not there.
    METADATA_SERVER_DETECTION: 'none',
    MAIL_FROM: 'Decks <decks@localhost.localdomain>',
    // Nothing stands in front of the local functions.
    TRUSTED_PROXY_HOPS: '0',
    MAX_REQUEST_BYTES: platformLimits ? String(32 * 1024 * 1024) : '0',
    MAX_RESPONSE_BYTES: platformLimits ? String(10 * 1024 * 1024) : '0',
  };
}
