import type { Frame, Page } from 'playwright-core';
import { passSeconds } from '../support/clock';
import { startLive } from '../support/live';
import { describeInBrowser, until } from './browser';
import { openAsPresenter } from './live-stage';
import { html } from './small-decks';
import type { Stage } from './stage';

async function frameOf(page: Page, url: string): Promise<Frame> {
  await page.goto(url);
  return page.frames()[1]!;
}

/** Live sessions of decks in frames, where the page around the deck has the tickets. */
export function proveLiveInFrames(stage: Stage): void {
  const aTab = () => stage.viewer.context.newPage();

  describeInBrowser('a deck in a frame in a live session', () => {
    test('follows, also on its next page; a presenter stays one after a reload, and the address has no ticket', async () => {
      const show = `<script>addEventListener('keydown', ({ key }) => { if (/\\d/.test(key)) location.hash = key })</script>`;
      const deck = await stage.aDeck([html(`<h1>Deck</h1>${show}`), html(`<h1>More</h1>${show}`, 'more.html')]);
      const early = await aTab();
      const before = await frameOf(early, deck.shareUrl);
      // In a tab that shows the deck already, the address of the presenter has another hash only.
      await stage.page.goto(deck.shareUrl);
      await openAsPresenter(stage.page, await startLive(stage.owner, deck));
      expect(stage.page.url()).toBe(deck.shareUrl);
      const reader = await frameOf(await aTab(), deck.shareUrl);
      const go = async (key: string) => {
        await stage.page.locator('iframe').focus();
        await stage.page.keyboard.press(key);
        passSeconds(1);
        await until(reader, `location.hash === '#${key}'`);
      };
      await go('2');
      await reader.locator('deck-live').getByText('Live', { exact: true }).waitFor();
      await before.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`);
      await until(before, `location.hash === '#2'`);
      await reader.goto(stage.world.framedUrl(deck, 'more.html'));
      await until(reader, `document.querySelector('h1').textContent === 'More' && location.hash === '#2'`);
      await stage.page.reload();
      await until(stage.page.frames()[1]!, `location.hash === '#2' && document.querySelector('deck-live')`);
      await go('3');
      expect(stage.page.url()).toBe(`${deck.shareUrl}#3`);
      await stage.call('endLiveSession', { presentationId: deck.presentationId });
      await until(stage.page, 'sessionStorage.length === 0');
      await until(reader, `!document.querySelector('deck-live')`);
      expect(stage.troubles).toEqual([]);
    });
  });
}

/** A deck in a frame that tells its slides by an address that changes without an event. */
export function proveLiveByAddress(stage: Stage): void {
  describeInBrowser('a deck in a frame in a live session', () => {
    test('follows where the address alone tells the slide, of which a frame hears no event', async () => {
      const slide = (n: number) => `<div style="display: flex"><h2>Slide ${n}</h2></div>`;
      const spectacle = `<div style="width: 100vw"><div>${slide(0)}${slide(1)}</div></div><script>
        const go = (n) => history.pushState(null, '', '?slideIndex=' + n + '&stepIndex=0');
        go(0);
        addEventListener('keydown', () => go(1));
      </script>`;
      const deck = await stage.aDeck([html(spectacle)]);
      await openAsPresenter(stage.page, await startLive(stage.owner, deck));
      const reader = await frameOf(await stage.viewer.context.newPage(), deck.shareUrl);
      await stage.page.locator('iframe').focus();
      // An arrow may scroll, which is an event.
      await stage.page.keyboard.press('n');
      passSeconds(1);
      await until(reader, `location.search === '?slideIndex=1&stepIndex=0'`);
    });
  });
}
