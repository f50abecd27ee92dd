import type { Dirent, Stats } from 'node:fs';
import { readdir, readFile, realpath, stat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { Failure, systemCode } from '../failure';
import type { FolderFile } from './hash';
import { deckPath, findCollisions, ignoreRules, throwRefused } from './paths';
import { readFailure } from './read-file';

/**
 * The files of a folder that belong to the deck, sorted by path. A symbolic link is followed when its target is inside
 * the folder. Throws one failure that names every file that a deck cannot hold: `bad-path`, `path-collision`, and
 * `bad-link` for every other link and for a link that makes a cycle.
 */
export async function scanFolder(folder: string): Promise<FolderFile[]> {
  const root = await realpath(folder);
  const files: FolderFile[] = [];
  const refused: Failure[] = [];
  await walk({ root, isIgnored: await rulesOf(root), files, refused }, '', [root]);
  throwRefused([...refused, ...findCollisions(files)]);
  return files.sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** Tells whether a push ignores a path of the folder. */
export async function rulesOf(root: string): Promise<ReturnType<typeof ignoreRules>> {
  return ignoreRules(await readDeckignore(root));
}

interface Walk {
  root: string;
  isIgnored: (path: string, isFolder: boolean) => boolean;
  files: FolderFile[];
  /** Why the deck cannot hold a file or a folder. */
  refused: Failure[];
}

/** `chain` holds the real paths of the parent folders. A folder that is already in it closes a cycle. */
async function walk(scan: Walk, below: string, chain: string[]): Promise<void> {
  const folder = join(scan.root, below);
  const entries = await readdir(folder, { withFileTypes: true }).catch((cause: unknown) => {
    throw readFailure(folder, cause);
  });
  for (const entry of entries)
    await visit(scan, below, entry, chain).catch((error: unknown) => {
      if (!(error instanceof Failure)) throw error;
      scan.refused.push(error);
    });
}

async function visit(scan: Walk, below: string, entry: Dirent, chain: string[]): Promise<void> {
  const relativePath = join(below, entry.name);
  const tested = relativePath.split(sep).join('/');
  // The rules are tested before a link is followed, so that an ignored link may lead anywhere.
  if (scan.isIgnored(tested, entry.isDirectory())) return;
  // The folder may have been reached by a link.
  const absolutePath = join(chain.at(-1)!, entry.name);
  const path = deckPath(relativePath, sep);
  const target = entry.isSymbolicLink() ? await follow(scan.root, absolutePath, relativePath) : absolutePath;
  const stats = await stat(target).catch((cause: unknown) => {
    throw readFailure(absolutePath, cause);
  });
  if (!stats.isDirectory()) scan.files.push(folderFile(stats, path, relativePath, target));
  else if (!scan.isIgnored(tested, true)) {
    if (chain.includes(target)) throw badLink(relativePath, 'leads to a folder that contains the link');
    await walk(scan, relativePath, [...chain, target]);
  }
}

function folderFile(stats: Stats, path: string, relativePath: string, absolutePath: string): FolderFile {
  if (!stats.isFile())
    throw new Failure(`${relativePath} is neither a file nor a folder.`, {
      code: 'bad-path',
      nextAction: 'Take it out of the folder, or name it in .deckignore.',
      details: { path: relativePath },
    });
  return { path, relativePath, absolutePath, sizeBytes: stats.size };
}

async function follow(root: string, absolutePath: string, relativePath: string): Promise<string> {
  const target = await realpath(absolutePath).catch((cause: unknown) => {
    throw badLink(relativePath, systemCode(cause) === 'ELOOP' ? 'leads back to itself' : 'leads nowhere');
  });
  const way = relative(root, target);
  if (way === '..' || way.startsWith(`..${sep}`) || way.startsWith(sep) || /^[A-Za-z]:/.test(way))
    throw badLink(relativePath, 'leads out of the folder');
  return target;
}

function badLink(relativePath: string, problem: string): Failure {
  return new Failure(`The link ${relativePath} ${problem}.`, {
    code: 'bad-link',
    nextAction: 'Put the file itself into the folder, or name the link in .deckignore.',
    details: { path: relativePath },
  });
}

async function readDeckignore(root: string): Promise<string> {
  const path = join(root, '.deckignore');
  try {
    // A pipe or a device in another person's folder has no end.
    if (!(await stat(path)).isFile())
      throw new Failure(`${path} is not a file.`, { code: 'bad-path', nextAction: 'Delete it.' });
    return await readFile(path, 'utf8');
  } catch (cause) {
    if (cause instanceof Failure) throw cause;
    if (systemCode(cause) === 'ENOENT') return '';
    throw readFailure(path, cause);
  }
}
