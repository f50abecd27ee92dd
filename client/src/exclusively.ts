import { randomBytes } from 'node:crypto';
import { readdir, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Failure, systemCode } from './failure';

/** With waits of 10 ms on average, about 10 seconds: work takes a few milliseconds. */
const MAX_ATTEMPTS = 1000;

/**
 * Runs `work` while no other process, and no other call in this process, runs work for the same path. Each call writes
 * a ticket beside the path, and works when there is no other ticket. Calls that see each other take their tickets back,
 * and try again. The ticket of a process that has ended is deleted. No name is used twice, so that a deletion never
 * meets the ticket of another call. Throws `busy-file` when another ticket stays.
 */
export async function exclusively<T>(path: string, work: () => Promise<T>): Promise<T> {
  const ticket = `${basename(path)}.${process.pid}.${randomBytes(8).toString('hex')}.lock`;
  for (let attempt = 1; ; attempt++) {
    await writeFile(join(dirname(path), ticket), '', { flag: 'wx', mode: 0o600 });
    let other: string | undefined;
    try {
      other = await otherTicket(path, ticket);
      if (other === undefined) return await work();
    } finally {
      await rm(join(dirname(path), ticket), { force: true });
    }
    if (attempt === MAX_ATTEMPTS) throw busy(path, other);
    await pause(Math.random() * 20);
  }
}

/** The ticket of another running call, if there is one. */
async function otherTicket(path: string, own: string): Promise<string | undefined> {
  const prefix = `${basename(path)}.`;
  for (const name of await readdir(dirname(path))) {
    if (name === own || !name.startsWith(prefix)) continue;
    const pid = /^(\d+)\.[0-9a-f]+\.lock$/.exec(name.slice(prefix.length))?.[1];
    if (pid === undefined) continue;
    if (isRunning(Number(pid))) return name;
    await rm(join(dirname(path), name), { force: true });
  }
  return undefined;
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return systemCode(error) === 'EPERM';
  }
}

function busy(path: string, ticket: string): Failure {
  return new Failure(`Another command has locked ${path}.`, {
    code: 'busy-file',
    nextAction: `Run the command again. If no other command is running, delete ${join(dirname(path), ticket)} first.`,
  });
}
