import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { lockFolder } from '../../../local/data/folder-lock';
import { aFolder } from '../folders';
import { startAndStop } from './fixture';

const folder = aFolder();
const lockFile = join(folder, 'owner');

type Lock = { pid: number; started: string };
const readLock = () => JSON.parse(readFileSync(lockFile, 'utf8')) as Lock;
const writeLock = (lock: Lock) => writeFileSync(lockFile, JSON.stringify(lock));

test('a data folder has one process at a time; a killed process does not keep the lock', async () => {
  const unlock = lockFolder(folder);
  expect(() => lockFolder(folder)).toThrow(`The data folder ${folder} is in use by process ${process.pid}.`);
  await expect(startAndStop(folder)).rejects.toThrow(`The data folder ${folder} is in use by process ${process.pid}.`);
  const lock = readLock();
  unlock();
  // A start locks the folder, and unlocks it at its end.
  await startAndStop(folder);
  expect(existsSync(lockFile)).toBe(false);
  const { pid } = spawnSync(process.execPath, ['--version']);
  writeLock({ ...lock, pid });
  lockFolder(folder)();
  expect(existsSync(lockFile)).toBe(false);
});

/** Whether the system tells when a process was started. */
const tellsStarts = existsSync('/proc/self/stat');
(tellsStarts ? test : test.skip)('a lock names its process by id and start: a reused id does not keep it', () => {
  const unlock = lockFolder(folder);
  const lock = readLock();
  // This process lives, and it was started at another time.
  writeLock({ ...lock, started: `1${lock.started}` });
  lockFolder(folder);
  expect(readLock()).toEqual(lock);
  expect(() => lockFolder(folder)).toThrow('is in use by process');
  unlock();
});
