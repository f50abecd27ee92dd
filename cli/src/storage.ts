import { randomBytes } from 'node:crypto';
import { chmod, mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { Failure, systemCode } from './failure';

/** The folder for keys, share links and upload sessions of this user: never inside a deck, which may be public. */
export function configFolder(env: NodeJS.ProcessEnv = process.env): string {
  if (process.platform === 'win32') return join(env['APPDATA'] ?? join(homedir(), 'AppData', 'Roaming'), 'deck');
  return join(env['XDG_CONFIG_HOME'] || join(homedir(), '.config'), 'deck');
}

/** The parsed file, or undefined when there is none. A file that is no JSON object is an error that names it. */
export async function readJson<T>(path: string): Promise<T | undefined> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (cause) {
    // ENOTDIR: what should be its folder is a file.
    if (['ENOENT', 'ENOTDIR'].includes(systemCode(cause) ?? '')) return undefined;
    throw new Failure(`${path} cannot be read (${systemCode(cause)}).`, { code: 'unreadable-file', cause });
  }
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as T;
  } catch {
    // Told below, with every other kind of wrong content.
  }
  throw new Failure(`${path} is damaged: it does not hold a JSON object.`, {
    code: 'damaged-file',
    nextAction: 'Repair or delete the file.',
  });
}

/** Writes a file that only this user can read, in a folder that only this user can open: all of it or nothing. */
export async function writeSecret(path: string, value: object): Promise<void> {
  const folder = dirname(path);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await chmod(folder, 0o700); // it may be older than this client, and more open
  await writeAtomically(path, value, 0o600);
}

/** Writes JSON through a temporary file beside it and a rename, so that a reader never sees a half. */
export async function writeAtomically(path: string, value: object, mode: number): Promise<void> {
  const temporary = `${path}.${process.pid}.${randomBytes(4).toString('hex')}.tmp`;
  try {
    const file = await open(temporary, 'wx', mode);
    try {
      await file.writeFile(`${JSON.stringify(value, null, 2)}\n`);
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
