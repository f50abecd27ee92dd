import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { projectRoot } from '../local/project';

/** How long a running program may take to end, in milliseconds. */
const STOP_MS = 20_000;
/** The same for a program that is not ready: it has nothing to write. */
const STOP_START_MS = 5_000;
/** How long a program may take until it is ready, in milliseconds. firebase-tools needed 14 s on two busy cores. */
const START_MS = 180_000;
const LAST_LINES = 30;

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
  /** Folders to delete when this process is killed. Without a kill, this process deletes them. */
  temporary?: readonly string[];
  /** Ends the start: the program is stopped, and the promise rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
  /** How long the start may take, in milliseconds. Default: 3 minutes. */
  startMs?: number;
}

/** A running program. */
export interface Program {
  /** Resolves when the program has ended, with its exit code. */
  ended: Promise<number | null>;
  /** Ends the program and the processes that it started. Idempotent. */
  close(): Promise<void>;
}

const running = new Set<ChildProcess>();

/** Kills every program of this process and the processes that they started, without waiting for them. */
export function killPrograms(): void {
  for (const child of running) killGroup(child);
}

/**
 * Starts a program in a separate process group and waits until it is ready. Ctrl-C in the terminal does not reach the
 * group, so `close` decides when the program ends. The program also ends when this process is killed: it runs under
 * watcher.mjs. Rejects when the program ends before it is ready, is not ready in time, or when the signal aborts; the
 * program has ended then.
 */
export async function startProgram(options: ProgramOptions): Promise<Program> {
  const { name, command, cwd, env, readyWhen, onOutput, temporary = [], signal, startMs = START_MS } = options;
  signal?.throwIfAborted();
  const watcher = join(projectRoot, 'emulators', 'watcher.mjs');
  const child = spawn(process.execPath, [watcher, JSON.stringify({ command, temporary, stopMs: STOP_MS })], {
    cwd,
    env,
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: process.platform !== 'win32',
  });
  running.add(child);
  // The watcher may end before it reads.
  child.stdin.on('error', () => {});
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
  const lastOutput = () => (printed ?? '').trim().split('\n').slice(-LAST_LINES).join('\n');
  const waiting = new AbortController();
  try {
    await Promise.race([
      ready,
      ended.then((code) => {
        throw new Error(`${name} ended with code ${code} before it was ready.\n${lastOutput()}`);
      }),
      pause(startMs, undefined, { signal: waiting.signal }).then(() => {
        throw new Error(`${name} was not ready within ${startMs / 1000} seconds. Its last output:\n${lastOutput()}`);
      }),
      aborted(signal, waiting.signal),
    ]);
  } catch (error) {
    await stop(child, STOP_START_MS);
    throw error;
  } finally {
    waiting.abort();
  }
  return { ended, close: () => stop(child, STOP_MS) };
}

/** Rejects when `signal` aborts. `over` removes the listener. */
function aborted(signal: AbortSignal | undefined, over: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal?.addEventListener('abort', () => reject(signal.reason as Error), { once: true, signal: over });
  });
}

async function stop(child: ChildProcess, stopMs: number): Promise<void> {
  if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) {
    const exited = once(child, 'exit');
    child.stdin!.end('stop\n');
    const waiting = new AbortController();
    const late = pause(stopMs, undefined, { signal: waiting.signal }).catch(() => {});
    await Promise.race([exited, late]).finally(() => waiting.abort());
  }
  // A program that failed leaves the processes that it started. They are in its group.
  if (running.has(child)) killGroup(child);
  running.delete(child);
}

function killGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    // Windows has no process groups. There the watcher ends the tree of its program.
    if (process.platform === 'win32') child.kill('SIGKILL');
    else process.kill(-child.pid, 'SIGKILL');
  } catch {
    // Every process of the group has ended.
  }
}
