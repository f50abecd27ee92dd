import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';

/** How long a program may take to end after SIGINT, in milliseconds. */
const STOP_MS = 20_000;

export interface ProgramOptions {
  /** The name of the program in messages. */
  name: string;
  command: readonly [string, ...string[]];
  cwd: string;
  env: NodeJS.ProcessEnv;
  /** The program is ready when it has printed this text. */
  readyWhen: RegExp;
  /** Takes what the program prints. */
  onOutput: (text: string) => void;
}

/** A running program. */
export interface Program {
  /** Resolves when the program has ended, with its exit code. */
  ended: Promise<number | null>;
  /** Ends the program and the processes that it started. Idempotent. */
  close(): Promise<void>;
}

/**
 * Starts a program in a separate process group and waits until it is ready. Ctrl-C in the terminal does not reach the
 * group, so `close` decides when the program ends. Rejects when the program ends first.
 */
export async function startProgram(options: ProgramOptions): Promise<Program> {
  const { name, command, cwd, env, readyWhen, onOutput } = options;
  const isWindows = process.platform === 'win32';
  const [file, ...args] = command;
  const child = spawn(file, args, {
    cwd,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: !isWindows,
    shell: isWindows,
  });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('exit', resolve);
    child.once('error', reject);
  });
  // The rejection is also seen by those who wait for the end.
  ended.catch(() => {});
  let printed: string | undefined = '';
  const ready = new Promise<void>((resolve) => {
    const take = (chunk: string) => {
      onOutput(chunk);
      if (printed === undefined) return;
      printed += chunk;
      if (!readyWhen.test(printed)) return;
      printed = undefined;
      resolve();
    };
    child.stdout.setEncoding('utf8').on('data', take);
    child.stderr.setEncoding('utf8').on('data', take);
  });
  const program = { ended, close: () => stop(child) };
  await Promise.race([
    ready,
    ended.then((code) => {
      throw new Error(`${name} ended with code ${code} before it was ready.\n${printed?.trim()}`);
    }),
  ]);
  return program;
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) {
    const exited = once(child, 'exit');
    child.kill('SIGINT');
    const waiting = new AbortController();
    const late = pause(STOP_MS, undefined, { signal: waiting.signal }).catch(() => {});
    await Promise.race([exited, late]).finally(() => waiting.abort());
  }
  try {
    // A program that failed leaves the processes that it started. They are in its group.
    if (process.platform !== 'win32') process.kill(-child.pid!, 'SIGKILL');
    else child.kill('SIGKILL');
  } catch {
    // Every process of the group has ended.
  }
}
