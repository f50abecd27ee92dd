import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Locks a data folder for this process. The returned function unlocks it. Throws when a live process has the lock. The
 * lock of a killed process is stale: no process has its id, or the process with that id started later.
 */
export function lockFolder(folder: string): () => void {
  const file = join(folder, 'owner');
  const mine = `${file}.${process.pid}`;
  // The file is complete before it gets its final name, so that other processes never read a partial lock.
  try {
    writeFileSync(mine, JSON.stringify({ pid: process.pid, started: startOf(process.pid) }), { mode: 0o600 });
  } catch (cause) {
    throw new Error(`The data folder ${folder} cannot be written (${(cause as Error).message}).`, { cause });
  }
  try {
    while (!tryTo(() => linkSync(mine, file), 'EEXIST')) {
      assertStale(folder, readOwner(file));
      // The rename removes exactly one lock. If another process has replaced the stale lock before, restore its lock.
      const stale = `${mine}.dead`;
      if (!tryTo(() => renameSync(file, stale), 'ENOENT')) continue;
      try {
        assertStale(folder, readOwner(stale));
      } catch (error) {
        tryTo(() => linkSync(stale, file), 'EEXIST');
        throw error;
      } finally {
        rmSync(stale, { force: true });
      }
    }
  } finally {
    rmSync(mine, { force: true });
  }
  return () => rmSync(file, { force: true });
}

/** Runs `work`. Returns false for the error `code`, which means that another process was faster. */
function tryTo(work: () => void, code: string): boolean {
  try {
    work();
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === code) return false;
    throw error;
  }
}

function assertStale(folder: string, owner: Owner | undefined): void {
  if (owner && isAlive(owner)) {
    throw new Error(`The data folder ${folder} is in use by process ${owner.pid}. Stop that process first.`);
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
    // The file was deleted meanwhile, or it is not a lock file.
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

/** The start time of a process, on Linux only. It detects a reused process id, for example after a reboot. */
function startOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  } catch {
    return undefined;
  }
}
