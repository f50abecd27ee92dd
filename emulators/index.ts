import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { DEFAULT_PROJECT } from '../local';
import { startAuth } from '../local/auth';
import { startFirestore } from '../local/firestore';
import { startMail } from '../local/mail';
import { bucketOf, projectRoot } from '../local/project';
import { startSchedules } from '../local/schedules';
import { openSecrets } from '../local/secrets';
import { startStorage, type CorsRule } from '../local/storage';
import {
  FIREBASE_TOOLS_HINT,
  findFirebaseTools,
  findFirestoreEmulator,
  hasStorageRulesRuntime,
  type Command,
} from './installed';
import type { Backends, FirestoreChoice } from './options';
import { assertFree, configuredPorts, freePorts } from './ports';
import { startProgram } from './program';
import { patientTimeouts } from './timeouts';
import { writeWorkspace, type OfficialEmulator } from './workspace';

type Indexes = NonNullable<Parameters<typeof startFirestore>[0]['indexes']>;

/** The functions' region by default. The emulators of Functions and of Hosting must agree on it. */
const REGION = 'us-central1';
const DEFAULT_WORKSPACE = join(projectRoot, '.build', 'emulators');

export interface EmulatorsOptions {
  project?: string;
  /** Default: the emulators of firebase-tools. */
  backends?: Backends;
  /** Default: Google's emulator when it is installed and `backends` is not `local`. */
  firestore?: FirestoreChoice;
  /** The folder that keeps the data of the local cloud's parts. Without it, `close` deletes all data. */
  dataDir?: string | undefined;
  /** Free ports and a temporary workspace. */
  ephemeral?: boolean;
  /** Whether the scheduled functions run by their schedules. */
  schedules?: boolean;
  /** Takes what firebase-tools and the schedules print. */
  onOutput?: (text: string) => void;
}

/** The running emulators. URLs have no trailing slash. Hosts are `address:port`. */
export interface Emulators {
  project: string;
  baseUrl: string;
  hostingUrl: string;
  firestoreHost: string;
  storageHost: string;
  authHost: string;
  mailUrl: string;
  /** Which program runs each part, in words. */
  providers: Record<'Functions' | 'Hosting' | 'Firestore' | 'Storage' | 'Auth' | 'Mail', string>;
  /** Undefined when all data is deleted at the end. */
  dataDir: string | undefined;
  /** The scheduled functions that run by their schedules, under the names in their addresses. */
  jobs: string[];
  /** Settles when an emulator ends before `close`. */
  failed: Promise<Error>;
  /** Stops every part. Idempotent. */
  close(): Promise<void>;
}

/**
 * Starts firebase-tools' emulators with everything that the functions need. The functions must be built. Rejects when
 * firebase-tools is missing, when a port is taken, and when an emulator does not start; every part that was started is
 * stopped before.
 */
export async function startEmulators(options: EmulatorsOptions = {}): Promise<Emulators> {
  const { project = DEFAULT_PROJECT, backends = 'official', ephemeral = false, dataDir, onOutput = () => {} } = options;
  const firebase = findFirebaseTools();
  if (!firebase) throw new Error(FIREBASE_TOOLS_HINT);
  const google = chooseFirestore(options.firestore ?? 'auto', backends);

  const ports = ephemeral ? await freePorts() : await configuredPorts();
  if (!ephemeral) await assertFree(ports);
  const stops: (() => Promise<void>)[] = [];
  const stop = async () => {
    for (let stopOne = stops.pop(); stopOne; stopOne = stops.pop()) await stopOne();
  };
  const started = <Part extends { close(): Promise<void> }>(part: Part): Part => {
    stops.push(() => part.close());
    return part;
  };

  try {
    const temporary = await mkdtemp(join(tmpdir(), 'decks-emulators-'));
    stops.push(() => rm(temporary, { recursive: true, force: true }));
    const folder = { dataDir: dataDir ? resolve(dataDir) : temporary, isTemporary: !dataDir };
    await mkdir(folder.dataDir, { recursive: true, mode: 0o700 });
    const secrets = await openSecrets(folder.dataDir, project);
    const { indexes, cors } = await readConfiguration();

    const failures: Promise<Error>[] = [];
    const mail = started(await startMail({ ...folder, port: ports.mail }));
    const firestoreHost = `127.0.0.1:${ports.firestore}`;
    if (google) {
      const program = started(await startGoogleFirestore(google, ports.firestore, project, temporary));
      failures.push(program.ended.then((code) => new Error(`The Firestore emulator ended with code ${code}.`)));
    } else {
      started(await startFirestore({ ...folder, port: ports.firestore, indexes }));
    }

    // Their Storage emulator does not start without Google's runtime of security rules or a program in its place.
    const isOfficial = backends === 'official';
    const rules = !isOfficial ? 'none' : hasStorageRulesRuntime() ? 'google' : 'stand-in';
    const storageOfficial = isOfficial && (rules === 'google' || process.platform !== 'win32');
    const emulators: OfficialEmulator[] = ['functions', 'hosting'];
    if (storageOfficial) emulators.push('storage');
    else {
      const { bucket, aliases } = bucketOf(project);
      const { signingKey } = secrets;
      started(await startStorage({ ...folder, port: ports.storage, buckets: [bucket], aliases, signingKey, cors }));
    }
    if (isOfficial) emulators.push('auth');
    else started(await startAuth({ ...folder, port: ports.auth, project }));

    const baseUrl = `http://127.0.0.1:${ports.functions}/${project}/${REGION}`;
    const hostingUrl = `http://127.0.0.1:${ports.hosting}`;
    const storageHost = `127.0.0.1:${ports.storage}`;
    const authHost = `127.0.0.1:${ports.auth}`;
    const workspace = ephemeral ? join(temporary, 'workspace') : DEFAULT_WORKSPACE;
    const standsInForRules = storageOfficial && rules === 'stand-in';
    await writeWorkspace({
      folder: workspace,
      ports,
      emulators,
      standsInForRules,
      environment: {
        REGION,
        BASE_URL: baseUrl,
        VIEWER_URL: hostingUrl,
        MARKETPLACE_URL: hostingUrl,
        MAIL_FROM: 'Decks <decks@localhost.localdomain>',
        RESEND_BASE_URL: mail.url,
        // A key for signed URLs. Their Storage emulator does not check the signature.
        GOOGLE_APPLICATION_CREDENTIALS: secrets.serviceAccountFile,
        // There is no proxy in front of the functions.
        TRUSTED_PROXY_HOPS: '0',
        FIRESTORE_EMULATOR_HOST: firestoreHost,
        STORAGE_EMULATOR_HOST: `http://${storageHost}`,
        ...(google && patientTimeouts),
      },
      secrets: { SERVICE_SECRET: secrets.serviceSecret, RESEND_API_KEY: 're_local' },
    });
    const program = started(
      await startProgram({
        name: 'firebase-tools',
        command: [firebase, 'emulators:start', '--project', project, '--only', emulators.join(',')],
        cwd: workspace,
        env: {
          ...process.env,
          ...addressesFor(storageHost, authHost),
          ...(standsInForRules && standInEnvironment(workspace)),
          // No questions, and no search for credentials.
          CI: '1',
          METADATA_SERVER_DETECTION: 'none',
        },
        readyWhen: /All emulators ready/,
        onOutput,
      }),
    );
    failures.push(program.ended.then((code) => new Error(`firebase-tools ended with code ${code}.`)));
    const functions = await emulatedFunctions(ports.functions);
    // The emulators never run scheduled functions. Schedules start last, because they use every other part.
    const kept = dataDir ? { dataDir: folder.dataDir } : {};
    const log = (line: string) => onOutput(`${line}\n`);
    const schedules = options.schedules
      ? started(startSchedules({ functions: scheduled(functions), baseUrl, log, ...kept }))
      : undefined;

    let closing: Promise<void> | undefined;
    return {
      ...{ project, baseUrl, hostingUrl, firestoreHost, storageHost, authHost, mailUrl: mail.url, dataDir },
      providers: {
        Functions: 'firebase-tools',
        Hosting: 'firebase-tools',
        Firestore: google ? "Google's Firestore emulator" : "the local cloud's engine",
        Storage: storageOfficial
          ? `firebase-tools${standsInForRules ? ', with a stand-in for the rules of storage.rules' : ''}`
          : 'the local cloud',
        Auth: isOfficial ? 'firebase-tools' : 'the local cloud',
        Mail: 'the local cloud',
      },
      jobs: schedules?.jobs.map(({ name }) => name) ?? [],
      failed: Promise.race(failures),
      close: () => (closing ??= stop()),
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The command of Google's Firestore emulator, or undefined for the local engine. */
function chooseFirestore(choice: FirestoreChoice, backends: Backends): Command | undefined {
  if (choice === 'local' || (choice === 'auto' && backends === 'local')) return undefined;
  const found = findFirestoreEmulator();
  if (!found && choice === 'google') {
    throw new Error(
      'The Firestore emulator or Java is not installed: run `firebase setup:emulators:firestore` (Java 21), or `gcloud components install cloud-firestore-emulator` (Java 17).',
    );
  }
  return found;
}

function startGoogleFirestore([java, ...args]: Command, port: number, project: string, folder: string) {
  const rules = join(projectRoot, 'firestore.rules');
  return startProgram({
    name: "Google's Firestore emulator",
    command: [java, ...args, '--host=127.0.0.1', `--port=${port}`, `--rules=${rules}`, `--project_id=${project}`],
    cwd: folder,
    env: process.env,
    readyWhen: /Dev App Server is now running/,
    onOutput: () => {},
  });
}

/** The configuration files that are deployed with the functions. */
async function readConfiguration() {
  const read = async (file: string) => JSON.parse(await readFile(join(projectRoot, file), 'utf8')) as unknown;
  return {
    indexes: (await read('firestore.indexes.json')) as Indexes,
    cors: (await read('storage.cors.json')) as CorsRule[],
  };
}

/**
 * Addresses whose names begin with FIREBASE_, which files with variables of functions must not contain. firebase-tools
 * passes its own environment on to the functions.
 */
const addressesFor = (storageHost: string, authHost: string) => ({
  FIREBASE_STORAGE_EMULATOR_HOST: storageHost,
  FIREBASE_AUTH_EMULATOR_HOST: authHost,
});

const standInEnvironment = (workspace: string) => ({
  // firebase-tools looks for `java`, and for the runtime of the rules. It must find both.
  PATH: `${join(workspace, 'bin')}:${process.env['PATH'] ?? ''}`,
  STORAGE_EMULATOR_BINARY_PATH: join(workspace, 'bin', 'java'),
});

/** A function of the emulator, with the trigger of its schedule. */
interface EmulatedFunction {
  id: string;
  region: string;
  schedule?: object;
  timeoutSeconds?: number;
}

/** The functions that the emulator has loaded. Throws when there is none: the emulator starts without them. */
async function emulatedFunctions(port: number): Promise<EmulatedFunction[]> {
  const response = await fetch(`http://127.0.0.1:${port}/backends`);
  const { backends } = (await response.json()) as { backends: { functionTriggers: EmulatedFunction[] }[] };
  const functions = backends.flatMap(({ functionTriggers }) => functionTriggers);
  if (functions.length > 0) return functions;
  throw new Error('The Functions emulator has loaded no function. Its output tells the reason.');
}

/** The scheduled functions under the names that their addresses have in the emulator, such as `finishDeletions-0`. */
function scheduled(functions: readonly EmulatedFunction[]): Record<string, unknown> {
  const entries = functions.flatMap(({ id, region, schedule: scheduleTrigger, timeoutSeconds }) =>
    scheduleTrigger ? [[`${id.slice(region.length + 1)}-0`, { __endpoint: { scheduleTrigger, timeoutSeconds } }]] : [],
  );
  return Object.fromEntries(entries) as Record<string, unknown>;
}
