import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { projectRoot } from '../local/project';

/** The oldest Java that firebase-tools 15 accepts for its own emulators. */
const FIREBASE_JAVA = 21;
/** The oldest Java with which the Firestore emulator of the Google Cloud SDK was tried. */
const SDK_JAVA = 17;

/** A command: a program and its first arguments. */
export type Command = readonly [program: string, ...args: string[]];

/** How to get firebase-tools. */
export const FIREBASE_TOOLS_HINT =
  'firebase-tools is not installed: run `npm install --global firebase-tools`, or set FIREBASE_TOOLS to its `firebase` command.';

/**
 * The command `firebase`: the one that FIREBASE_TOOLS names, the one in node_modules, or the one on PATH. Undefined
 * when there is none.
 */
export function findFirebaseTools(environment: NodeJS.ProcessEnv = process.env): string | undefined {
  const named = environment['FIREBASE_TOOLS'];
  if (named) return existsSync(named) ? named : undefined;
  const local = join(projectRoot, 'node_modules', '.bin', executable('firebase'));
  return existsSync(local) ? local : onPath('firebase', environment);
}

/**
 * The command that starts Google's Firestore emulator, without its options. Undefined when the emulator or a suitable
 * Java is not installed.
 */
export function findFirestoreEmulator(): Command | undefined {
  const java = findJava();
  if (!java) return undefined;
  const candidates = [
    { jar: newest(emulatorCache(), /^cloud-firestore-emulator-v.*\.jar$/), version: FIREBASE_JAVA },
    { jar: sdkJar(), version: SDK_JAVA },
  ];
  const found = candidates.find(({ jar, version }) => jar && java.version >= version)?.jar;
  const main = 'com.google.cloud.datastore.emulator.firestore.CloudFirestore';
  // The emulator supports English messages only.
  return found ? [java.path, '-Duser.language=en', '-cp', found, main] : undefined;
}

/** Whether firebase-tools can run Google's runtime of security rules, without which it starts no Storage emulator. */
export function hasStorageRulesRuntime(): boolean {
  const jar = newest(emulatorCache(), /^cloud-storage-rules-runtime-v.*\.jar$/);
  const java = onPath('java');
  return jar !== undefined && java !== undefined && javaVersion(java) >= FIREBASE_JAVA;
}

/** The folder to which firebase-tools downloads emulators. */
function emulatorCache(): string {
  return process.env['FIREBASE_EMULATORS_PATH'] ?? join(homedir(), '.cache', 'firebase', 'emulators');
}

/** The jar of the component `cloud-firestore-emulator` of the Google Cloud SDK. */
function sdkJar(): string | undefined {
  const gcloud = onPath('gcloud');
  if (!gcloud) return undefined;
  const jarIn = (sdk: string) => join(sdk, 'platform', 'cloud-firestore-emulator', 'cloud-firestore-emulator.jar');
  const byPath = jarIn(dirname(dirname(realpathSync(gcloud))));
  if (existsSync(byPath)) return byPath;
  // `gcloud` may be a wrapper outside of its SDK.
  const asked = spawnSync(gcloud, ['info', '--format=value(installation.sdk_root)'], { encoding: 'utf8' });
  const byAnswer = jarIn((asked.stdout ?? '').trim());
  return existsSync(byAnswer) ? byAnswer : undefined;
}

/** The file with the highest version in its name. */
function newest(folder: string, pattern: RegExp): string | undefined {
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => pattern.test(name)) : [];
  const [last] = names.sort((a, b) => b.localeCompare(a, 'en', { numeric: true }));
  return last && join(folder, last);
}

/** The newer one of the Java that JAVA_HOME names and the Java on PATH. */
function findJava(): { path: string; version: number } | undefined {
  const home = process.env['JAVA_HOME'];
  const paths = [...(home ? [join(home, 'bin', executable('java'))] : []), onPath('java')];
  const found = paths.flatMap((path) => (path ? [{ path, version: javaVersion(path) }] : []));
  return found.filter(({ version }) => version > 0).sort((a, b) => b.version - a.version)[0];
}

/** The major version of a Java; 0 when it does not run. */
function javaVersion(java: string): number {
  const { stderr } = spawnSync(java, ['-version'], { encoding: 'utf8' });
  const [, first, second] = /version "(\d+)(?:\.(\d+))?/.exec(stderr ?? '') ?? [];
  // Java 8 calls itself 1.8.
  return Number((first === '1' ? second : first) ?? 0);
}

function onPath(name: string, environment: NodeJS.ProcessEnv = process.env): string | undefined {
  const folders = (environment['PATH'] ?? '').split(delimiter).filter(Boolean);
  return folders.map((folder) => join(folder, executable(name))).find((path) => existsSync(path));
}

const executable = (name: string) =>
  process.platform !== 'win32' ? name : name === 'java' ? 'java.exe' : `${name}.cmd`;
