import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Frame } from 'playwright-core';
import { aPdf } from '../support/pdf-file';
import { browser as reader, type Row } from '../support/views';
import type { Deck } from '../support/world';
import { describeInBrowser, until } from './browser';
import { pdfDeckFiles, shown } from './pdf-site';
import type { Stage } from './stage';
import { buildClient } from '../support/build-client';

/** The deck of a PDF, for the tests of a suite. */
function sharedPdf(stage: Stage) {
  let deck: Deck;
  beforeAll(buildClient);
  beforeAll(async () => {
    const folder = await realpath(await mkdtemp(join(tmpdir(), 'pdf-share-')));
    const pages = [{ heading: 'Opening' }, { heading: 'Numbers', lines: ['See 12 345 678'], link: 1 }, {}];
    deck = await stage.aDeck(await pdfDeckFiles(folder, await aPdf({ pages, title: 'Quarterly review' })));
    await rm(folder, { recursive: true });
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

/** What a PDF in a frame prints, and what it tells the insights. */
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
}
