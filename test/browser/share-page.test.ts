import type { Browser } from 'playwright-core';
import { labelOfListing, labelOfToken, originOf } from '../../functions/src/values/deck-origins';
import { page, World, type Account } from '../support/world';
import { describeInBrowser, launch, until, Viewer } from './browser';

let world: World;
let browser: Browser;
let owner: Account;
let viewer: Viewer;

const deck = (body: string) => ({ ...page(), bytes: Buffer.from(`<!doctype html><title>A talk</title>${body}`) });
const stores = `<script>localStorage.setItem('slide', '3'); kept = localStorage.getItem('slide')</script>`;

describeInBrowser('with deck origins, in a browser', () => {
  beforeAll(async () => {
    [world, browser] = await Promise.all([World.start(), launch()]);
    owner = await world.aPublisher();
  });
  afterAll(async () => {
    await browser?.close();
    await world?.stop();
  });
  beforeEach(async () => {
    viewer = await Viewer.arrive(browser);
  });
  afterEach(() => viewer.leave());

  test('a share link opens the deck at its origin in the whole window, and keeps query and hash', async () => {
    const mine = await world.aDeck(owner, [deck(stores)]);
    await viewer.page.goto(`${mine.shareUrl}&print-pdf&a=1%202#/3`);
    await until(viewer.page, 'window.kept === "3"');
    const origin = originOf(world.cloud.deckOrigin!, labelOfToken(mine.tokenId));
    expect(viewer.page.url()).toBe(`${origin}/?print-pdf&a=1%202#/3`);
    expect(await viewer.page.evaluate('document.referrer + self.origin')).toBe(origin);
    expect(viewer.page.frames()).toHaveLength(1);
    await viewer.page.reload();
    await until(viewer.page, 'window.kept === "3"');
    expect(viewer.page.url()).toBe(`${origin}/?print-pdf&a=1%202#/3`);
  });

  test('a listing frames the deck at its origin, where storage works, and the deck cannot lead the page away', async () => {
    const leave = `<a href="https://example.org/" target="_top">Leave</a>`;
    const { slug } = await world.aListing(owner, {}, await world.aDeck(owner, [deck(stores + leave)]));
    const { marketplaceUrl } = (await world.call('getMarketplaceListing', undefined, { query: { slug } })).data;
    await viewer.page.goto(String(marketplaceUrl));
    const frame = (await (await viewer.page.waitForSelector('iframe')).contentFrame())!;
    await until(frame, 'window.kept === "3"');
    expect(await frame.evaluate('self.origin')).toBe(originOf(world.cloud.deckOrigin!, labelOfListing(slug)));
    const refused = `(() => { try { top.location = 'https://example.org/' } catch (error) { return error.name } })()`;
    expect(await frame.evaluate(refused)).toBe('SecurityError');
    expect(
      await frame.evaluate(`(() => { try { return top.document.title } catch (error) { return error.name } })()`),
    ).toBe('SecurityError');
    expect(viewer.page.url()).toBe(marketplaceUrl);

    const opened = viewer.context.waitForEvent('page');
    await viewer.page.getByRole('link', { name: 'Open full screen' }).click();
    await until(await opened, 'window.kept === "3" && window.opener === null');
  });

  test.each([
    [390, 844],
    [1440, 900],
  ])('the notice of a link and the page of a listing fit %d pixels', async (width, height) => {
    await viewer.page.setViewportSize({ width, height });
    const mine = await world.aDeck(owner, [page()]);
    const { slug } = await world.aListing(owner, { title: 'x'.repeat(255) }, mine);
    const { marketplaceUrl } = (await world.call('getMarketplaceListing', undefined, { query: { slug } })).data;
    await world.call('unsharePresentation', { presentationId: mine.presentationId, all: true }, { key: owner.key });
    for (const [name, url] of [
      ['notice', mine.shareUrl],
      ['listing', String(marketplaceUrl)],
    ] as const) {
      await viewer.page.goto(url);
      expect([name, await viewer.page.evaluate('document.documentElement.scrollWidth - innerWidth')]).toEqual([
        name,
        0,
      ]);
    }
  });
});
