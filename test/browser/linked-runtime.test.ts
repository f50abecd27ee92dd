import type { Browser } from 'playwright-core';
import { World } from '../support/world';
import { describeInBrowser, launch, until, Viewer } from './browser';
import { html } from './small-decks';

let world: World;
let browser: Browser;
let viewer: Viewer;

describeInBrowser('the runtime of a deck on its own origin', () => {
  beforeAll(async () => {
    [world, browser] = await Promise.all([World.start(), launch()]);
    viewer = await Viewer.arrive(browser);
  });
  afterAll(async () => {
    await browser?.close();
    await world?.stop();
  });

  test('comes from the origin of the deck, leaves nothing behind, and leaves storage and links to the browser', async () => {
    const look = `({
      names: Object.getOwnPropertyNames(window).sort(),
      html: document.documentElement.outerHTML,
      isNative: /native code/.test(Object.getOwnPropertyDescriptor(window, 'localStorage').get),
    })`;
    const body = `<title>Deck</title><link rel="icon" href="data:,"><a href="https://elsewhere.example/">Go</a><script>localStorage.kept = 1</script>`;
    const deck = await world.aDeck(await world.anOwner(), [html(body)]);
    await viewer.page.goto(`${deck.shareUrl}#3`);
    await until(viewer.page, `location.hash === '#3' && localStorage.kept === '1'`);
    const { page } = viewer;
    const { origin } = new URL(page.url());
    const own = viewer.answers.filter(({ url }) => url.includes('/_deck/'));
    expect(own).toEqual([expect.objectContaining({ status: 200, url: expect.stringContaining(`${origin}/_deck/`) })]);
    const seen = await page.evaluate<{ html: string; names: string[] }>(look);
    expect(seen).toMatchObject({ isNative: true, html: expect.stringMatching(/^<html><head><meta charset/) });
    // The same page without the runtime: as a script would read it.
    const other = await viewer.context.newPage();
    await other.route(`${origin}/`, (route) => route.fulfill({ contentType: 'text/html', body: html(body).bytes }));
    await other.goto(`${origin}/#3`);
    expect(await other.evaluate(look)).toEqual(seen);
    await viewer.context.route('https://elsewhere.example/', (route) =>
      route.fulfill({ contentType: 'text/html', body: `<link rel="icon" href="data:,">` }),
    );
    await page.click('a');
    await page.waitForURL('https://elsewhere.example/');
    expect(viewer.troubles).toEqual([]);
  });
});
