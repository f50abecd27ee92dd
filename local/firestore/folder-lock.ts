import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Takes a data folder for this process; the returned function gives it back. Throws when a living process has it.
 * The lock of a process that was killed is recognised as dead: its id is gone, or belongs to one started later.
 */
export function lockFolder(folder: string): () => void {
  const file = join(folder, 'owner');
  const mine = `${file}.${process.pid}`;
  // Written whole before it gets its name: nobody reads half a lock.
  writeFileSync(mine, JSON.stringify({ pid: process.pid, started: startOf(process.pid) }), { mode: 0o600 });
  try {
    while (!tryTo(() => linkSync(mine, file), 'EEXIST')) {
      assertDead(folder, readOwner(file));
      // Renaming takes away exactly one lock. If that was a new one, of somebody who was quicker, it goes back.
      const dead = `${mine}.dead`;
      if (!tryTo(() => renameSync(file, dead), 'ENOENT')) continue;
      try {
        assertDead(folder, readOwner(dead));
      } catch (error) {
        tryTo(() => linkSync(dead, file), 'EEXIST');
        throw error;
      } finally {
        rmSync(dead, { force: true });
      }
    }
  } finally {
    rmSync(mine, { force: true });
  }
  return () => rmSync(file, { force: true });
}

/** Whether it worked; false for the one error that means that somebody else was first. */
function tryTo(work: () => void, code: string): boolean {
  try {
    work();
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === code) return false;
    throw error;
  }
}

function assertDead(folder: string, owner: Owner | undefined): void {
  if (owner && isAlive(owner)) {
    throw new Error(`The data folder ${folder} is in use by process ${owner.pid}. Stop that one first.`);
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
    // Gone in the meantime, or no lock of ours.
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
