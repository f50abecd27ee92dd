import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Listing } from '../../functions/src/records/listings';
import { labelOfListing, originOf } from '../../functions/src/values/deck-origins';
import type { Account } from '../support/world';
import { describeInBrowser, until } from './browser';
import { html } from './small-decks';
import { Stage } from './stage';

const stage = new Stage();
const address = (slug: string) => `${stage.world.cloud.marketplaceUrl}/marketplace/${slug}`;
const stored = async (slug: string) => (await stage.world.database.doc(`listings/${slug}`).get()).data() as Listing;
const button = (name: string | RegExp) => stage.viewer.page.getByRole('button', { name });

/** Puts a session into the tab as the dashboard does, and opens the page of the listing with it. */
async function enter(account: Account, slug: string, expiresAt = new Date(Date.now() + 3600_000)): Promise<string> {
  const token = await stage.world.aDashboardSession(account);
  const session = JSON.stringify({ token, expiresAt: expiresAt.toISOString() });
  await stage.viewer.page.goto(address(slug));
  await stage.viewer.page.evaluate(`sessionStorage.setItem('deckhost.session', ${JSON.stringify(session)})`);
  await stage.viewer.page.reload();
  return token;
}

describeInBrowser('the page of a listing in a browser', () => {
  test('the owner is led to the page that changes the listing, and a reader is not', async () => {
    const deck = await stage.world.aDeck(stage.owner);
    const { slug } = await stage.world.aListing(stage.owner, {}, deck);
    const edit = stage.viewer.page.getByRole('link', { name: 'Edit', exact: true });
    const reader = await stage.world.aPublisher();
    await stage.world.call('starMarketplaceListing', { slug }, { key: reader.key });
    await enter(reader, slug);
    await until(stage.viewer.page, `document.getElementById('star').getAttribute('aria-pressed') === 'true'`);
    expect(await edit.count()).toBe(0);
    await stage.arrive();
    await enter(stage.owner, slug);
    await stage.viewer.page.getByRole('link', { name: 'Edit', exact: true }).click();
    await stage.viewer.page.waitForURL(`**/dashboard/decks/${deck.presentationId}/marketplace`);
  });

  test('a reader without a session is led to the sign-in, and back', async () => {
    const { slug } = await stage.world.aListing(stage.owner);
    const signIn = `/dashboard/sign-in?next=${encodeURIComponent(`/marketplace/${slug}`)}`;
    // The page has loaded when the next one is opened.
    const led = () =>
      stage.viewer.page.waitForURL((url) => url.pathname + url.search === signIn, { waitUntil: 'networkidle' });
    await stage.viewer.page.goto(address(slug));
    await Promise.all([led(), button('Star').click()]);

    // An expired session is no session.
    await enter(await stage.world.anOwner(), slug, new Date(Date.now() - 1000));
    await Promise.all([led(), button('Star').click()]);

    // The service has ended the session.
    const token = await enter(await stage.world.anOwner(), slug);
    await stage.world.call('endDashboardSession', {}, { key: token });
    await Promise.all([led(), button('Star').click()]);
    expect((await stored(slug)).stars).toBe(0);
  });

  test('a star that was pressed before the sign-in is given after it, once', async () => {
    const { slug } = await stage.world.aListing(stage.owner);
    const atSignIn = () =>
      stage.viewer.page.waitForURL((url) => url.pathname === '/dashboard/sign-in', { waitUntil: 'networkidle' });
    await stage.arrive();
    await stage.viewer.page.goto(address(slug));
    await Promise.all([atSignIn(), button('Star').click()]);
    const reader = await stage.world.anOwner();
    const token = await stage.world.aDashboardSession(reader);
    const session = JSON.stringify({ token, expiresAt: new Date(Date.now() + 3600_000).toISOString() });
    await stage.viewer.page.evaluate(`sessionStorage.setItem('deckhost.session', ${JSON.stringify(session)})`);
    await stage.viewer.page.goto(address(slug));
    await until(stage.viewer.page, `document.getElementById('stars').textContent === '1 star'`);
    expect(await button('Star').getAttribute('aria-pressed')).toBe('true');
    expect((await stored(slug)).stars).toBe(1);
    // A star that is taken back stays away.
    await button('Star').click();
    await until(stage.viewer.page, `document.getElementById('stars').textContent === ''`);
    await stage.viewer.page.reload({ waitUntil: 'networkidle' });
    expect((await stored(slug)).stars).toBe(0);
    expect(stage.viewer.troubles).toEqual([]);
  });

  test('a reader who comes back without a sign-in gives no star later, and another page does not give it', async () => {
    const [first, second] = [await stage.world.aListing(stage.owner), await stage.world.aListing(stage.owner)];
    await stage.arrive();
    for (const back of [first, second]) {
      await stage.viewer.page.goto(address(first.slug));
      await Promise.all([stage.viewer.page.waitForURL('**/dashboard/sign-in?*'), button('Star').click()]);
      await stage.viewer.page.goto(address(back.slug));
      // The reader is signed in from here on.
      const token = await enter(await stage.world.anOwner(), back.slug);
      await stage.viewer.page.waitForLoadState('networkidle');
      expect((await stored(back.slug)).stars).toBe(0);
      await stage.world.call('endDashboardSession', {}, { key: token });
      await stage.viewer.page.evaluate(`sessionStorage.removeItem('deckhost.session')`);
    }
    expect((await stored(first.slug)).stars).toBe(0);
  });

  test('a star that is not saved is said', async () => {
    const { slug } = await stage.world.aListing(stage.owner);
    await enter(stage.owner, slug);
    await stage.viewer.page.route('**/starMarketplaceListing', (route) => route.abort());
    await button('Star').click();
    await stage.viewer.page.getByRole('status').getByText('was not reached').waitFor();
    expect(await button('Star').getAttribute('aria-pressed')).toBe('false');
    await stage.viewer.page.unroute('**/starMarketplaceListing');
    await stage.world.call('updateMarketplaceListing', { slug, status: 'unlisted' }, { key: stage.owner.key });
    await button('Star').click();
    await stage.viewer.page.getByRole('status').getByText('The listing is not public.').waitFor();
  });

  test('the link and the commands are copied', async () => {
    await stage.arrive({ permissions: ['clipboard-read', 'clipboard-write'] });
    const { slug } = await stage.world.aListing(stage.owner);
    await stage.viewer.page.goto(address(slug));
    const copied = () => stage.viewer.page.evaluate<string>('navigator.clipboard.readText()');
    // The page says it for two seconds.
    const said = stage.viewer.page.getByRole('status').getByText('Copied.').waitFor();
    await button('Copy link').click();
    await said;
    expect(await copied()).toBe(address(slug));
    const shown = until(
      stage.viewer.page,
      `[...document.querySelectorAll('button')].filter((each) => each.textContent === 'Copied').length > 0`,
    );
    await button(/^Copy$/).click();
    await shown;
    expect((await copied()).split('\n').at(-1)).toBe(`deck remix ${slug} --base-url ${stage.world.cloud.baseUrl}`);
  });

  test('a listing frames the deck at its origin, where storage works, and the deck cannot lead the page away', async () => {
    const stores = `<script>localStorage.setItem('slide', '3'); kept = localStorage.getItem('slide')</script>`;
    const { slug } = await stage.world.aListing(stage.owner, {}, await stage.world.aDeck(stage.owner, [html(stores)]));
    await stage.viewer.page.goto(address(slug));
    const frame = (await (await stage.viewer.page.waitForSelector('iframe')).contentFrame())!;
    await until(frame, 'window.kept === "3"');
    expect(await frame.evaluate('self.origin')).toBe(originOf(stage.world.cloud.deckOrigin!, labelOfListing(slug)));
    const refused = `(() => { try { top.location = 'https://example.org/' } catch (error) { return error.name } })()`;
    expect(await frame.evaluate(refused)).toBe('SecurityError');
    expect(
      await frame.evaluate(`(() => { try { return top.document.title } catch (error) { return error.name } })()`),
    ).toBe('SecurityError');
    expect(stage.viewer.page.url()).toBe(address(slug));

    const opened = stage.viewer.context.waitForEvent('page');
    await stage.viewer.page.getByRole('link', { name: 'Open full screen' }).click();
    await until(await opened, 'window.kept === "3" && window.opener === null');
  });

  test('the deck of an embedded listing runs on a page of another site, with an opaque origin', async () => {
    const deck = await stage.world.aDeck(stage.owner, [html('<script>ran = self.origin</script>')]);
    const { slug } = await stage.world.aListing(stage.owner, {}, deck);
    const { cloud } = stage.world;
    const answer = await fetch(`${cloud.hostingUrl}/oembed?url=${encodeURIComponent(address(slug))}`);
    const embed = (await answer.json()) as { html: string };
    const elsewhere = createServer((_, response) => {
      response.setHeader('Content-Type', 'text/html');
      response.end(`<!doctype html><html lang="en"><title>x</title>${embed.html}`);
    }).listen(0, '127.0.0.1');
    await once(elsewhere, 'listening');
    const { port } = elsewhere.address() as AddressInfo;
    await stage.viewer.page.goto(`http://localhost:${port}/`);
    const frame = (await (await stage.viewer.page.waitForSelector('iframe')).contentFrame())!;
    await until(frame, 'window.ran === "null"');
    elsewhere.close();
  });
});
