import type { Stats } from 'node:fs';
import { readdir, readFile, realpath, stat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { Failure, systemCode, usageFailure } from '../failure';
import { fileFailure } from '../file-failure';
import { ignoreRules } from './ignore-rules';
import { deckPath, refuseCollisions } from './paths';

export interface FolderFile {
  /** The path in the deck. */
  path: string;
  /** The path below the folder, as it is on disk. */
  relativePath: string;
  absolutePath: string;
  sizeBytes: number;
}

/**
 * The files of a folder that belong to the deck, sorted by path. Links are followed where they stay inside the folder; one
 * that leads out of it, nowhere, or round in a circle is an error that names it.
 */
export async function scanFolder(folder: string): Promise<FolderFile[]> {
  const root = await realpath(folder);
  const files: FolderFile[] = [];
  await walk({ root, isIgnored: ignoreRules(await readDeckignore(root)), files }, '', [root]);
  refuseCollisions(files);
  return files.sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** The real path of a folder to push; anything else is a usage error. */
export async function requireFolder(folder: string): Promise<string> {
  const found = await stat(folder).catch(() => undefined);
  if (!found) throw usageFailure(`There is no folder ${folder}.`);
  if (!found.isDirectory()) throw usageFailure(`${folder} is no folder.`, 'Name the folder that holds the deck.');
  return realpath(folder);
}

interface Walk {
  root: string;
  isIgnored: (path: string, isFolder: boolean) => boolean;
  files: FolderFile[];
}

/** `chain` holds the real paths of the folders that led here: meeting one again is a circle. */
async function walk(scan: Walk, below: string, chain: string[]): Promise<void> {
  const folder = join(scan.root, below);
  const entries = await readdir(folder, { withFileTypes: true }).catch((cause: unknown) => {
    throw fileFailure(folder, cause);
  });
  for (const entry of entries) {
    const relativePath = join(below, entry.name);
    const tested = relativePath.split(sep).join('/');
    // A link is judged by its own name first: what is ignored may point anywhere.
    if (scan.isIgnored(tested, entry.isDirectory())) continue;
    const absolutePath = join(scan.root, relativePath);
    const path = deckPath(relativePath, sep);
    const target = entry.isSymbolicLink() ? await follow(scan.root, absolutePath, relativePath) : absolutePath;
    const stats = await stat(target).catch((cause: unknown) => {
      throw fileFailure(absolutePath, cause);
    });
    if (stats.isDirectory()) {
      if (scan.isIgnored(tested, true)) continue;
      if (chain.includes(target)) throw badLink(relativePath, 'leads to a folder that it is in');
      await walk(scan, relativePath, [...chain, target]);
    } else scan.files.push(describe(stats, path, relativePath, absolutePath));
  }
}

function describe(stats: Stats, path: string, relativePath: string, absolutePath: string): FolderFile {
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
    throw badLink(relativePath, systemCode(cause) === 'ELOOP' ? 'leads round in a circle' : 'leads nowhere');
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
    return await readFile(path, 'utf8');
  } catch (cause) {
    if (systemCode(cause) === 'ENOENT') return '';
    throw fileFailure(path, cause);
  }
}
