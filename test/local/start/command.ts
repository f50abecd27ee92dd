import { buildSync } from 'esbuild';
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { projectRoot } from '../../../local/project';

/** What the command prints with --json. */
export interface Addresses {
  ready: true;
  project: string;
  dataDir: string;
  baseUrl: string;
  hostingUrl: string;
  firestoreHost: string;
  storageHost: string;
  authHost: string;
  mailUrl: string;
  pid: number;
}

export interface Ended {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

export interface Running {
  child: ChildProcess;
  addresses: Addresses;
  ended: Promise<Ended>;
}

const command = join(projectRoot, '.build', 'local.js');
const library = join(projectRoot, '.build', 'test-local.js');

/** Builds what `npm start` runs, and the same as a library. */
export function build(): void {
  execFileSync(process.execPath, [join(projectRoot, 'scripts', 'build.mjs')], { stdio: 'inherit' });
  const common = { bundle: true, platform: 'node', target: 'node20', packages: 'external' } as const;
  buildSync({ ...common, entryPoints: [join(projectRoot, 'local', 'index.ts')], outfile: library });
}

/** Runs the command to its end. */
export async function run(...args: string[]): Promise<Ended> {
  return end(spawn(process.execPath, [command, ...args], { cwd: projectRoot, stdio: 'pipe' }));
}

/** Runs the command, with --json among its options, until everything answers. */
export async function start(...args: string[]): Promise<Running> {
  return ready(spawn(process.execPath, [command, ...args], { cwd: projectRoot, stdio: 'pipe' }));
}

/** Runs the command until it has said everything that it says to people. */
export async function startForPeople(...args: string[]) {
  const child = spawn(process.execPath, [command, ...args], { cwd: projectRoot, stdio: 'pipe' });
  const ended = end(child);
  const text = await said(child, ended, (spoken) => (spoken.includes('Ctrl-C') ? spoken : undefined));
  return { child, ended, text };
}

/** The local cloud with the real functions on a data folder and free ports, in a process that can be killed. */
export async function startOn(dataDir: string): Promise<Running> {
  const script = `
    const { startLocalCloud } = require(${JSON.stringify(library)});
    const ports = { functions: 0, hosting: 0, firestore: 0, storage: 0, auth: 0, mail: 0 };
    const loadFunctions = async () => require(${JSON.stringify(join(projectRoot, 'functions', 'lib', 'index.js'))});
    startLocalCloud({ dataDir: ${JSON.stringify(dataDir)}, ports, loadFunctions }).then(
      ({ baseUrl, mailUrl }) => console.log(JSON.stringify({ ready: true, baseUrl, mailUrl, pid: process.pid })),
    );`;
  return ready(spawn(process.execPath, ['-e', script], { cwd: projectRoot, stdio: 'pipe' }));
}

async function ready(child: ChildProcess): Promise<Running> {
  const ended = end(child);
  const line = await said(child, ended, (text) => text.split('\n').find((each) => /^\{.*\}$/.test(each)));
  return { child, addresses: JSON.parse(line) as Addresses, ended };
}

/** What `find` finds in the output so far, as soon as it finds something. */
async function said(child: ChildProcess, ended: Promise<Ended>, find: (text: string) => string | undefined) {
  const found = new Promise<string>((resolve) => {
    let text = '';
    child.stdout?.on('data', (chunk: string) => {
      text += chunk;
      const match = find(text);
      if (match !== undefined) resolve(match);
    });
  });
  const failed = ended.then(({ code, stderr }): string => {
    throw new Error(`It ended with ${code}: ${stderr}`);
  });
  return Promise.race([found, failed]);
}

async function end(child: ChildProcess): Promise<Ended> {
  let stdout = '';
  let stderr = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
  return { code, signal, stdout, stderr };
}
