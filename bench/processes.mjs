// Processes of the bench: where they run, and what processor time they use.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { root } from '../scripts/root.mjs';

/** The processors that this process may use. Empty where there is no `taskset`. */
function allowedProcessors() {
  const { status, stdout } = spawnSync('taskset', ['-cp', String(process.pid)], { encoding: 'utf8' });
  if (status !== 0) return [];
  return stdout
    .slice(stdout.lastIndexOf(':') + 1)
    .trim()
    .split(',')
    .flatMap((range) => {
      const [from, to = from] = range.split('-').map(Number);
      return Array.from({ length: to - from + 1 }, (_, i) => from + i);
    });
}

/** The processor of the servers, when there is a second one for the load client. */
const [serverProcessor, clientProcessor] = allowedProcessors();
export const isPinned = clientProcessor !== undefined;

/** Moves this process, which makes the load, away from the processor of the servers. */
export function pinLoadClient() {
  if (isPinned) spawnSync('taskset', ['-acp', String(clientProcessor), String(process.pid)]);
}

/** The command on the processor of the servers. */
export const onServerProcessor = (command) =>
  isPinned ? ['taskset', '-c', String(serverProcessor), ...command] : command;

const running = new Set();

/** Ends every program that still runs. */
export const stopPrograms = () => Promise.all([...running].map((program) => program.stop()));

/** A child process. `onLine` receives what it writes to standard error. */
export class Program {
  #child;

  constructor(node, args, { env = {}, cwd = root, onLine, pinned = true } = {}) {
    const command = pinned ? onServerProcessor([node, ...args]) : [node, ...args];
    this.#child = spawn(command[0], command.slice(1), {
      cwd,
      env: { ...process.env, NODE_ENV: 'production', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    running.add(this);
    this.#child.once('exit', () => running.delete(this));
    this.lastLines = [];
    createInterface({ input: this.#child.stderr }).on('line', (line) => {
      this.lastLines = [...this.lastLines.slice(-9), line];
      onLine?.(line);
    });
  }

  /** taskset replaces itself by the program, so this is the program. */
  get pid() {
    return this.#child.pid;
  }

  /** The first line that the program prints, as JSON. */
  async ready() {
    const lines = createInterface({ input: this.#child.stdout });
    const ended = once(this.#child, 'exit').then(() => {
      throw new Error(`A server ended at its start:\n${this.lastLines.join('\n')}`);
    });
    const [line] = await Promise.race([once(lines, 'line'), ended]);
    return JSON.parse(line);
  }

  async stop() {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGTERM');
    await ended;
  }
}

/** The processor time that a process has used, in milliseconds, threads included. Undefined where there is no /proc. */
export function processorMs(pid) {
  if (!existsSync(`/proc/${pid}/task`)) return undefined;
  return readdirSync(`/proc/${pid}/task`)
    .map((thread) => Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]) / 1e6)
    .reduce((sum, ms) => sum + ms, 0);
}

/** How long the main thread of a process has been ready to run while others used its processor, in milliseconds. */
export function waitedMs(pid) {
  if (!existsSync(`/proc/${pid}/schedstat`)) return undefined;
  return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[1]) / 1e6;
}

/** The memory of a process that is resident now, in MB. Undefined where there is no /proc. */
export function residentMb(pid) {
  if (!existsSync(`/proc/${pid}/status`)) return undefined;
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024;
}
