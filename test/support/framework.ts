import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { projectRoot } from '../../local/project';
import { freePort } from './sockets';

export const functionsFolder = join(projectRoot, 'functions');
/** The folder with the packages of an instance: scripts/install.mjs installs them. */
export const frameworkFolder = join(projectRoot, '.build', 'framework');
const program = join(frameworkFolder, 'node_modules/@google-cloud/functions-framework/build/src/main.js');

/** One function in a process of the pinned functions-framework, started as the platform starts it. */
export interface FrameworkInstance {
  url: string;
  pid: number;
  /** What the process has written to standard output and standard error. */
  output: () => string;
  stop: () => Promise<void>;
}

/**
 * Starts an instance of the bundle in `folder`, which is functions/ or a deployed copy of it. Resolves when it answers.
 * `environment` is that of the local cloud which it uses. `node` runs it.
 */
export async function startInstance(
  functionName: string,
  environment: Record<string, string>,
  folder: string = functionsFolder,
  node: string = process.execPath,
): Promise<FrameworkInstance> {
  const port = await freePort();
  const child = spawn(node, [program], {
    cwd: folder,
    env: {
      ...process.env,
      ...environment,
      NODE_ENV: 'production',
      PORT: String(port),
      FUNCTION_TARGET: functionName,
      FUNCTION_SIGNATURE_TYPE: 'http',
      // jest sets these for its own processes.
      NODE_OPTIONS: environment['NODE_OPTIONS'] ?? '',
      JEST_WORKER_ID: '',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  }
  const url = `http://127.0.0.1:${port}`;
  await answers(url, child, () => output);
  return {
    url,
    pid: child.pid!,
    output: () => output,
    async stop() {
      // A process that has ended emits no other event.
      if (hasEnded(child)) return;
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    },
  };
}

/** Also of a process that a signal ended. */
const hasEnded = ({ exitCode, signalCode }: ChildProcess) => exitCode !== null || signalCode !== null;

async function answers(url: string, child: ChildProcess, output: () => string): Promise<void> {
  for (;;) {
    const isUp = await fetch(url, { method: 'OPTIONS' }).then(
      () => true,
      () => false,
    );
    if (isUp) return;
    if (hasEnded(child)) throw new Error(`The framework ended: ${output()}`);
    await wait(50);
  }
}
