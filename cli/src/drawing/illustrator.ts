import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hashFile, type HashedFile } from '../../../client/src/folder/hash';
import { readStart } from '../../../client/src/folder/read-file';
import { DRAWN_PATH, DRAWN_TYPE, type Illustrator } from '../../../client/src/push/drawn-picture';
import type { ManifestFile } from '../../../functions/src/policy/manifest';
import { commandLine } from '../command-line';
import { findBrowser } from './find-browser';
import { forgetTold, tellOnce } from './told-browsers';

type Deck = Parameters<Illustrator<HashedFile>['draw']>[0];

/**
 * Draws the first slide of a deck with a browser of this computer, for decks of which link previews show no picture.
 * `problem` tells why a browser that was found drew nothing; that it does not start is told once on a computer. `close`
 * ends a browser that still draws, and deletes the pictures.
 */
export function slideIllustrator(): Illustrator<HashedFile> & {
  problem: () => Promise<string | undefined>;
  close: () => Promise<void>;
} {
  const program = findBrowser();
  const stop = new AbortController();
  let failure: unknown;
  const drawings: Promise<string | undefined>[] = [];
  return {
    isNeeded: async (deck) => !(await hasPicture(deck)),
    canDraw: async () => (await program) !== undefined,
    async draw(deck) {
      const drawing = drawIntoFolder(await program, deck, stop.signal).catch((error: unknown) => {
        failure = error;
        return undefined;
      });
      drawings.push(drawing);
      const folder = await drawing;
      if (folder === undefined) return undefined;
      const file = { path: DRAWN_PATH, relativePath: DRAWN_PATH, absolutePath: join(folder, DRAWN_PATH), sizeBytes: 0 };
      return { ...(await hashFile(file)), contentType: DRAWN_TYPE };
    },
    problem: async () => problemOf(await program, failure),
    async close() {
      stop.abort();
      for (const folder of await Promise.all(drawings)) if (folder) await rm(folder, { recursive: true, force: true });
    },
  };
}

async function problemOf(program: string | undefined, failure: unknown): Promise<string | undefined> {
  if (program === undefined || failure === undefined) return undefined;
  const { BrowserNotStarted } = await import('./deck-page.js');
  if (!(failure instanceof BrowserNotStarted))
    return `${program} did not draw the first slide: the page takes too long, or the browser failed.`;
  if (!(await tellOnce(program))) return undefined;
  return `${program} does not start: pushes draw no picture for link previews. ${commandLine('doctor')} says what to do.`;
}

/** The new folder that holds the picture. Undefined when it could not be drawn. */
async function drawIntoFolder(program: string | undefined, deck: Deck, signal: AbortSignal) {
  if (program === undefined) return undefined;
  // Only a push that draws needs the server and its parser.
  const { drawCover } = await import('./cover.js');
  const bytes = await drawCover(program, deck, signal);
  await forgetTold(program);
  if (!bytes) return undefined;
  const folder = await mkdtemp(join(await realpath(tmpdir()), 'deck-picture-'));
  await writeFile(join(folder, DRAWN_PATH), bytes);
  return folder;
}

const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

/** Whether link previews show a picture of the deck, by the rule of the service. */
async function hasPicture({ files, entryPath }: Deck): Promise<boolean> {
  // They are loaded here: only a push needs the parser.
  const [pictures, { metadataOf }, { pathOfLink }] = await Promise.all([
    import('../../../functions/src/policy/deck-pictures.js'),
    import('../../../functions/src/values/html-metadata.js'),
    import('../../../functions/src/values/paths.js'),
  ]);
  const rows = new Map(files.map((file): [string, ManifestFile] => [file.path, { ...file, size: file.sizeBytes }]));
  const [entry, row] = [files.find(({ path }) => path === entryPath), rows.get(entryPath)];
  const isSearched = entry && row && pictures.hasMetadata(row);
  const link = isSearched
    ? metadataOf(decode(await readStart(entry.absolutePath, pictures.METADATA_BYTES))).picture
    : undefined;
  const path = link === undefined ? undefined : pathOfLink(link, entryPath);
  return pictures.pictureOf(path === undefined ? undefined : rows.get(path), rows) !== undefined;
}
