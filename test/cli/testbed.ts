import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readdir, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { deleteApp, initializeApp } from 'firebase-admin/app';
import { getFirestore, type Firestore } from 'firebase-admin/firestore';
import { buildBundles } from '../support/bundles';
import { deckInProcess, type Written } from './deck-in-process';
import { fill } from './files';
import { FaultProxy, type Fate } from './fault-proxy';
import { run, start } from './run-program';
import { Screen } from './screen';

export { fill } from './files';
export { inTerminal, Screen } from './screen';

const project = resolve(__dirname, '../..');
const deckPath = join(project, 'cli/dist/deck.js');

/** The result of a command. */
export interface Ended extends Omit<Written, 'code'> {
  code: number | null;
  /** Standard output, parsed as one JSON document. */
  json: <T = Record<string, never>>() => T;
}

/** The error of a command, and its exit code. */
export interface Refusal {
  code: string;
  message: string;
  nextAction: string;
  requestId?: string;
  details: Record<string, unknown>;
  exit: number | null;
}

/** A running command. */
export interface Running {
  process: ChildProcess;
  ended: Promise<Ended>;
}

/** The local cloud in its own process, a proxy that injects faults, and computers of users with the built client. */
export class Testbed {
  private counter = 0;
  /** Open until `close`, which ends the command of a test that failed. */
  readonly screens: Screen[] = [];

  private constructor(
    private readonly cloud: ChildProcess,
    readonly folder: string,
    readonly mailUrl: string,
    /** The address of the service behind the proxy. */
    readonly baseUrl: string,
    /** The address of the site. */
    readonly hostingUrl: string,
    private readonly firestoreHost: string,
    readonly proxy: FaultProxy,
  ) {}

  /** `options` are those of the local cloud's command. */
  static async create(...options: string[]): Promise<Testbed> {
    const folder = await realpath(await mkdtemp(join(tmpdir(), 'deck-testbed-')));
    buildBundles();
    // Commands run in this process: relative paths and the current folder are those of the test.
    process.chdir(folder);
    const program = ['--require', join(__dirname, 'clock.cjs'), join(project, '.build/local.js')];
    const args = [...program, '--ephemeral', '--json', '--no-schedules', ...options];
    const cloud = spawn(process.execPath, args, { cwd: project, stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
    createInterface(cloud.stderr!).on('line', (line) => {
      // Errors only: the service writes a line for every request.
      if (!/^\{"severity":"(INFO|WARNING)"/.test(line)) process.stderr.write(`${line}\n`);
    });
    const ready = await firstLine(cloud);
    const { mailUrl, baseUrl, hostingUrl, firestoreHost } = JSON.parse(ready) as Record<
      'mailUrl' | 'baseUrl' | 'hostingUrl' | 'firestoreHost',
      string
    >;
    const proxy = new FaultProxy(new URL(baseUrl));
    await proxy.open();
    return new Testbed(cloud, folder, mailUrl, baseUrl, hostingUrl, firestoreHost, proxy);
  }

  async close(): Promise<void> {
    for (const screen of this.screens) screen.close();
    await this.proxy.close();
    if (this.cloud.exitCode === null) {
      this.cloud.kill('SIGTERM');
      await once(this.cloud, 'exit');
    }
    process.chdir(project);
    await rm(this.folder, { recursive: true, force: true });
  }

  /** Works on the service's database, for records that would take many calls. */
  async withDatabase(work: (database: Firestore) => Promise<void>): Promise<void> {
    process.env['FIRESTORE_EMULATOR_HOST'] = this.firestoreHost;
    const app = initializeApp({ projectId: 'demo-decks' }, `testbed-${++this.counter}`);
    try {
      await work(getFirestore(app));
    } finally {
      await deleteApp(app);
    }
  }

  /** Moves the service's clock forward. */
  async later(seconds: number): Promise<void> {
    this.cloud.send(seconds * 1000);
    await once(this.cloud, 'message');
  }

  /** A computer with a new config folder, on which no user is signed in. */
  aComputer(): Computer {
    return new Computer(this, join(this.folder, `config-${++this.counter}`));
  }

  /** A computer whose user has an account and a key. */
  async aSignedInComputer(email = this.anEmail()): Promise<Computer> {
    const computer = this.aComputer();
    await this.signUp(computer, email);
    this.proxy.reset();
    return computer;
  }

  /** Makes an account for the user of a computer. */
  async signUp(computer: Computer, email: string, ...options: string[]): Promise<void> {
    const signup = ['signup', '--email', email, ...options];
    await computer.done(...signup);
    await computer.done(...signup, '--code', await this.newestCode(email), '--first-name', 'Ada');
  }

  /** A computer whose user has a key that may publish. */
  async aPublisher(): Promise<Computer> {
    const email = this.anEmail();
    const computer = await this.aSignedInComputer(email);
    await this.later(31);
    const login = ['login', '--publish', '--email', email];
    await computer.done(...login);
    await computer.done(...login, '--code', await this.newestCode(email));
    this.proxy.reset();
    return computer;
  }

  /** Runs a command of the service's operator. */
  async operator(...args: string[]): Promise<void> {
    const env = { FIRESTORE_EMULATOR_HOST: this.firestoreHost };
    const words = [...args, '--project', 'demo-decks', '--yes', '--as', 'grace'];
    await succeeds(join(project, '.build/operator.js'), words, env);
  }

  anEmail(): string {
    return `user-${++this.counter}@example.com`;
  }

  /** Opens a deck through its link, as the frame of the viewer does. */
  async visit(shareUrl: string): Promise<Response> {
    return fetch(this.fileUrl(shareUrl, '_f'));
  }

  /** The address of a file of a deck, from its link. */
  fileUrl(shareUrl: string, mode: '_f' | '_t', path = ''): string {
    const { pathname, searchParams } = new URL(shareUrl);
    const base = `${this.baseUrl}/getSharedPresentation/${pathname.split('/').at(-1)}`;
    return `${base}/${mode}/${searchParams.get('token')}/${encodeURI(path)}`;
  }

  /** A call of the service itself, such as the dashboard makes. */
  async post(by: Computer, name: string, input: object): Promise<void> {
    const headers = { authorization: `Bearer ${await by.key()}`, 'content-type': 'application/json' };
    const body = JSON.stringify(input);
    const { ok, status } = await fetch(`${this.baseUrl}/${name}`, { method: 'POST', headers, body });
    if (!ok) throw new Error(`${name} answered ${status}.`);
  }

  /** The code in the newest mail to an address. */
  async newestCode(email: string): Promise<string> {
    const response = await fetch(`${this.mailUrl}/messages?to=${encodeURIComponent(email)}`);
    const { messages } = (await response.json()) as { messages: { text: string }[] };
    const code = /\b\d{6}\b/.exec(messages[0]?.text ?? '')?.[0];
    if (!code) throw new Error(`There is no mail with a code for ${email}.`);
    return code;
  }

  /** A folder with these files, to be pushed. */
  async aFolder(files: Record<string, string | Buffer>): Promise<string> {
    const folder = join(this.folder, `deck-${++this.counter}`);
    await fill(folder, files);
    return folder;
  }
}

interface Stored {
  baseUrl: string;
  key?: { raw: string };
}

export let testbed: Testbed;
/** A computer whose user has an account. */
export let computer: Computer;

/**
 * Makes `testbed` and `computer` for the tests of a file. Before each test, the proxy forwards every call again.
 * `options` are those of the local cloud's command.
 */
export function withTestbed(...options: string[]): void {
  beforeAll(async () => {
    testbed = await Testbed.create(...options);
    computer = await testbed.aSignedInComputer();
  });
  beforeEach(() => testbed.proxy.reset());
  afterAll(() => testbed.close());
}

/** The document of a command that succeeds on `computer`. */
export const done = <T = Record<string, unknown>>(...args: string[]) => computer.done<T>(...args);
/** The error of a command that fails on `computer`. */
export const refused = (...args: string[]) => computer.refused(...args);
/** What a refusal tells the user. */
export const told = ({ code, message, nextAction, details }: Refusal) => ({ code, message, nextAction, details });
/** What a command writes on `computer` to standard output, without `--json`. */
export const shown = async (...args: string[]) => (await computer.deck(args)).stdout;
/** A text with these words. */
export const words = (text: string) => expect.stringContaining(text) as string;

/** The answer to a push. */
export interface Pushed {
  status: 'pushed' | 'unchanged' | 'planned';
  presentationId: string;
  version: number;
  shareUrl: string;
  title: string;
  entryPath: string;
  uploaded: { files: number; bytes: number };
  picture?: 'drawn' | 'kept';
  /** How many slides were drawn. */
  slides?: number;
  warnings: { code?: string; message: string }[];
}

export const push = (folder: string, ...options: string[]) => done<Pushed>('push', folder, ...options);

/** A folder that was pushed by the user of a computer. */
export async function aDeck(
  files: Record<string, string | Buffer> = { 'index.html': '<title>Talk</title>one' },
  by = computer,
): Promise<Pushed & { folder: string }> {
  const folder = await testbed.aFolder(files);
  return { folder, ...(await by.done<Pushed>('push', folder)) };
}

/** Adds a link to the deck of a folder. */
export const addLink = async (folder: string, name: string, ...more: string[]) =>
  (await done<{ link: { id: string; shareUrl: string } }>('links', 'add', name, '--deck', folder, ...more)).link;

/** Somebody else who may edit the deck of a folder, or with an id. */
export async function aDev(deck: string): Promise<{ dev: Computer; email: string }> {
  const email = testbed.anEmail();
  const dev = await testbed.aSignedInComputer(email);
  await done('collaborators', 'invite', email, '--deck', deck);
  return { dev, email };
}

/** A program in a folder of its own. */
export async function aProgram(script: string, name = 'program'): Promise<string> {
  const path = join(await testbed.aFolder({ [name]: `#!/bin/sh\n${script}\n` }), name);
  await chmod(path, 0o755);
  return path;
}

type DeckFile = Pick<Pushed, 'presentationId' | 'version'> & { listing?: string };
/** The `.deck.json` of a folder. */
export async function deckFileOf(folder: string): Promise<DeckFile> {
  return JSON.parse(await readFile(join(folder, '.deck.json'), 'utf8')) as DeckFile;
}

/** Runs `deck` with one config folder and through the proxy. */
export class Computer {
  constructor(
    private readonly testbed: Testbed,
    readonly configFolder: string,
  ) {}

  /** The stored key for the service behind the proxy. */
  async key(): Promise<string> {
    const folder = join(this.configFolder, 'deck', 'profiles');
    for (const file of await readdir(folder)) {
      const profile = JSON.parse(await readFile(join(folder, file), 'utf8')) as Stored;
      if (profile.baseUrl === this.testbed.proxy.baseUrl && profile.key) return profile.key.raw;
    }
    throw new Error('Nobody is signed in on this computer.');
  }

  /** Runs `deck` without a terminal: in this process, unless the environment is one of Node or of its children. */
  async deck(args: string[], env: NodeJS.ProcessEnv = {}, input = ''): Promise<Ended> {
    if (env['TZ'] ?? env['NODE_OPTIONS'] ?? env['PATH']) return this.start(args, env).ended;
    runInProcess ??= deckInProcess(deckPath);
    return ended(args, await runInProcess(args, { ...this.env(), ...env }, input));
  }

  /** The document of a command that succeeds. */
  async done<T = Record<string, unknown>>(...args: string[]): Promise<T> {
    const ended = await this.deck([...args, '--json']);
    if (ended.code !== 0) throw new Error(ended.stdout + ended.stderr);
    return ended.json<T>();
  }

  /** The error of a command that fails. */
  async refused(...args: string[]): Promise<Refusal> {
    const { code, json } = await this.deck([...args, '--json']);
    expect(code).not.toBe(0);
    return { ...json<{ error: Refusal }>().error, exit: code };
  }

  /** Runs `deck` in a terminal, in which the test can type. */
  inTerminal(args: string[], env: NodeJS.ProcessEnv = {}): Screen {
    const screen = new Screen([process.execPath, deckPath, ...args], { ...this.env(), ...env });
    this.testbed.screens.push(screen);
    return screen;
  }

  private env(): NodeJS.ProcessEnv {
    return {
      PATH: process.env['PATH'],
      HOME: this.testbed.folder,
      TMPDIR: tmpdir(),
      XDG_CONFIG_HOME: this.configFolder,
      DECK_BASE_URL: this.testbed.proxy.baseUrl,
      TERM: 'xterm',
      // No pictures of slides: a test that wants them names a browser.
      CHROME_PATH: 'none',
    };
  }

  /**
   * Starts a command and sends its process a signal at the `number`th call of a function. The call and all later ones
   * arrive only after the process has ended, or their answers are lost.
   */
  async stoppedAt(
    { name, number = 1, fate = 'forward' }: { name: string; number?: number; fate?: Fate },
    args: string[],
    signal: NodeJS.Signals = 'SIGINT',
  ): Promise<Ended> {
    const { proxy } = this.testbed;
    const stop = () => running.process.kill(signal);
    proxy.watch = async (call, response): Promise<Fate> => {
      if (call.name !== name || call.number < number) return 'forward';
      if (fate === 'lose the answer') response.once('close', stop);
      else {
        stop();
        await running.ended;
      }
      return fate;
    };
    const running = this.start(args);
    const ended = await running.ended;
    proxy.reset();
    return ended;
  }

  /** Runs `deck` in another folder. */
  async deckIn(cwd: string, args: string[]): Promise<Ended> {
    return this.start(args, {}, cwd).ended;
  }

  start(args: string[], env: NodeJS.ProcessEnv = {}, cwd = this.testbed.folder): Running {
    const child = start(process.execPath, [deckPath, ...args], { cwd, env: { ...this.env(), ...env } });
    return { process: child.process, ended: child.ended.then((written) => ended(args, written)) };
  }
}

let runInProcess: ReturnType<typeof deckInProcess> | undefined;

function ended(args: readonly string[], written: Omit<Ended, 'json'>): Ended {
  const { stdout, stderr } = written;
  // Agents merge the streams, so that every command writes one document and nothing else.
  if (args.includes('--json') && stderr) throw new Error(`With --json it wrote to standard error:\n${stderr}`);
  return { ...written, json: <T>() => JSON.parse(stdout) as T };
}

/** Runs a program of the project, such as the build of the bundles that are out of date. */
async function succeeds(program: string, args: string[], env: NodeJS.ProcessEnv = {}): Promise<void> {
  const { code, stderr } = await run(process.execPath, [program, ...args], {
    cwd: project,
    env: { ...process.env, ...env },
  });
  if (code !== 0) throw new Error(`${program} failed.\n${stderr}`);
}

async function firstLine(cloud: ChildProcess): Promise<string> {
  for await (const line of createInterface({ input: cloud.stdout! })) return line;
  throw new Error('The local cloud ended before it was ready.');
}
