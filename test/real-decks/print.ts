import type { Page } from 'playwright-core';
import { deckNamed, type Setting } from './setting';
import { onStages } from './stage';

/** A deck on its origin prints as many pages as under a static server. */
export function testPrint(setting: Setting): void {
  test.each([
    { name: 'print', query: '' },
    { name: 'marp', query: '' },
    // reveal.js lays out its pages for this query, a while after it is ready.
    { name: 'reveal', query: 'print-pdf', isLaidOut: `document.querySelectorAll('.pdf-page').length === 3` },
  ])('$name, origin: prints every slide', async ({ name, query, isLaidOut }) => {
    const deck = deckNamed(name);
    const server = await setting.serveStatically(deck);
    const addresses = [await setting.addressOf(name, 'origin'), server.url].map((address) => {
      const url = new URL(address);
      if (query) url.search += `${url.search ? '&' : '?'}${query}`;
      return url.href;
    });
    const options = { isReady: isLaidOut ?? deck.isReady, isFramed: false };
    await onStages(setting.browser, addresses, options, async (both) => {
      await Promise.all(both.map((stage) => stage.ready()));
      expect(await Promise.all(both.map(({ viewer }) => pagesOf(viewer.page)))).toEqual([3, 3]);
    }).finally(() => server.close());
  });
}

/** The key for printing prints the deck in a frame, not the page around it. */
export function testPrintKey(setting: Setting, form: 'framed' | 'listing'): void {
  test(`print, ${form}: the key prints the deck alone`, () =>
    setting.onStage(deckNamed('print'), form, async (stage) => {
      await stage.ready();
      await stage.viewer.page.evaluate(`printed = 0; addEventListener('beforeprint', () => printed++)`);
      await stage.press('Control+p');
      await stage.holds('facts.printed === 1');
      expect(await stage.viewer.page.evaluate('printed')).toBe(0);
    }));
}

async function pagesOf(page: Page): Promise<number> {
  const pdf = await page.pdf({ preferCSSPageSize: true });
  return pdf.toString('latin1').match(/\/Type\s*\/Page\b/g)?.length ?? 0;
}
