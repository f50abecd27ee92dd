import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withDeckPage, type DeckPage } from '../../cli/src/drawing/deck-page';
import { findTool, slidesOf } from '../../cli/src/drawing/slides';
import { hashFiles } from '../../client/src/folder/hash';
import { scanFolder } from '../../client/src/folder/read-folder';
import { browserIn } from '../browser/program';
import { fill } from './files';

/** Folders with decks, whose slides Chromium draws as a push does. */

/** A folder for all files of a test file. */
export let root: string;
/** Chromium as a program. */
export let program: string;
let decks = 0;

/** Makes `root` and `program` for the tests of a file. */
export function withBrowserProgram(): void {
  beforeAll(async () => {
    root = await realpath(await mkdtemp(join(tmpdir(), 'drawing-')));
    program = await browserIn(root);
  });
  afterAll(() => rm(root, { recursive: true }));
}

/** A folder with a deck whose entry page has this text. */
export async function aFolder(html: string, files: Record<string, string> = {}): Promise<string> {
  const folder = join(root, `deck-${++decks}`);
  await fill(folder, { 'index.html': `<!doctype html><meta charset="utf-8">${html}`, ...files });
  return folder;
}

interface Drawn {
  key: string;
  title: string;
  picture: Buffer;
  /** What `see` evaluated to while the page showed the slide. */
  seen: unknown;
}

/** Draws the deck of a folder as a push does. */
export async function draw(folder: string, see = '0'): Promise<Drawn[]> {
  const files = await hashFiles(await scanFolder(folder), {});
  const look = async (page: DeckPage) => {
    await page.load({ width: 1280, height: 720, scale: 0.5 });
    await findTool(page);
    const drawn: Drawn[] = [];
    for await (const slide of slidesOf(page, 5)) drawn.push({ ...slide, seen: await page.evaluate(see) });
    return drawn;
  };
  return withDeckPage(program, { files, entryPath: 'index.html' }, AbortSignal.timeout(200_000), look);
}

/** A script that changes the slide, `n` of three, at each arrow. */
export const onArrows = (show: string) => `<script>
  let n = 0;
  const show = () => { ${show} };
  addEventListener('keydown', ({ key }) => { n = Math.max(0, Math.min(2, n + ({ ArrowRight: 1, ArrowLeft: -1 }[key] ?? 0))); show(); });
  show();
</script>`;

/** Tests that the slides of a deck have these keys. */
export const expectKeys = async (html: string, keys: string[]) =>
  expect((await draw(await aFolder(html))).map(({ key }) => key)).toEqual(keys);
