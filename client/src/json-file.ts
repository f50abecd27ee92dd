import { randomBytes } from 'node:crypto';
import { chmod, mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { exclusively } from './exclusively';
import { Failure, systemCode } from './failure';
import { onDisk } from './on-disk';

/**
 * The parsed file, or undefined when the file does not exist. Throws a failure that names the file when it does not
 * hold a JSON object.
 */
export async function readJson<T>(path: string): Promise<T | undefined> {
  let text: string;
  try {
    // A pipe or a device in another person's folder has no end.
    if (!(await stat(path)).isFile()) throw notJson(path);
    text = await readFile(path, 'utf8');
  } catch (cause) {
    // ENOTDIR: the path of the parent folder leads to a file.
    if (['ENOENT', 'ENOTDIR'].includes(systemCode(cause) ?? '')) return undefined;
    if (cause instanceof Failure) throw cause;
    throw new Failure(`${path} cannot be read (${systemCode(cause)}).`, { code: 'unreadable-file', cause });
  }
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as T;
  } catch {
    // Invalid JSON is reported below, together with JSON that is not an object.
  }
  throw notJson(path);
}

function notJson(path: string): Failure {
  return new Failure(`${path} is damaged: it does not hold a JSON object.`, {
    code: 'damaged-file',
    nextAction: 'Repair or delete the file.',
  });
}

/**
 * Writes a file that only this user can read, in a folder that only this user can open. The write is atomic. As all
 * that follow, it throws `cannot-write` for a file that the system refuses.
 */
export async function writeSecretJson(path: string, value: object): Promise<void> {
  await makeSecretFolderOf(path);
  await writeJson(path, value, 0o600);
}

/** The same for a change of what the file holds. No change of another process is lost. */
export async function changeSecretJson<T extends object>(path: string, change: Change<T>): Promise<void> {
  await makeSecretFolderOf(path);
  await changeJson(path, change, 0o600);
}

/** Gets what a file holds, and returns what it shall hold. Undefined is a file that does not exist. */
type Change<T> = (content: T | undefined) => T | undefined;

/** Reads, changes and writes the file, while no other process changes it in this way. The write is atomic. */
export async function changeJson<T extends object>(path: string, change: Change<T>, mode: number): Promise<void> {
  const work = async () => {
    const content = await readJson<T>(path);
    const changed = change(content);
    if (changed === undefined) await rm(path, { force: true });
    else if (changed !== content) await writeJson(path, changed, mode);
  };
  await onDisk(path, () => exclusively(path, work));
}

export const deleteJson = (path: string): Promise<void> => onDisk(path, () => rm(path, { force: true }));

const makeSecretFolderOf = (path: string): Promise<void> =>
  onDisk(path, async () => {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await chmod(dirname(path), 0o700); // `mkdir` does not change the mode of a folder that exists.
  });

/** Writes the file atomically: a reader sees the old content or the new content. */
export async function writeJson(path: string, value: object, mode: number): Promise<void> {
  await onDisk(path, () => replace(path, `${JSON.stringify(value, null, 2)}\n`, mode));
}

async function replace(path: string, text: string, mode: number): Promise<void> {
  const temporary = `${path}.${process.pid}.${randomBytes(4).toString('hex')}.tmp`;
  try {
    const file = await open(temporary, 'wx', mode);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}
