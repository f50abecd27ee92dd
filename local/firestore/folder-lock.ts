import { closeSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Takes a data folder for this process; the returned function gives it back. Throws when a living process has it.
 * The lock of a process that was killed is recognised as dead: its id is gone, or belongs to one started later.
 */
export function lockFolder(folder: string): () => void {
  const file = join(folder, 'owner');
  for (;;) {
    try {
      const descriptor = openSync(file, 'wx', 0o600);
      writeSync(descriptor, JSON.stringify({ pid: process.pid, started: startOf(process.pid) }));
      closeSync(descriptor);
      return () => rmSync(file, { force: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    const owner = readOwner(file);
    if (owner && isAlive(owner)) {
      throw new Error(`The data folder ${folder} is in use by process ${owner.pid}. Stop that one first.`);
    }
    rmSync(file, { force: true });
  }
}

interface Owner {
  pid: number;
  started?: string;
}

function readOwner(file: string): Owner | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Owner;
  } catch {
    // Cut off by a crash while it was written.
    return undefined;
  }
}

function isAlive({ pid, started }: Owner): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
  return started === undefined || started === startOf(pid);
}

/** When a process was started, where the system says so (Linux): ids are used again after a restart of the machine. */
function startOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  } catch {
    return undefined;
  }
}
