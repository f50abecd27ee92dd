import type { Browser } from 'playwright-core';
import { passSeconds } from '../support/clock';
import { describeInBrowser, launch, until, windowedPath } from './browser';
import { everyVisit, sharingDeck } from './hostile-origin';
import { proveMarketplace } from './marketplace';
import { provePdfVersions } from './pdf-share';
import { forAll, Siblings } from './siblings';
import { filesOf } from './small-decks';

/**
 * What decks can do to their siblings, each way of counting views, shared memory, returns to a listing, and the next
 * version of a PDF.
 */

const siblings = new Siblings();
const evaluate = <T = unknown>(code: string) => siblings.page.evaluate<T>(code);

describeInBrowser('the origin of a deck', () => {
  beforeEach(() => siblings.openAll());

  test('shares memory with its workers, frames and windows when the _headers of the deck ask for it', async () => {
    expect(await evaluate('[crossOriginIsolated, typeof SharedArrayBuffer]')).toEqual([false, 'undefined']);
    for (const embedder of ['require-corp', 'credentialless']) {
      const files = filesOf(sharingDeck(embedder));
      await siblings.page.goto((await siblings.world.aPushedDeck(siblings.owner, files)).shareUrl);
      // The worker and the frame write, and so does the window, whose address is redirected first.
      expect(await evaluate('[crossOriginIsolated, shared.byteLength]')).toEqual([true, 4]);
      await evaluate(`{ open('/notes'); }`);
      await until(siblings.page, `view.join() === '1,1,1,0'`);
    }
  });

  test('no request of another deck counts a view of this one', async () => {
    const added: Record<string, number> = {};
    for (const visit of everyVisit) {
      passSeconds(61);
      await siblings.viewer.closeWindows();
      await siblings.page.goto(`${siblings.origins.attacker}/`);
      added[visit] = await siblings.counted(visit);
    }
    expect(added).toEqual(Object.fromEntries(everyVisit.map((visit) => [visit, 0])));
  });
});

// SECURITY.md describes both.
describeInBrowser('the cookies of decks', () => {
  beforeEach(() => siblings.openAll());

  let windowed: Browser | undefined;
  afterAll(() => windowed?.close());

  const tossMany = (count: number, value: string) =>
    siblings.toss(Array.from({ length: count }, (_, i) => `c${i}=${value}${forAll}`));

  test('a deck can make the browser forget the grants of its siblings: they open again with their links', async () => {
    await tossMany(400, '1');
    expect(await siblings.see(siblings.origins.victim)).toEqual([404, expect.any(String)]);
    await siblings.page.goto(siblings.victim.shareUrl);
    expect(await siblings.page.title()).toBe('Victim');
  });

  test('a deck can fill the cookies of its siblings until servers refuse them: their owner clears the cookies', async () => {
    // Without windows, Chromium does not end a navigation that a server refuses with 431.
    windowed = await launch([], windowedPath);
    await siblings.arrive({}, windowed);
    await siblings.openAll();
    await tossMany(40, 'x'.repeat(4000));
    for (const url of [siblings.victim.shareUrl, `${siblings.world.cloud.marketplaceUrl}/marketplace`]) {
      const page = await siblings.viewer.context.newPage();
      const answered = page.waitForResponse((response) => response.url().includes('decks.localhost'));
      const shown = page.goto(url).catch((error: Error) => error.message);
      expect([(await answered).status(), await shown]).toEqual([431, expect.stringContaining('ERR_')]);
      await page.close();
    }
    await siblings.viewer.context.clearCookies();
    await siblings.page.goto(siblings.victim.shareUrl);
    expect(await siblings.see(siblings.origins.victim)).toEqual([200, 'Victim']);
  });
});

// Over the same service.
proveMarketplace(siblings);
provePdfVersions(siblings);
