import { Failure, isFailure } from '../failure';
import { deckPath, escapeName, findCollisions, ignoreRules, throwRefused } from '../folder/paths';
import { sumFiles } from '../pushed-file';
import { imagesOf } from '../images/is-image';
import { isPdf } from '../pdf/is-pdf';
import type { PdfTool } from '../pdf/read-pdf';
import type { Dropped } from './dropped';
import { droppedImages } from './dropped-images';
import { entriesOf, fileOf, listOf, walk } from './dropped-entries';
import type { BrowserFile } from './files';
import type { GivenFile, Keep } from './given-file';
import { readZip } from './read-zip';

/** The most that a page reads, and where it keeps what an archive holds. */
export interface DropOptions {
  /** Default: the caps of the largest plan. The service checks those of the caller's plan. */
  maxFiles?: number;
  maxBytes?: number;
  /** Default: the memory of the page. */
  keep?: Keep;
  /** Loads pdf.js when a PDF is given. Default: a PDF is refused as other files without a page are. */
  pdf?: (() => Promise<PdfTool>) | undefined;
  /**
   * Loads a file of the viewer when pictures are given. Default: they are refused as other files without a page are.
   */
  images?: PdfTool['part'] | undefined;
}

type Reading = Required<Omit<DropOptions, 'pdf' | 'images'>> & Pick<DropOptions, 'pdf' | 'images'>;

const DEFAULTS: Reading = {
  maxFiles: 10_000,
  maxBytes: 20 * 1024 ** 3,
  keep: (bytes) => new Response(bytes).blob(),
};

/** The tool of a Mac stores the attributes of the files there. */
const OF_MAC = '__MACOSX/\n';

/**
 * Reads what was dropped onto a page or chosen in a dialog: a folder, a zip archive, a PDF, pictures, or files. Dot
 * files, `node_modules` and what `.deckignore` names are left out, as in a push of a folder. The only folder at the top
 * is the folder of the deck. `refused` tells which files a deck cannot hold. It throws `no-entry` when no HTML file is
 * among the others. Call it in the handler of the event: afterwards a browser no longer tells what was dropped.
 */
export async function readDropped(
  given: DataTransfer | FileList | readonly File[],
  options: DropOptions = {},
): Promise<Dropped> {
  const limits = { ...DEFAULTS, ...options };
  // All entries have to be asked for before the first wait.
  const entries = 'getData' in given ? entriesOf(given) : undefined;
  if (!entries) return readFiles([...(given as FileList)], limits);
  const [only] = entries;
  if (entries.length === 1 && only?.isDirectory) {
    const { name } = only;
    return readEntries(name, await listOf(only as FileSystemDirectoryEntry), limits);
  }
  if (entries.some(({ isDirectory }) => isDirectory)) return readEntries('', entries, limits);
  return readFiles(await Promise.all(entries.map((entry) => fileOf(entry as FileSystemFileEntry))), limits);
}

async function readFiles(files: readonly File[], limits: Reading): Promise<Dropped> {
  const [only] = files;
  if (only && files.length === 1 && limits.pdf && isPdf(only.name)) {
    // Most pages never read a PDF.
    const [{ readDroppedPdf }, tool] = await Promise.all([import('./dropped-pdf.js'), limits.pdf()]);
    return readDroppedPdf(only, tool);
  }
  if (!only || files.length > 1 || !isZip(only)) {
    const given = files.map((file) => givenFile(file.webkitRelativePath || file.name, file));
    return belowTop(given, limits, only && files.length === 1 ? withoutExtension(only.name) : '');
  }
  const name = withoutExtension(only.name);
  return { ...(await belowTop(await readZip(only, limits.keep), limits, name)), name };
}

const isZip = ({ name, type }: File) => /\.zip$/i.test(name) || /^application\/(x-)?zip(-compressed)?$/.test(type);

const withoutExtension = (name: string) => name.replace(/(?<=.)\.[^.]*$/, '');

const givenFile = (path: string, file: File): GivenFile => ({
  path,
  sizeBytes: file.size,
  open: () => Promise.resolve(file),
});

async function readEntries(name: string, entries: FileSystemEntry[], limits: Reading): Promise<Dropped> {
  const ignoring = entries.find((entry) => entry.isFile && entry.name === '.deckignore');
  const isIgnored = await rulesOf(ignoring && (await fileOf(ignoring as FileSystemFileEntry)));
  const files: GivenFile[] = [];
  for await (const { path, file } of walk(entries, isIgnored)) {
    files.push(givenFile(path, file));
    if (files.length > limits.maxFiles) throw tooLarge(files);
  }
  return finished(name, files, limits);
}

/** Leaves out the only folder at the top, and what the rules ignore below it. */
async function belowTop(given: readonly GivenFile[], limits: Reading, name: string): Promise<Dropped> {
  const counted = given.filter(({ path }) => !path.startsWith('__MACOSX/'));
  const isNamed = ({ refused }: GivenFile) => refused?.code !== 'bad-path';
  const named = counted.filter(isNamed);
  const tops = new Set(named.map(({ path }) => path.slice(0, path.indexOf('/') + 1)));
  const [top = ''] = tops.size === 1 ? tops : [];
  const below = named.map((file) => ({ ...file, path: file.path.slice(top.length) }));
  const rules = below.find(({ path }) => path === '.deckignore');
  // Without its rules, files would be published that nobody wants to publish.
  if (rules?.refused) throw rules.refused;
  const isIgnored = await rulesOf(await rules?.open());
  const files = below.filter(({ path }) => !isIgnored(path, false));
  return finished(top.slice(0, -1) || name, [...files, ...counted.filter((file) => !isNamed(file))], limits);
}

const rulesOf = async (deckignore: Blob | undefined) => ignoreRules(OF_MAC + ((await deckignore?.text()) ?? ''));

/** Opens the files, with their paths as a deck stores them. */
async function finished(name: string, given: readonly GivenFile[], limits: Reading): Promise<Dropped> {
  const { maxFiles, maxBytes, images: part, keep } = limits;
  if (given.length > maxFiles || sumFiles(given).bytes > maxBytes) throw tooLarge(given);
  const { stored, refused } = storedFiles(given);
  const images = part && refused.length === 0 ? imagesOf(stored) : undefined;
  if (part && images) return droppedImages(name, await opened(images), { part, keep });
  if (!stored.some(({ path }) => isPage(path))) {
    throwRefused(refused);
    throw noPage(name, given);
  }
  const files = await opened(stored.sort((a, b) => (a.path < b.path ? -1 : 1)));
  return { name, files, refused };
}

async function opened(stored: readonly GivenFile[]): Promise<BrowserFile[]> {
  const files: BrowserFile[] = [];
  for (const { path, open } of stored) files.push({ path, blob: await open() });
  return files;
}

/** The files that a deck can hold, and why it cannot hold the others. Of files with one path it holds neither. */
function storedFiles(given: readonly GivenFile[]) {
  const refused: Failure[] = [];
  const named = given.flatMap((file) => {
    try {
      if (file.refused) throw file.refused;
      return [{ ...file, path: deckPath(file.path, '/'), relativePath: file.path }];
    } catch (error) {
      if (!isFailure(error)) throw error;
      refused.push(error);
      return [];
    }
  });
  const collisions = findCollisions(named);
  const twice = new Set(collisions.map(({ details }) => (details as { path: string }).path));
  return { stored: named.filter(({ path }) => !twice.has(path)), refused: [...refused, ...collisions] };
}

const isPage = (path: string) => /\.x?html?$/i.test(path);

/** The failure for files without a page: a picture, slides of another program, a folder of sources. */
const noPage = (name: string, [only, ...others]: readonly GivenFile[]) => {
  const isSingle = only !== undefined && others.length === 0 && !only.path.includes('/');
  const given = isSingle ? only.path : name;
  return new Failure(`There is no HTML file in ${given ? escapeName(given) : 'the given files'}.`, {
    code: 'no-entry',
    nextAction: 'Choose a folder or a zip archive with an HTML file in it, or a single HTML file.',
    details: { given, isSingle },
  });
};

/** The failure for more files or bytes than any deck may have. */
const tooLarge = (given: readonly GivenFile[]) =>
  new Failure('The files exceed the limits of a deck.', {
    code: 'payload-too-large',
    nextAction: 'Choose the folder that the build of the deck made.',
    details: sumFiles(given),
  });
