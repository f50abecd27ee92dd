import { readdir, readFile, readlink, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { aDeck, computer, done, fill, testbed, type Ended } from './testbed';

export type Content = Record<string, string>;

/** A file in the answer of `deck pull`. */
export type Row = Record<'path' | 'action', string>;

export interface Pulled {
  status: string;
  version: number;
  files: Row[];
  leftOut: string[];
  warnings: { message: string }[];
}

export const PAGE = { 'index.html': '<title>Talk</title>' };

/**
 * The files of a folder with their content, and `.deck.json`. Without the partial files of a pull, and without what a
 * killed command leaves beside `.deck.json`; a push ignores both.
 */
export async function contentOf(folder: string): Promise<Content> {
  const found: Content = {};
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    const name = path.slice(folder.length + 1);
    if (/^\.deck-download\/|^\.deck\.json\..*\.(tmp|lock)$/.test(name)) continue;
    if (entry.isSymbolicLink()) found[name] = `→ ${await readlink(path)}`;
    else if (entry.isFile()) found[name] = await readFile(path, 'utf8');
  }
  return found;
}

export async function filesOf(folder: string): Promise<Content> {
  const { '.deck.json': _, ...files } = await contentOf(folder);
  return files;
}

/** Makes the folder hold exactly these files, besides the hidden ones. */
export async function become(folder: string, files: Content): Promise<void> {
  for (const name of await readdir(folder))
    if (!name.startsWith('.')) await rm(join(folder, name), { recursive: true });
  await fill(folder, files);
}

let names = 0;
/** The path of a folder that does not exist yet. */
export const aNewFolder = () => join(testbed.folder, `new-${++names}`);

/** A folder that is based on version 1, of a deck whose version 2 has the files `there`. */
export async function behind(base: Content, there: Content): Promise<{ folder: string; id: string; other: string }> {
  const { folder, presentationId: id } = await aDeck({ ...PAGE, ...base });
  const other = aNewFolder();
  await done('pull', id, other);
  await become(other, { ...PAGE, ...there });
  await done('push', other);
  return { folder, id, other };
}

export const pull = (...args: string[]) => done<Pulled>('pull', ...args);

/** A command that is killed at a step of its writes. */
export const killedAt = (step: number, ...args: string[]): Promise<Ended> =>
  computer.deck([...args, '--json'], {
    NODE_OPTIONS: `--require ${join(__dirname, 'killed-at.cjs')}`,
    KILLED_AT: String(step),
  });

/** A folder of somebody else that names a deck. */
export async function ofStranger(deckFile: object, files: Content = PAGE): Promise<string> {
  const folder = await testbed.aFolder(files);
  await writeFile(join(folder, '.deck.json'), JSON.stringify({ version: 1, entryPath: 'index.html', ...deckFile }));
  return folder;
}

/** A pushed folder with three versions: the second adds a file, the third changes one. */
export async function aHistory(): Promise<{ folder: string; id: string }> {
  const files = { 'index.html': '<title>Talk</title>', 'a.txt': 'one', 'b.txt': 'bytes' };
  const { folder, presentationId: id } = await aDeck(files);
  await writeFile(join(folder, 'c.txt'), 'new');
  await done('push', folder, '--message', 'More\n\u2067numbers\u2069');
  await writeFile(join(folder, 'a.txt'), 'three');
  await done('push', folder);
  return { folder, id };
}
