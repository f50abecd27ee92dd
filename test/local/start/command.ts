import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import type { Addresses as PartAddresses } from '../../../local';
import { projectRoot } from '../../../local/project';
import { freePort } from '../../support/sockets';

export interface Addresses extends PartAddresses {
  ready: true;
  dataDir: string;
  pid: number;
}

export type Ended = { code: number | null; signal: NodeJS.Signals | null; stdout: string; stderr: string };
export type Running = { child: ChildProcess; addresses: Addresses; ended: Promise<Ended> };

const command = join(projectRoot, '.build', 'local.js');

/** Behind a proxy. It does not answer, because nothing may ask it. */
const proxy = 'http://127.0.0.1:9';
const env = { ...process.env, http_proxy: proxy, https_proxy: proxy, HTTP_PROXY: proxy, HTTPS_PROXY: proxy };

const launch = (args: string[]) =>
  spawn(process.execPath, [command, ...args], { cwd: projectRoot, stdio: 'pipe', env });

/** Runs the command. Resolves when it exits. */
export const run = (...args: string[]): Promise<Ended> => end(launch(args));

/** Starts the command; the options must include --json. Resolves when every part answers. */
export const start = (...args: string[]): Promise<Running> => ready(launch(args));

/** Starts the command like `start`. `pass` moves its date forward; timers do not change. */
export async function startWithClock(...args: string[]): Promise<Running & { pass: (milliseconds: number) => void }> {
  const clock = join(projectRoot, 'test', 'cli', 'clock.cjs');
  const child = spawn(process.execPath, ['--require', clock, command, ...args], {
    cwd: projectRoot,
    stdio: ['pipe', 'pipe', 'pipe', 'ipc'],
  });
  return { ...(await ready(child)), pass: (milliseconds) => void child.send(milliseconds) };
}

/** Starts the command without --json. Resolves with its whole welcome text. */
export async function startForPeople(...args: string[]) {
  const child = launch(args);
  const ended = end(child);
  const text = await waitForOutput(child, ended, (output) => (output.includes('Ctrl-C') ? output : undefined));
  return { child, ended, text };
}

/** A port on which a server listens until `release`. */
export async function aTakenPort() {
  const port = await freePort();
  const server = createServer().listen(port, '127.0.0.1');
  await once(server, 'listening');
  return { port, release: () => new Promise((resolve) => server.close(resolve)) };
}

async function ready(child: ChildProcess): Promise<Running> {
  const ended = end(child);
  const line = await waitForOutput(child, ended, (text) => text.split('\n').find((each) => /^\{.*\}$/.test(each)));
  return { child, addresses: JSON.parse(line) as Addresses, ended };
}

/** Resolves with the first match of `find` in the output so far. Rejects when the command exits first. */
async function waitForOutput(child: ChildProcess, ended: Promise<Ended>, find: (text: string) => string | undefined) {
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
