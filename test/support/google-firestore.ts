import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, realpathSync } from 'node:fs';
import net, { type AddressInfo } from 'node:net';
import { homedir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';

/** Google's Firestore emulator as a process. `port` is its gRPC port. */
export interface GoogleFirestore {
  port: number;
  close(): Promise<void>;
}

const MAIN_CLASS = 'com.google.cloud.datastore.emulator.firestore.CloudFirestore';
const JAR = /^cloud-firestore-emulator.*\.jar$/;
const READY_SECONDS = 60;

/**
 * The path of Google's Firestore emulator: that of `FIRESTORE_EMULATOR_JAR`, of the Google Cloud SDK whose `gcloud` is
 * on the PATH, or of firebase-tools' cache. Undefined when there is none, or no `java`.
 */
export function findGoogleFirestore(): string | undefined {
  if (spawnSync('java', ['-version']).status !== 0) return undefined;
  const given = process.env['FIRESTORE_EMULATOR_JAR'];
  if (given) return given;
  const gcloud = (process.env['PATH'] ?? '')
    .split(delimiter)
    .map((folder) => join(folder, 'gcloud'))
    .find((path) => existsSync(path));
  const folders = [join(homedir(), '.cache/firebase/emulators')];
  if (gcloud) folders.push(join(dirname(realpathSync(gcloud)), '../platform/cloud-firestore-emulator'));
  return folders
    .filter((folder) => existsSync(folder))
    .flatMap((folder) => readdirSync(folder).map((name) => ({ folder, name })))
    .filter(({ name }) => JAR.test(name))
    .map(({ folder, name }) => join(folder, name))
    .at(-1);
}

/** Starts the emulator on a free port. Rejects when it does not accept connections within 60 seconds. */
export async function startGoogleFirestore(jar: string): Promise<GoogleFirestore> {
  const port = await freePort();
  const args = ['-Duser.language=en', '-cp', jar, MAIN_CLASS, 'start', '--host=127.0.0.1', `--port=${port}`];
  const child = spawn('java', args, { stdio: 'ignore' });
  const exited = once(child, 'exit');
  try {
    await untilListening(child, port);
  } catch (error) {
    child.kill('SIGKILL');
    throw error;
  }
  const close = async () => {
    child.kill('SIGKILL');
    await exited;
  };
  return { port, close };
}

async function freePort(): Promise<number> {
  const server = net.createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

async function untilListening(child: ChildProcess, port: number): Promise<void> {
  for (const until = performance.now() + READY_SECONDS * 1000; performance.now() < until;) {
    if (child.exitCode !== null) throw new Error(`The emulator ended with the exit code ${child.exitCode}.`);
    const socket = net.connect(port, '127.0.0.1');
    const isOpen = await once(socket, 'connect').then(
      () => true,
      () => false,
    );
    socket.destroy();
    if (isOpen) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`The emulator does not listen within ${READY_SECONDS} s.`);
}
