import { randomBytes } from 'node:crypto';
import type { Frame } from 'playwright-core';
import { buildClient } from '../support/bundles';
import type { PdfContent } from '../support/pdf-file';
import { browser as reader, type Row } from '../support/views';
import type { Deck } from '../support/world';
import { describeInBrowser, until } from './browser';
import { aVersion } from './dashboard';
import { MB } from './decks';
import { pdfDeckFiles, shown } from './pdf-site';
import type { Stage } from './stage';

const talk = (): PdfContent => ({
  title: 'Quarterly review',
  pages: [{ heading: 'Opening' }, { heading: 'Numbers', lines: ['See 12 345 678'], link: 1 }, {}],
});

/** The deck of a PDF, for the tests of a suite. */
function sharedPdf(stage: Stage, content: () => PdfContent = talk) {
  let deck: Deck;
  beforeAll(buildClient);
  beforeAll(async () => {
    deck = await stage.aDeck(await pdfDeckFiles(content()));
  });
  afterEach(() => expect(stage.troubles).toEqual([]));

  async function open(hash = ''): Promise<Frame> {
    const frame = await stage.viewer.openForKeys(`${deck.shareUrl}${hash}`);
    await shown(frame, Number(hash.slice(1)) || 1);
    return frame;
  }

  return { open, deck: () => deck };
}

/** A PDF that a link shows in a frame: its page has no origin, no storage and no workers of its own address. */
export function provePdfShare(stage: Stage): void {
  describeInBrowser('the deck of a PDF in a frame', () => {
    const { open } = sharedPdf(stage);

    test('turns its pages by keys and links, opens at the page of the link, and there again after a reload', async () => {
      const frame = await open('#2');
      await frame.getByRole('region', { name: 'Page 2 of 3' }).getByText('See 12 345 678').last().waitFor();
      await frame.getByRole('link', { name: 'See 12 345 678' }).click();
      await shown(frame, 1);
      await stage.page.keyboard.press('End');
      await shown(frame, 3);
      await until(stage.page, `location.hash === '#3'`);
      const opened = stage.page.waitForEvent('framenavigated', (found) => found.url().includes('/_f/'));
      await stage.page.reload();
      await shown(await opened, 3);
    });
  });
}

/** A PDF on the origin of its link, whose pages and files a browser keeps for different times. */
export function provePdfVersions(stage: Stage): void {
  describeInBrowser('the deck of a PDF on its own origin', () => {
    beforeAll(buildClient);

    test('shows each version to a reader who has just read the one before, also when its PDF has the same size', async () => {
      const { shareUrl, presentationId } = await stage.world.aPushedDeck(stage.owner, await pdfDeckFiles(talk()));
      await stage.page.goto(shareUrl);
      await shown(stage.page, 1);
      for (const heading of ['Part 1', 'Part 2']) {
        const next = await pdfDeckFiles({ pages: [{ heading }] });
        await aVersion(stage.world, stage.owner, presentationId, next);
        await stage.page.goto(shareUrl);
        await stage.page.locator('.shown .textLayer').getByText(heading).waitFor();
      }
      expect(stage.troubles).toEqual([]);
    });
  });
}

/** What a PDF in a frame prints, what it tells the insights, and what it loads of a large file. */
export function provePdfShareDetails(stage: Stage): void {
  describeInBrowser('the deck of a PDF in a frame', () => {
    const { deck, open } = sharedPdf(stage);

    test('prints all of its pages when it or the page around it has the focus', async () => {
      const frame = await open();
      await frame.evaluate(`print = () => { printed = document.querySelectorAll('.sheets img').length; }`);
      const ofPage = `dispatchEvent(new KeyboardEvent('keydown', { key: 'p', ctrlKey: true, cancelable: true }))`;
      for (const press of [() => stage.page.keyboard.press('Control+p'), () => stage.page.evaluate(ofPage)]) {
        await frame.evaluate('printed = undefined');
        await press();
        await until(frame, `typeof printed === 'number' && !document.querySelector('.sheets')`);
        expect(await frame.evaluate('printed')).toBe(3);
      }
    });

    test('tells the insights which pages were read', async () => {
      await stage.arrive({ userAgent: reader['user-agent'] });
      const frame = await open();
      await stage.page.keyboard.press('ArrowRight');
      await shown(frame, 2);
      const seen = async () => {
        await frame.evaluate(`dispatchEvent(new Event('pagehide'))`);
        await stage.viewer.quiet();
        const { presentationId } = deck();
        const { views } = await stage.read<{ views: Row[] }>('listPresentationViews', { presentationId });
        return views[0]?.slides.map(({ key, title }) => [key, title]) ?? [];
      };
      // The first page may have been turned before it was seen.
      while ((await seen()).length < 1);
      await stage.page.keyboard.press('ArrowLeft');
      await shown(frame, 1);
      while ((await seen()).length < 2);
      expect(await seen()).toEqual([
        ['Opening', 'Opening'],
        ['Numbers', 'Numbers'],
      ]);
    });
  });

  describeInBrowser('the deck of a PDF with 300 pages and 80 MB', () => {
    const PAGES = 300;
    const aPage = (_: unknown, at: number) => ({ heading: `Page ${at + 1}`, picture: randomBytes(280_000) });
    const { open } = sharedPdf(stage, () => ({ pages: Array.from({ length: PAGES }, aPage) }));

    /** The bytes of the PDF that were sent until now. */
    const loaded = () =>
      stage.viewer.answers
        .filter(({ url }) => url.includes('/slides.pdf?'))
        .map(({ contentRange }) => /^bytes (\d+)-(\d+)\//.exec(contentRange!)!)
        .reduce((sum, [, first, last]) => sum + Number(last) - Number(first) + 1, 0);
    const untilFewPicturesAreKept = (frame: Frame) =>
      until(frame, `document.querySelectorAll('section canvas').length <= 3`);

    test.each([1, 150, 300])(
      'shows page %d when less than 2 MB are loaded, then the next ones, and keeps the pictures of three',
      async (number) => {
        const frame = await open(`#${number}`);
        expect(loaded()).toBeLessThan(2 * MB);
        const turns = Math.min(10, PAGES - number);
        for (let turn = 1; turn <= turns; turn++) {
          await stage.page.keyboard.press('ArrowRight');
          await shown(frame, number + turn);
        }
        // A page is 0.27 MB in pieces of 0.25 MB, and the page after the shown one is loaded, too.
        expect(loaded()).toBeLessThan((2 + turns) * MB);
        await untilFewPicturesAreKept(frame);
      },
    );

    test('finds the text of a page that is not loaded', async () => {
      const frame = await open();
      await frame.evaluate(
        `document.querySelectorAll('section')[249].dispatchEvent(new Event('beforematch', { bubbles: true }))`,
      );
      await shown(frame, 250);
      expect(await frame.evaluate(`document.querySelectorAll('.text h2')[276].textContent`)).toBe('Page 277');
      expect(loaded()).toBeLessThan(3 * MB);
      await untilFewPicturesAreKept(frame);
    });
  });
}
