import type { Listing } from '../../functions/src/records/listings';
import { aStoredListing, storeListings } from '../support/listings';
import { page } from '../support/world';
import { describeInBrowser, until } from './browser';
import { Stage } from './stage';

const stage = new Stage({ deckOrigin: false });

const deck = (body: string) => ({ ...page(), bytes: Buffer.from(`<!doctype html>${body}`) });
const aListing = async (fields: Record<string, unknown> = {}, body = '<p>Hello') =>
  stage.world.aListing(stage.owner, fields, await stage.world.aDeck(stage.owner, [deck(body)]));
const site = () => `${stage.world.cloud.hostingUrl}/marketplace`;
const stored = async (slug: string) => (await stage.world.database.doc(`listings/${slug}`).get()).data() as Listing;
/** The frame in which the deck of a listing runs. */
const deckFrame = async () => (await (await stage.viewer.page.waitForSelector('iframe')).contentFrame())!;
const titles = () => stage.viewer.page.locator('h3').allTextContents();
/** Opens a listing for the first time in this browser. Resolves when the view is counted. */
async function visit(slug: string): Promise<void> {
  const counted = stage.viewer.page.waitForEvent('requestfinished', {
    predicate: (request) => request.method() === 'POST' && request.url().endsWith('/recordMarketplaceView'),
  });
  await stage.viewer.page.goto(`${site()}/${slug}`);
  expect((await (await counted).response())!.status()).toBe(200);
}

describeInBrowser('the marketplace in a browser', () => {
  test('a listing runs its deck in a frame with an opaque origin, which can neither leave nor read the page', async () => {
    const counting = `<button onclick="this.textContent = 'Clicked'">Click</button><script>
      ran = self.origin;
      tries = {};
      try { if (top !== self) top.location = 'about:blank'; } catch (error) { tries.leave = error.name; }
      try { tries.title = parent.document.title; } catch (error) { tries.read = error.name; }
      try { sessionStorage.x = 1; } catch (error) { tries.store = error.name; }
    </script>`;
    const { slug } = await aListing({ title: 'Runs' }, counting);
    await stage.viewer.page.goto(`${site()}/${slug}`);
    const frame = await deckFrame();
    await until(frame, 'window.ran === "null"');
    await frame.click('button');
    expect(await frame.textContent('button')).toBe('Clicked');
    const refused = { leave: 'SecurityError', read: 'SecurityError', store: 'SecurityError' };
    expect(await frame.evaluate('tries')).toEqual(refused);
    expect(await stage.viewer.page.title()).toBe('Runs');

    const opened = stage.viewer.context.waitForEvent('page');
    await stage.viewer.page.getByRole('link', { name: 'Open full screen' }).click();
    const whole = await opened;
    await until(whole, 'window.ran === "null" && window.opener === null');
    expect(stage.viewer.troubles).toEqual([expect.stringContaining('attempting navigation of the top-level window')]);
  });

  test('a view is counted once for each session of a browser', async () => {
    const [first, second] = [await aListing(), await aListing()];
    const calls: string[] = [];
    stage.viewer.page.on('request', (request) => {
      if (request.url().endsWith('/recordMarketplaceView')) calls.push(request.postData()!);
    });
    for (const { slug } of [first, second]) {
      await visit(slug);
      expect((await stored(slug)).viewCount).toBe(1);
    }
    for (const path of [`/${first.slug}`, `/${first.slug}`, '', `/${second.slug}`]) {
      await stage.viewer.page.goto(`${site()}${path}`);
      await stage.viewer.page.reload();
    }
    expect(calls).toEqual([first, second].map(({ slug }) => JSON.stringify({ slug })));
    expect(stage.viewer.troubles).toEqual([]);
  });

  test('the pages work without JavaScript', async () => {
    await stage.arrive({ javaScriptEnabled: false });
    const { slug } = await aListing({ title: 'Without scripts', tags: ['quiet'] });
    await stage.viewer.page.goto(`${site()}?tag=quiet`);
    await stage.viewer.page.getByRole('link', { name: 'Without scripts' }).click();
    expect(stage.viewer.page.url()).toBe(`${site()}/${slug}`);
    expect(await (await deckFrame()).textContent('p')).toBe('Hello');
    expect(await stage.viewer.page.getByRole('button', { name: /Star|Copy/ }).count()).toBe(0);
    const remix = stage.viewer.page.getByRole('link', { name: 'Remix' });
    expect(await remix.getAttribute('href')).toBe(`${stage.world.cloud.marketplaceUrl}/dashboard/remix/${slug}`);
    await stage.viewer.page.getByText('Report this listing').click();
    await stage.viewer.page.getByLabel('What is wrong with it?').selectOption('It is spam');
    await stage.viewer.page.getByLabel('Details').fill('The same <b>again</b>');
    await stage.viewer.page.getByRole('button', { name: 'Send report' }).click();
    await stage.viewer.page.getByRole('heading', { name: 'Thank you' }).waitFor();
    const reports = await stage.world.database.collection(`listingReports/${slug}/reports`).get();
    const texts = reports.docs.flatMap((each) => each.get('texts') as { details: string }[]);
    expect(texts.map(({ details }) => details)).toEqual(['The same <b>again</b>']);
    await stage.viewer.page.getByRole('link', { name: 'To the marketplace' }).click();
    expect(stage.viewer.page.url()).toBe(site());
    expect(stage.viewer.troubles).toEqual([]);
  });

  test('filters, orders and pages work by mouse and by keyboard', async () => {
    const start = Date.parse('2025-01-01');
    const listings = Array.from({ length: 30 }, (_, i) =>
      aStoredListing({
        slug: `clicked-${i}`,
        title: `Clicked ${i}`,
        kind: i % 3 === 0 ? 'app' : 'plan',
        interactive: i % 3 === 0,
        category: 'Clicks',
        tags: ['clicked', ...(i < 2 ? ['rare'] : [])],
        techStack: i < 2 ? ['c++'] : [],
        stars: i,
        createdAt: new Date(start - i * 1000),
      }),
    );
    await storeListings(listings);
    const { page: window } = stage.viewer;
    const click = (name: string) => window.getByRole('link', { name, exact: true }).first().click();
    const all = listings.map(({ title }) => title);

    await window.goto(`${site()}?category=Clicks`);
    expect(await titles()).toEqual(all.slice(0, 24));
    await click('Next page');
    expect(await titles()).toEqual(all.slice(24));
    expect(await window.getByRole('link', { name: 'Next page' }).count()).toBe(0);

    // A new filter starts at the first page and keeps the other filters.
    await click('Apps');
    expect(await titles()).toEqual(all.filter((_, i) => i % 3 === 0));
    await click('Most starred');
    expect((await titles())[0]).toBe('Clicked 27');
    expect(await window.getByRole('link', { name: 'Apps', exact: true }).getAttribute('aria-current')).toBe('true');

    await window.getByText('More filters').press('Enter');
    await window.getByLabel('Tag', { exact: true }).fill('Rare');
    await window.getByLabel('Tag', { exact: true }).press('Enter');
    await window.waitForURL(`${site()}?*tag=Rare*`);
    expect(await titles()).toEqual(['Clicked 0']);
    expect(await window.getByRole('heading', { level: 2 }).textContent()).toBe(
      'Most starred apps in \u2068Clicks\u2069 tagged rare',
    );
    await window.getByRole('link', { name: 'Remove the filter Tag: rare' }).click();
    expect(await titles()).toHaveLength(10);
    await click('All');
    await click('Newest');
    await window.getByRole('link', { name: 'rare' }).first().click();
    expect(window.url()).toBe(`${site()}?tag=rare`);
    expect(await titles()).toEqual(['Clicked 0', 'Clicked 1']);

    // The whole card is a link, except for the other links in it.
    await window
      .locator('.listing-card')
      .first()
      .click({ position: { x: 5, y: 5 } });
    expect(window.url()).toBe(`${site()}/clicked-0`);
  });

  test('an error in a field is shown before the form is sent', async () => {
    await stage.viewer.page.goto(site());
    await stage.viewer.page.getByText('More filters').click();
    for (const [text, isRight] of [
      ['two words', false],
      [' C++ ', true],
      ['-x', false],
      ['.net', false],
      ['three.js', true],
    ] as const) {
      await stage.viewer.page.getByLabel('Made with').fill(text);
      expect(await stage.viewer.page.evaluate('document.querySelector("[name=stack]").form.checkValidity()')).toBe(
        isRight,
      );
    }
    expect(stage.viewer.troubles).toEqual([]);
  });

  test('each text has the direction of its own script', async () => {
    const { slug } = await aListing({ title: 'مستقبل الطاقة (2026)', description: 'A description', tags: ['rtl'] });
    const direction = (selector: string) =>
      stage.viewer.page.evaluate(`getComputedStyle(document.querySelector('${selector}')).direction`);
    await stage.viewer.page.goto(`${site()}/${slug}`);
    expect([await direction('h1'), await direction('.lead'), await direction('dl')]).toEqual(['rtl', 'ltr', 'ltr']);
    await stage.viewer.page.goto(`${site()}?tag=rtl`);
    expect([await direction('h3'), await direction('.listing-card > .counts')]).toEqual(['rtl', 'ltr']);
  });
});
