import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import net from 'node:net';
import type { Command } from '../../emulators/installed';
import { freePort } from './sockets';

/** Google's Firestore emulator as a process. `port` is its gRPC port. */
export type GoogleFirestore = { port: number; close(): Promise<void> };

const READY_SECONDS = 60;

/** Starts the emulator on a free port. Rejects when it does not accept connections within 60 seconds. */
export async function startGoogleFirestore(emulator: Command): Promise<GoogleFirestore> {
  const port = await freePort();
  const [program, ...args] = emulator;
  const child = spawn(program, [...args, 'start', '--host=127.0.0.1', `--port=${port}`], { stdio: 'ignore' });
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
