import { randomBytes } from 'node:crypto';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { aPdf } from '../support/pdf-file';
import type { Deck } from '../support/world';
import { describeInBrowser, until } from './browser';
import { pdfDeckFiles, shown } from './pdf-site';
import { Stage } from './stage';
import { buildClient } from '../support/build-client';

const MB = 1024 * 1024;
const PAGES = 300;

const stage = new Stage({ platformLimits: true, deckOrigin: false });

describeInBrowser('the deck of a PDF with 300 pages and 80 MB', () => {
  let folder: string;
  let deck: Deck;
  beforeAll(buildClient);
  beforeAll(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), 'pdf-large-')));
    const pages = Array.from({ length: PAGES }, (_, at) => ({
      heading: `Page ${at + 1}`,
      picture: randomBytes(280_000),
    }));
    const bytes = await aPdf({ pages });
    expect(bytes.length).toBeGreaterThan(80 * MB);
    deck = await stage.aDeck(await pdfDeckFiles(folder, bytes));
  });
  afterAll(() => rm(folder, { recursive: true }));

  /** The bytes of the PDF that were sent until now. */
  const loaded = () =>
    stage.viewer.answers
      .filter(({ url }) => url.endsWith('/slides.pdf'))
      .map(({ contentRange }) =>
        /^bytes (\d+)-(\d+)\//
          .exec(contentRange ?? '')!
          .slice(1)
          .map(Number),
      )
      .reduce((sum, [first, last]) => sum + last! - first! + 1, 0);

  test.each([1, 150, 300])('shows page %d when less than 2 MB are loaded, and then the next ones', async (number) => {
    const frame = await stage.viewer.openForKeys(`${deck.shareUrl}#${number}`);
    await shown(frame, number);
    expect(loaded()).toBeLessThan(2 * MB);
    const turns = Math.min(10, PAGES - number);
    for (let turn = 1; turn <= turns; turn++) {
      await stage.page.keyboard.press('ArrowRight');
      await shown(frame, number + turn);
    }
    // A page is 0.27 MB in pieces of 0.25 MB, and the page after the shown one is loaded, too.
    expect(loaded()).toBeLessThan((2 + turns) * MB);
    expect(stage.troubles).toEqual([]);
  });

  test('finds the text of a page that is not loaded', async () => {
    const frame = await stage.viewer.openForKeys(deck.shareUrl);
    await shown(frame, 1);
    await frame.evaluate(
      `document.querySelectorAll('section')[249].dispatchEvent(new Event('beforematch', { bubbles: true }))`,
    );
    await shown(frame, 250);
    expect(await frame.evaluate(`document.querySelectorAll('.text h2')[276].textContent`)).toBe('Page 277');
    expect(loaded()).toBeLessThan(3 * MB);
    await until(frame, `document.querySelectorAll('section canvas').length <= 3`);
  });
});
