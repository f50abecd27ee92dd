import { spawn } from 'node:child_process';
import { NODATA, NOTFOUND, Resolver } from 'node:dns/promises';
import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { readBuilt, type Built } from './built';
import type { Command, Outcome } from './command';
import type { Difference } from './database-clients';

/** What a deploy uses outside of its own process. */
export interface Surroundings {
  /** The folder with firebase.json, functions/ and package.json. */
  root: string;
  env: NodeJS.ProcessEnv;
  /** Runs a program to its end. Rejects when the program cannot be started. */
  run(command: Command): Promise<Outcome>;
  /** The address at which a Google API is called instead of `url`. */
  locate(url: string): string;
  /** Opens a page of a deck's origin, without following a redirect. Rejects when no answer comes by HTTPS. */
  visit(url: string): Promise<Visited>;
  /** Whether DNS has an address of the host. Rejects when DNS does not tell. */
  hasAddress(host: string): Promise<boolean>;
  /** The functions that are built, which read the settings `env`. */
  readBuilt(env: Readonly<Record<string, string>>): Promise<Built>;
  /** Compares the database clients of the functions, on the database that `env` names. */
  compareClients(): Promise<Difference | undefined>;
  /** Asks in the terminal; undefined when there is no terminal. An answer is trimmed and may be empty. */
  ask: ((question: string, isSecret?: boolean) => Promise<string>) | undefined;
  print: (line: string) => void;
  /** The public address of this machine; undefined when it cannot be known. */
  lookUpAddress(): Promise<string | undefined>;
  /** The pause before a call is repeated that Google's slow propagation refused, in milliseconds. */
  pauseMs: number;
}

export interface Visited {
  status: number;
  contentType: string;
}

export function realSurroundings(root: string): Surroundings {
  return {
    root,
    env: process.env,
    run: (command) => runProgram(command, root, process.env),
    locate: (url) => url,
    visit,
    hasAddress: (host) => hasAddress(host),
    readBuilt: (env) => readBuilt(root, env),
    compareClients,
    ask: process.stdin.isTTY ? askInTerminal : undefined,
    print: (line) => process.stdout.write(`${line}\n`),
    lookUpAddress,
    pauseMs: 10_000,
  };
}

export async function runProgram(command: Command, cwd: string, env: NodeJS.ProcessEnv): Promise<Outcome> {
  const { program, args, input } = command;
  const child = spawn(program, args, { cwd, env, stdio: 'pipe', shell: process.platform === 'win32' });
  const stdout: Buffer[] = [];
  const stderr: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => stdout.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => stderr.push(chunk));
  // A program that does not read its input may end before it is written.
  child.stdin.on('error', () => undefined);
  child.stdin.end(input?.value ?? '');
  const [status] = (await once(child, 'close')) as [number | null];
  return {
    status: status ?? 1,
    stdout: Buffer.concat(stdout).toString(),
    stderr: Buffer.concat(stderr).toString(),
  };
}

const VISIT_PATIENCE_MS = 30_000;

async function visit(url: string): Promise<Visited> {
  const { status, headers, body } = await fetch(url, {
    redirect: 'manual',
    headers: { accept: 'text/html' },
    signal: AbortSignal.timeout(VISIT_PATIENCE_MS),
  });
  await body?.cancel();
  return { status, contentType: headers.get('content-type') ?? '' };
}

/** The clients are loaded here: every other step does without them. */
async function compareClients(): Promise<Difference | undefined> {
  const clients = await import('./database-clients.js');
  const { closeDatabase } = await import('../functions/src/records/sdk.js');
  try {
    return await clients.compareClients();
  } finally {
    await closeDatabase();
  }
}

/** The exit code of a program that Ctrl-C ends. */
export const CANCELLED = 130;

async function askInTerminal(question: string, isSecret = false): Promise<string> {
  // readline echoes every key to its output.
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const output = isSecret ? nowhere : process.stderr;
  const terminal = createInterface({ input: process.stdin, output, terminal: true });
  // The terminal itself echoes keys until readline has taken it over.
  if (isSecret) process.stderr.write(question);
  // Ctrl-D closes the terminal without an answer.
  const closed = once(terminal, 'close').then(() => '');
  const answer = terminal.question(isSecret ? '' : question).catch(() => process.exit(CANCELLED));
  const text = await Promise.race([answer, closed]);
  terminal.close();
  if (isSecret) process.stderr.write('\n');
  return text.trim();
}

const PATIENCE_MS = 3_000;

/** Asks the name servers of the machine, or those that are given. */
export async function hasAddress(host: string, servers?: readonly string[]): Promise<boolean> {
  const finder = new Resolver({ timeout: PATIENCE_MS, tries: 2 });
  if (servers) finder.setServers(servers);
  const isThere = (addresses: Promise<unknown[]>) =>
    addresses.then(
      () => true,
      (error: NodeJS.ErrnoException) => {
        // ENODATA: the name exists without a record of this kind. A server that fails or is silent tells nothing.
        if (error.code === NOTFOUND || error.code === NODATA) return false;
        throw error;
      },
    );
  const found = await Promise.all([isThere(finder.resolve4(host)), isThere(finder.resolve6(host))]);
  return found.includes(true);
}

/** Google's name servers answer the name o-o.myaddr.l.google.com with the address from which they were asked. */
async function lookUpAddress(): Promise<string | undefined> {
  try {
    const finder = new Resolver({ timeout: PATIENCE_MS, tries: 1 });
    const [server] = await finder.resolve4('ns1.google.com');
    if (!server) return undefined;
    finder.setServers([server]);
    const [[address] = []] = await finder.resolveTxt('o-o.myaddr.l.google.com');
    return address;
  } catch {
    return undefined;
  }
}
