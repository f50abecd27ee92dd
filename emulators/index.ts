import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Addresses } from '../local';
import { readConfiguration } from '../local/configuration';
import { startDataParts, type DataPart } from '../local/data-parts';
import { proxyExceptions } from '../local/no-proxy';
import { DEFAULT_PROJECT, projectRoot } from '../local/project';
import { startSchedules } from '../local/schedules';
import { StartedParts } from '../local/started-parts';
import { addressedAs, emulatedFunctions, scheduled } from './functions';
import { chooseFirestore, startGoogleFirestore } from './google-firestore';
import { FIREBASE_TOOLS_HINT, findFirebaseTools, hasStorageRulesRuntime } from './installed';
import type { Backends, FirestoreChoice } from './options';
import { assertFree, configuredPorts, freePorts } from './ports';
import { startProgram } from './program';
import { patientTimeouts } from './timeouts';
import { writeWorkspace, type OfficialEmulator } from './workspace';

/** The functions' region by default. The emulators of Functions and of Hosting must agree on it. */
const REGION = 'us-central1';
const DEFAULT_WORKSPACE = join(projectRoot, '.build', 'emulators');

export interface EmulatorsOptions {
  project?: string;
  /** Default: the emulators of firebase-tools. */
  backends?: Backends;
  /** Default: Google's emulator when it is installed and `backends` is not `local`. */
  firestore?: FirestoreChoice;
  /**
   * The folder that keeps the data; every part must be the local cloud's. Without a folder, `close` deletes all data.
   */
  dataDir?: string | undefined;
  /** Free ports and a temporary workspace. */
  ephemeral?: boolean;
  /** Whether the scheduled functions run by their schedules. */
  schedules?: boolean;
  /** Takes what firebase-tools and the schedules print. */
  onOutput?: (text: string) => void;
  /** Ends the start: it rejects with the signal's reason when every part has stopped. */
  signal?: AbortSignal;
}

/** The running emulators. They have no deck origins: an emulated function has a path below its host, and CORS is on. */
export interface Emulators extends Addresses {
  deckOrigin: null;
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
  const { project = DEFAULT_PROJECT, backends = 'official', ephemeral = false, dataDir } = options;
  const { onOutput = () => {}, signal } = options;
  const firebase = findFirebaseTools();
  if (!firebase) throw new Error(FIREBASE_TOOLS_HINT);
  const google = chooseFirestore(options.firestore ?? 'auto', backends);

  const ports = ephemeral ? await freePorts() : await configuredPorts();
  if (!ephemeral) await assertFree(ports);
  const started = new StartedParts();
  try {
    const temporary = await mkdtemp(join(tmpdir(), 'decks-emulators-'));
    started.atEnd(() => rm(temporary, { recursive: true, force: true }));
    const folder = { dataDir: dataDir ? resolve(dataDir) : temporary, isTemporary: !dataDir };
    await mkdir(folder.dataDir, { recursive: true, mode: 0o700 });

    // Their Storage emulator does not start without Google's runtime of security rules or a program in its place.
    const isOfficial = backends === 'official';
    const rules = !isOfficial ? 'none' : hasStorageRulesRuntime() ? 'google' : 'stand-in';
    const storageOfficial = isOfficial && (rules === 'google' || process.platform !== 'win32');
    const standsInForRules = storageOfficial && rules === 'stand-in';
    const emulators: OfficialEmulator[] = ['functions', 'tasks', 'hosting'];
    if (storageOfficial) emulators.push('storage');
    if (isOfficial) emulators.push('auth');

    const elsewhere: DataPart[] = [];
    if (google) elsewhere.push('firestore');
    if (storageOfficial) elsewhere.push('storage');
    if (isOfficial) elsewhere.push('auth', 'tasks');
    const { indexes, cors } = await readConfiguration();
    const { secrets, mail, isNew } = await startDataParts({
      folder,
      project,
      indexes,
      cors,
      elsewhere,
      started,
      // Nothing calls the local tasks here. They keep the data folder complete.
      listening: (part, start) => start(part === 'tasks' ? 0 : ports[part]),
    });

    signal?.throwIfAborted();
    const failures: Promise<Error>[] = [];
    if (google) {
      const program = started.add(
        await startGoogleFirestore({ command: google, port: ports.firestore, project, folder: temporary, signal }),
      );
      failures.push(program.ended.then((code) => new Error(`The Firestore emulator ended with code ${code}.`)));
    }

    const firestoreHost = `127.0.0.1:${ports.firestore}`;
    const baseUrl = `http://127.0.0.1:${ports.functions}/${project}/${REGION}`;
    const hostingUrl = `http://127.0.0.1:${ports.hosting}`;
    const storageHost = `127.0.0.1:${ports.storage}`;
    const authHost = `127.0.0.1:${ports.auth}`;
    const workspace = ephemeral ? join(temporary, 'workspace') : DEFAULT_WORKSPACE;
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
        MAIL_FROM: 'Deckhost <decks@localhost.localdomain>',
        RESEND_BASE_URL: mail.url,
        // A key for signed URLs. Their Storage emulator does not check the signature.
        GOOGLE_APPLICATION_CREDENTIALS: secrets.serviceAccountFile,
        // Receivers of events run on this machine.
        WEBHOOK_PRIVATE_TARGETS: 'true',
        // There is no proxy in front of the functions.
        TRUSTED_PROXY_HOPS: '0',
        FIRESTORE_EMULATOR_HOST: firestoreHost,
        STORAGE_EMULATOR_HOST: `http://${storageHost}`,
        ...(google && patientTimeouts),
      },
      secrets: {
        SERVICE_SECRET: secrets.serviceSecret,
        RESEND_API_KEY: 're_local',
        RESEND_WEBHOOK_SECRET: secrets.mailWebhookSecret,
      },
    });
    const program = started.add(
      await startProgram({
        name: 'firebase-tools',
        command: [firebase, 'emulators:start', '--project', project, '--only', emulators.join(',')],
        cwd: workspace,
        env: {
          ...process.env,
          ...addressesFor(storageHost, authHost),
          ...proxyExceptions(),
          ...(standsInForRules && standInEnvironment(workspace)),
          // No questions, and no search for credentials.
          CI: '1',
          METADATA_SERVER_DETECTION: 'none',
        },
        readyWhen: /All emulators ready/,
        onOutput,
        temporary: [temporary],
        signal,
      }),
    );
    failures.push(program.ended.then((code) => new Error(`firebase-tools ended with code ${code}.`)));
    const functions = await emulatedFunctions(ports.functions, signal);
    // The emulators never run scheduled functions. Schedules start last, because they use every other part.
    const kept = dataDir ? { dataDir: folder.dataDir, isNew } : {};
    const log = (line: string) => onOutput(`${line}\n`);
    const schedules = options.schedules
      ? started.add(startSchedules({ functions: scheduled(functions), baseUrl, addressedAs, log, ...kept }))
      : undefined;
    const url = `${baseUrl}/receiveMailEvents`;
    const isTimed = options.schedules ?? false;
    started.add(mail.run({ url, secret: secrets.mailWebhookSecret, isTimed, log }));

    let closing: Promise<void> | undefined;
    return {
      project,
      baseUrl,
      hostingUrl,
      firestoreHost,
      storageHost,
      authHost,
      mailUrl: mail.url,
      dataDir,
      deckOrigin: null,
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
      jobs: schedules?.jobs.map(({ name }) => addressedAs(name)) ?? [],
      failed: Promise.race(failures),
      close: () => (closing ??= started.stop()),
    };
  } catch (error) {
    await started.stop();
    throw error;
  }
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
