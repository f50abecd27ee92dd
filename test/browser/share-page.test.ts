import { labelOfListing, labelOfToken, originOf } from '../../functions/src/values/deck-origins';
import { page } from '../support/world';
import { describeInBrowser, until } from './browser';
import { Stage } from './stage';

const stage = new Stage();

const deck = (body: string) => ({ ...page(), bytes: Buffer.from(`<!doctype html><title>A talk</title>${body}`) });
const stores = `<script>localStorage.setItem('slide', '3'); kept = localStorage.getItem('slide')</script>`;

describeInBrowser('with deck origins, in a browser', () => {
  test('a share link opens the deck at its origin in the whole window, and keeps query and hash', async () => {
    const mine = await stage.world.aDeck(stage.owner, [deck(stores)]);
    await stage.viewer.page.goto(`${mine.shareUrl}&print-pdf&a=1%202#/3`);
    await until(stage.viewer.page, 'window.kept === "3"');
    const origin = originOf(stage.world.cloud.deckOrigin!, labelOfToken(mine.tokenId));
    expect(stage.viewer.page.url()).toBe(`${origin}/?print-pdf&a=1%202#/3`);
    expect(await stage.viewer.page.evaluate('document.referrer + self.origin')).toBe(origin);
    expect(stage.viewer.page.frames()).toHaveLength(1);
    await stage.viewer.page.reload();
    await until(stage.viewer.page, 'window.kept === "3"');
    expect(stage.viewer.page.url()).toBe(`${origin}/?print-pdf&a=1%202#/3`);
  });

  test('a listing frames the deck at its origin, where storage works, and the deck cannot lead the page away', async () => {
    const leave = `<a href="https://example.org/" target="_top">Leave</a>`;
    const { slug } = await stage.world.aListing(
      stage.owner,
      {},
      await stage.world.aDeck(stage.owner, [deck(stores + leave)]),
    );
    const { marketplaceUrl } = (await stage.world.call('getMarketplaceListing', undefined, { query: { slug } })).data;
    await stage.viewer.page.goto(String(marketplaceUrl));
    const frame = (await (await stage.viewer.page.waitForSelector('iframe')).contentFrame())!;
    await until(frame, 'window.kept === "3"');
    expect(await frame.evaluate('self.origin')).toBe(originOf(stage.world.cloud.deckOrigin!, labelOfListing(slug)));
    const refused = `(() => { try { top.location = 'https://example.org/' } catch (error) { return error.name } })()`;
    expect(await frame.evaluate(refused)).toBe('SecurityError');
    expect(
      await frame.evaluate(`(() => { try { return top.document.title } catch (error) { return error.name } })()`),
    ).toBe('SecurityError');
    expect(stage.viewer.page.url()).toBe(marketplaceUrl);

    const opened = stage.viewer.context.waitForEvent('page');
    await stage.viewer.page.getByRole('link', { name: 'Open full screen' }).click();
    await until(await opened, 'window.kept === "3" && window.opener === null');
  });

  test.each([
    [390, 844],
    [1440, 900],
  ])('the notice of a link and the page of a listing fit %d pixels', async (width, height) => {
    await stage.viewer.page.setViewportSize({ width, height });
    const mine = await stage.world.aDeck(stage.owner, [page()]);
    const { slug } = await stage.world.aListing(stage.owner, { title: 'x'.repeat(255) }, mine);
    const { marketplaceUrl } = (await stage.world.call('getMarketplaceListing', undefined, { query: { slug } })).data;
    await stage.world.call(
      'unsharePresentation',
      { presentationId: mine.presentationId, all: true },
      { key: stage.owner.key },
    );
    for (const [name, url] of [
      ['notice', mine.shareUrl],
      ['listing', String(marketplaceUrl)],
    ] as const) {
      await stage.viewer.page.goto(url);
      expect([name, await stage.viewer.page.evaluate('document.documentElement.scrollWidth - innerWidth')]).toEqual([
        name,
        0,
      ]);
    }
  });
});
