import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';

/** Starts a program without a terminal. `ended` resolves with its exit code and what it wrote. */
export function start(program: string, args: string[], options: { cwd: string; env: NodeJS.ProcessEnv }) {
  const child = spawn(program, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = Promise.all([once(child, 'close'), text(child.stdout), text(child.stderr)]).then(
    ([[code], stdout, stderr]) => ({ code: code as number | null, stdout, stderr }),
  );
  return { process: child, ended };
}

/** Runs a program without a terminal, and resolves when it has ended. */
export const run = (...of: Parameters<typeof start>) => start(...of).ended;
