import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { withDeckPage } from '../../cli/src/drawing/deck-page';
import { joinPdfs } from '../../cli/src/drawing/join-pdfs';
import { printDeck } from '../../cli/src/drawing/print-deck';
import { findTool, slidesOf } from '../../cli/src/drawing/slides';
import { hashFiles } from '../../client/src/folder/hash';
import { scanFolder } from '../../client/src/folder/read-folder';
import { browserIn } from '../browser/program';
import { pdfTexts } from '../support/pdf-texts';
import { decksWithSlides } from './slides';

const built = resolve(__dirname, '../../.build/real-decks');
let root: string;
let program: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'drawn-decks-'));
  program = await browserIn(root);
});
afterAll(() => rm(root, { recursive: true }));

const filesOf = async (name: string) => ({
  files: await hashFiles(await scanFolder(join(built, name)), {}),
  entryPath: 'index.html',
});
const limit = () => AbortSignal.timeout(170_000);

test.each(decksWithSlides)(
  '%s: each slide is drawn, with the key and the title of the insights',
  async (name, titles, keys = titles) => {
    const drawn = await withDeckPage(program, await filesOf(name), limit(), async (page) => {
      const slides = [];
      await page.load({ width: 1280, height: 720, scale: 0.5 });
      await findTool(page);
      for await (const { key, title, picture } of slidesOf(page, 200)) slides.push([key, title, picture.length > 500]);
      // Requests that cross each other would make an entry each.
      expect(await page.evaluate('history.length')).toBeLessThan(10);
      return slides;
    });
    expect(drawn).toEqual(titles.map((title, i) => [keys[i], title, true]));
  },
);

/** The tools of these decks have steps. */
const stepped = ['impress', 'slidev', 'marp', 'shower', 'spectacle'];

test.each(decksWithSlides)('%s: each slide is a page of the PDF, at its last step', async (name, titles) => {
  const { parts } = await printDeck(program, await filesOf(name), limit());
  const texts = pdfTexts((await joinPdfs(parts, name)).bytes);
  expect(texts).toEqual(
    titles.map((title) => expect.stringMatching(new RegExp(title.replace('.', '\\.'), 'i')) as string),
  );
  const last = /Shown by a (key|click)/.test(texts[2]!);
  expect(last).toBe(stepped.includes(name.replace('-relative', '')));
});
