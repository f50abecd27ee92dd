import type { Listing } from '../../functions/src/records/listings';
import { labelOfListing, originOf } from '../../functions/src/values/deck-origins';
import { aBrowser, type SignedInBrowser } from '../support/browser-session';
import { aStoredListing, storeListings } from '../support/listings';
import type { Account } from '../support/world';
import { describeInBrowser, soon, until } from './browser';
import { html } from './small-decks';
import type { Stage } from './stage';

/** The pages of the marketplace, and the decks that its listings frame. */
export function proveMarketplace(stage: Stage): void {
  const { button, link, press, text } = stage;
  const marketplace = () => `${stage.world.cloud.marketplaceUrl}/marketplace`;
  const address = (slug: string) => `${marketplace()}/${slug}`;
  const aListing = async (fields: Record<string, unknown> = {}, body = '<p>Hello') =>
    (await stage.world.aListing(stage.owner, fields, await stage.aDeck([html(body)]))).slug;
  const stored = async (slug: string) => (await stage.world.database.doc(`listings/${slug}`).get()).data() as Listing;
  const isPressed = () => button('Star').getAttribute('aria-pressed');

  /** Gives the browser a session as the dashboard does. The page must be one of the site. */
  async function beginSession(account: Account): Promise<SignedInBrowser> {
    const browser = await aBrowser(stage.world, account);
    await stage.giveCookie(stage.world.cloud.marketplaceUrl, browser.cookie);
    const kept = JSON.stringify(JSON.stringify({ binder: browser.binder, user: { displayName: 'Ada <b>Lovelace' } }));
    await stage.page.evaluate(`localStorage.setItem('deckhost.session', ${kept})`);
    return browser;
  }

  /** Begins a session of the account, and opens the page of the listing with it. */
  async function enter(account: Account, slug: string): Promise<SignedInBrowser> {
    if (!stage.page.url().startsWith(marketplace())) await stage.page.goto(address(slug));
    const browser = await beginSession(account);
    await stage.page.goto(address(slug));
    return browser;
  }

  const endSession = ({ sessionId }: SignedInBrowser) =>
    stage.world.database.doc(`dashboardSessions/${sessionId}`).delete();

  /** Presses the star without a session, which leads to the sign-in and back. */
  async function starWithoutSession(slug: string): Promise<void> {
    const signIn = `/dashboard/sign-in?next=${encodeURIComponent(`/marketplace/${slug}`)}`;
    const led = stage.page.waitForURL(({ pathname, search }) => pathname + search === signIn);
    await Promise.all([led, button('Star').click()]);
    // The page has loaded when the next one is opened.
    await stage.viewer.settle();
  }

  /** The frame in which the deck of a listing runs. */
  const deckFrame = async () => (await (await stage.page.waitForSelector('iframe')).contentFrame())!;
  const titles = () => stage.page.locator('h3').allTextContents();
  const untilStars = (shown: string) =>
    until(stage.page, `document.getElementById('stars').textContent === '${shown}'`);

  describeInBrowser('a star', () => {
    test('needs a session that has not ended, and is given once after the sign-in to which it led', async () => {
      const slug = await aListing();
      await stage.page.goto(address(slug));
      await starWithoutSession(slug);
      await stage.page.goto(address(slug));
      // The service has ended the session.
      await endSession(await enter(await stage.world.anOwner(), slug));
      await starWithoutSession(slug);
      expect((await stored(slug)).stars).toBe(0);
      stage.troubles.splice(0);
      await beginSession(await stage.world.anOwner());
      await stage.page.goto(address(slug));
      await untilStars('1 star');
      expect([await isPressed(), (await stored(slug)).stars]).toEqual(['true', 1]);
      // A star that is taken back stays away.
      await button('Star').click();
      await untilStars('');
      await stage.page.reload();
      await stage.viewer.quiet();
      expect((await stored(slug)).stars).toBe(0);
      expect(stage.troubles).toEqual([]);
    });

    test('that is not saved is said', async () => {
      const slug = await aListing();
      await enter(stage.owner, slug);
      await stage.page.route('**/starMarketplaceListing', (route) => route.abort());
      await press('Star', stage.page.getByRole('status').getByText('was not reached'));
      expect(await isPressed()).toBe('false');
      await stage.page.unroute('**/starMarketplaceListing');
      await stage.call('updateMarketplaceListing', { slug, status: 'unlisted' });
      await press('Star', stage.page.getByRole('status').getByText('The listing is not public.'));
    });

    test('is not given later to a reader who comes back without a sign-in, nor on another page', async () => {
      const [first, second] = [await aListing(), await aListing()];
      for (const back of [first, second]) {
        await stage.page.goto(address(first));
        await starWithoutSession(first);
        await stage.page.goto(address(back));
        // The reader is signed in from here on.
        const browser = await enter(await stage.world.anOwner(), back);
        await stage.viewer.quiet();
        expect((await stored(back)).stars).toBe(0);
        await endSession(browser);
        await stage.page.evaluate(`localStorage.removeItem('deckhost.session')`);
      }
      expect((await stored(first)).stars).toBe(0);
    });

    test('is shown to the reader who gave it, and the owner alone is led to the page that changes the listing', async () => {
      const { slug } = await stage.world.aListing(stage.owner, {}, await stage.aDeck());
      const reader = await stage.world.aPublisher();
      await stage.call('starMarketplaceListing', { slug }, reader);
      await enter(reader, slug);
      await soon(async () => expect(await isPressed()).toBe('true'));
      await soon(async () => expect(await link('Edit', true).count()).toBe(0));
      await stage.arrive();
      await enter(stage.owner, slug);
      await link('Edit', true).click();
      await stage.page.waitForURL('**/dashboard/decks/*/marketplace');
    });
  });

  describeInBrowser('the page of a listing', () => {
    test('copies the link and the commands', async () => {
      await stage.arrive({ permissions: ['clipboard-read', 'clipboard-write'] });
      const slug = await aListing();
      await stage.page.goto(address(slug));
      // The page says it for two seconds.
      const said = stage.page.getByRole('status').getByText('Copied.').waitFor();
      await button('Copy link').click();
      await said;
      expect(await stage.copied()).toBe(address(slug));
      const shown = button('Copied', true).first().waitFor();
      await button(/^Copy$/).click();
      await shown;
      expect((await stage.copied()).split('\n').at(-1)).toBe(
        `deck remix ${slug} --base-url ${stage.world.cloud.baseUrl}`,
      );
    });

    test('frames the deck at its origin, where storage works, and the deck cannot lead the page away', async () => {
      const slug = await aListing(
        {},
        `<script>localStorage.setItem('slide', '3'); kept = localStorage.getItem('slide')</script>`,
      );
      await stage.page.goto(address(slug));
      const frame = await deckFrame();
      await until(frame, 'window.kept === "3"');
      expect(await frame.evaluate('self.origin')).toBe(originOf(stage.world.cloud.deckOrigin!, labelOfListing(slug)));
      for (const act of [`top.location = 'https://example.org/'`, 'top.document.title']) {
        const refused = `(() => { try { ${act} } catch (error) { return error.name } })()`;
        expect([act, await frame.evaluate(refused)]).toEqual([act, 'SecurityError']);
      }
      expect(stage.page.url()).toBe(address(slug));

      const opened = stage.viewer.context.waitForEvent('page');
      await link('Open full screen').click();
      await until(await opened, 'window.kept === "3" && window.opener === null');
    });

    test('counts a view once for each session of a browser', async () => {
      const slugs = [await aListing(), await aListing()];
      const calls = await stage.requestsOf(/\/recordMarketplaceView$/, async () => {
        for (const url of [...slugs.map(address), address(slugs[0]!), marketplace(), address(slugs[1]!)]) {
          await stage.page.goto(url);
          await stage.page.reload();
          await stage.viewer.quiet();
        }
      });
      const views = Promise.all(slugs.map(async (slug) => (await stored(slug)).viewCount));
      expect([calls.length, await views]).toEqual([2, [1, 1]]);
      expect(stage.troubles).toEqual([]);
    });
  });

  describeInBrowser('the marketplace', () => {
    test('works without JavaScript', async () => {
      await stage.arrive({ javaScriptEnabled: false });
      const slug = await aListing({ title: 'Without scripts', tags: ['quiet'] });
      await stage.page.goto(`${marketplace()}?tag=quiet`);
      await link('Without scripts').click();
      expect(stage.page.url()).toBe(address(slug));
      await soon(async () => expect(await (await deckFrame()).textContent('p')).toBe('Hello'));
      await soon(async () => expect(await button(/Star|Copy/).count()).toBe(0));
      const remix = `${stage.world.cloud.marketplaceUrl}/dashboard/remix/${slug}`;
      await soon(async () => expect(await link('Remix').getAttribute('href')).toBe(remix));
      await text('Report this listing').click();
      await stage.field('What is wrong with it?').selectOption('It is spam');
      await press('Send report', stage.heading('Thank you'));
      await link('To the marketplace').click();
      expect(stage.page.url()).toBe(marketplace());
      expect(stage.troubles).toEqual([]);
    });

    test('names the reader who signed in at the dashboard, and leads to the search by a key', async () => {
      const slug = await aListing();
      await enter(stage.owner, slug);
      const named = async () => [
        await link('Ada <b>Lovelace, Dashboard', true).textContent(),
        await link('Dashboard', true).count(),
      ];
      expect(await named()).toEqual(['Ada <b>Lovelace', 0]);
      await stage.page.goto(marketplace());
      expect(await named()).toEqual(['Ada <b>Lovelace', 0]);
      await stage.page.keyboard.type('/a/b');
      await soon(async () => expect(await stage.page.getByRole('searchbox').inputValue()).toBe('a/b'));
      await stage.page.evaluate(`localStorage.setItem('deckhost.session', 'null')`);
      await stage.page.reload();
      await soon(async () => expect(await link('Dashboard', true).count()).toBe(1));
      expect(stage.troubles).toEqual([]);
    });

    test('keeps its filters from click to click, checks a field before it is sent, and each card is a link', async () => {
      const clicked = (i: number, kind: 'app' | 'plan') => ({ title: `Clicked ${i}`, category: 'Clicks', kind });
      await storeListings([
        aStoredListing({ ...clicked(0, 'plan'), slug: 'clicked-0' }),
        aStoredListing({ ...clicked(1, 'app'), slug: 'clicked-1' }),
      ]);
      const slug = await aListing(clicked(2, 'app'));
      await stage.call('starMarketplaceListing', { slug }, await stage.world.aPublisher());
      await stage.page.goto(`${marketplace()}?category=Clicks`);
      await link('Apps', true).first().click();
      await link('Most starred', true).click();
      await soon(async () => expect(await titles()).toEqual(['Clicked 2', 'Clicked 1']));
      await text('More filters').press('Enter');
      const stack = stage.field('Made with');
      for (const wrong of ['two words', '-x', '.net']) {
        await stack.fill(wrong);
        const isRight = `document.querySelector('[name=stack]').checkValidity()`;
        expect([wrong, await stage.page.evaluate(isRight)]).toEqual([wrong, false]);
      }
      await stack.fill(' C++ ');
      await stack.press('Enter');
      await stage.page.waitForURL(`${marketplace()}?*stack=*`);
      await soon(async () => expect(await titles()).toEqual([]));
      await stage.page.goBack();
      await stage.page
        .locator('.listing-card')
        .first()
        .click({ position: { x: 5, y: 5 } });
      await stage.page.waitForURL(address(slug));
      await stage.page.getByRole('heading', { name: 'Clicked 2' }).waitFor();
      expect(stage.troubles).toEqual([]);
    });
  });

  describeInBrowser('the runtime of a deck on its own origin', () => {
    const icon = '<link rel="icon" href="data:,">';

    test('comes from the origin of the deck, leaves nothing behind, and leaves storage and links to the browser', async () => {
      const look = `({
      names: Object.getOwnPropertyNames(window).sort(),
      html: document.documentElement.outerHTML,
      isNative: /native code/.test(Object.getOwnPropertyDescriptor(window, 'localStorage').get),
    })`;
      const body = `<title>Deck</title>${icon}<a href="https://elsewhere.example/">Go</a><script>localStorage.kept = 1</script>`;
      const deck = await stage.aDeck([html(body)]);
      const { page, viewer } = stage;
      await page.goto(`${deck.shareUrl}#3`);
      await until(page, `location.hash === '#3' && localStorage.kept === '1'`);
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
        route.fulfill({ contentType: 'text/html', body: icon }),
      );
      await page.click('a');
      await page.waitForURL('https://elsewhere.example/');
      expect(stage.troubles).toEqual([]);
    });

    test('sends nothing to a page that did not ask, and answers the page around it that asks', async () => {
      const said = (name: string) => `<script>parent.postMessage('{"said":"${name}"}', '*')</script>`;
      const strict = `<script>got = []; onmessage = ({ data }) => got.push(JSON.parse(data).said)</script>`;
      const body = `<title>Deck</title>${icon}${strict}<iframe src="inner.html"></iframe>${said('deck')}`;
      const deck = await stage.aDeck([html(body), html(`<title>Inner</title>${said('inner')}`, 'inner.html')]);
      const { page } = stage;
      await page.goto(deck.shareUrl);
      // Alone in its window, the deck is its own parent.
      expect(await until(page, 'got.length > 1 && got')).toEqual(['deck', 'inner']);

      await stage.viewer.context.addInitScript(
        `{ got = []; addEventListener('message', ({ data }) => got.push(data)) }`,
      );
      const { slug } = await stage.world.aListing(stage.owner, {}, deck);
      await page.goto(address(slug));
      expect(await until(page, 'got.length > 0 && got')).toEqual(['{"said":"deck"}']);
      await page.evaluate(`frames[0].postMessage({ type: 'decks/frame', isHello: true }, '*')`);
      const told = { type: 'decks/frame', hash: '', search: '', title: 'Deck' };
      expect(await until(page, 'got.length > 1 && got')).toEqual(['{"said":"deck"}', told]);
      expect(stage.troubles).toEqual([]);
    });
  });
}
