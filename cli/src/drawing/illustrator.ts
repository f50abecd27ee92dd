import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { hashFile, type HashedFile } from '../../../client/src/folder/hash';
import { readStart } from '../../../client/src/folder/read-file';
import { DRAWN_PATH, DRAWN_TYPE, type Illustrator } from '../../../client/src/push/drawn-picture';
import type { SlidePicture } from '../../../client/src/push/slide-pictures';
import { temporaryFolder } from '../../../client/src/temporary-folder';
import type { ManifestFile } from '../../../functions/src/policy/manifest';
import { commandLine } from '../command-line';
import type { DeckOnDisk } from './deck-page';
import type { Drawing } from './draw-deck';
import { findBrowser } from './find-browser';
import { forgetTold, tellOnce } from './told-browsers';

/** A push waits so long for its slides, from the begin of the upload on. */
const SLIDES_MS = 20_000;

export interface SlideIllustrator extends Illustrator<HashedFile> {
  /** The slides of the version that was begun last: those that are drawn 20 seconds after the begin. Never rejects. */
  slides: () => Promise<SlidePicture[]>;
  /** Why a browser that was found did not draw everything. That it does not start is told once on a computer. */
  problem: () => Promise<string | undefined>;
  /** Ends a browser that still draws, and deletes the pictures. */
  close: () => Promise<void>;
}

/** Draws the slides of a deck with a browser of this computer. */
export function slideIllustrator(): SlideIllustrator {
  const program = findBrowser();
  const pictures: ReturnType<typeof temporaryFolder>[] = [];
  let last: Begun | undefined;
  return {
    isNeeded: async (deck) => !(await hasPicture(deck)),
    canDraw: async () => (await program) !== undefined,
    async begin(deck, hasCover) {
      await last?.end();
      const found = await program;
      if (found === undefined) return undefined;
      last = await Begun.draw(found, deck, hasCover);
      const cover = await last.drawing.cover;
      if (!cover) return undefined;
      const picture = temporaryFolder('deck-picture-');
      pictures.push(picture);
      const absolutePath = join(picture.folder, DRAWN_PATH);
      await writeFile(absolutePath, cover);
      const file = { path: DRAWN_PATH, relativePath: DRAWN_PATH, absolutePath, sizeBytes: 0 };
      return { ...(await hashFile(file)), contentType: DRAWN_TYPE };
    },
    slides: async () => (await last?.slides()) ?? [],
    problem: async () => last?.problem(),
    async close() {
      await last?.end();
      for (const { close } of pictures) await close();
    },
  };
}

/** A drawing that goes on beside the push. */
class Begun {
  private readonly beganAt = performance.now();
  private readonly stop: AbortController;
  /** Resolves when the browser has ended, with why it failed. */
  private readonly ended: Promise<unknown>;
  private isLate = false;

  private constructor(
    private readonly program: string,
    readonly drawing: Drawing,
    stop: AbortController,
  ) {
    this.stop = stop;
    this.ended = drawing.done.then(
      () => undefined,
      (error: unknown) => error,
    );
  }

  static async draw(program: string, deck: DeckOnDisk, hasCover: boolean): Promise<Begun> {
    // Only a push that draws needs the server and its parser.
    const { drawDeck } = await import('./draw-deck.js');
    const stop = new AbortController();
    return new Begun(program, drawDeck(program, deck, { hasCover, signal: stop.signal }), stop);
  }

  async slides(): Promise<SlidePicture[]> {
    const left = Math.max(0, SLIDES_MS - (performance.now() - this.beganAt));
    const isOver = new AbortController();
    const late = pause(left, 'late', { signal: isOver.signal }).catch(() => undefined);
    this.isLate = (await Promise.race([this.ended, late])) === 'late';
    isOver.abort();
    await this.end();
    return [...this.drawing.slides.values()];
  }

  async problem(): Promise<string | undefined> {
    const failure = await this.ended;
    const { BrowserNotStarted } = await import('./deck-page.js');
    if (failure instanceof BrowserNotStarted) {
      if (!(await tellOnce(this.program))) return undefined;
      const doctor = `${commandLine('doctor')} says what to do.`;
      return `${this.program} does not start: pushes draw no pictures of slides. ${doctor}`;
    }
    await forgetTold(this.program);
    if (this.isLate) return `Only the first slides were drawn: drawing all of them takes too long.`;
    return failure === undefined ? undefined : `${this.program} did not draw the slides: the browser failed.`;
  }

  async end(): Promise<void> {
    this.stop.abort();
    await this.ended;
  }
}

const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
/** Whether link previews show a picture of the deck, by the rule of the service. */
async function hasPicture({ files, entryPath }: DeckOnDisk): Promise<boolean> {
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
