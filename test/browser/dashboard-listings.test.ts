import type { Page } from 'playwright-core';
import { page, type DeckFile } from '../support/world';
import { describeInBrowser, until } from './browser';
import { DashboardStage } from './dashboard';
import { file, html, PNG } from './small-decks';

const stage = new DashboardStage();
const { button, field, info, text, toast } = stage;
const HOSTILE = '<img src=x onerror=alert(1)> שלום & "quotes"';
const WIDTH = 320;
const ROUND = 12;
const PLACE = `position: fixed; inset: 0 auto auto 0; z-index: 9; width: ${WIDTH}px`;

/** Opens the page of the listing of a new deck with these files. */
async function enter(files: DeckFile[] = [page()]) {
  const deck = await stage.world.aPushedDeck(stage.owner, files, 'Quarterly results');
  await stage.world.forgetPublications(stage.owner);
  await stage.enter(stage.owner, `/decks/${deck.presentationId}/marketplace`);
  return {
    ...deck,
    listing: async () =>
      stage.read<Record<string, unknown>>('getMarketplaceListing', { slug: (await info(deck)).listing!.slug }),
  };
}

/** The card as its markup without addresses, and as pixels at one place with one width, without its round corners. */
async function lookAt(opened: Page) {
  const card = opened.locator('.listing-card').first();
  await opened.evaluate(`document.querySelector('.listing-card').style.cssText = '${PLACE}'`);
  await opened.mouse.move(900, 700);
  // The border of a card changes slowly when the mouse leaves it.
  await until(opened, 'document.getAnimations().length === 0');
  const found = await opened.evaluate<string>(`document.querySelector('.listing-card').outerHTML`);
  const markup = found.replaceAll(/ (href|src|style)="[^"]*"/g, '').replaceAll(/\s+/g, ' ');
  const { height } = (await card.boundingBox())!;
  const clip = { x: ROUND, y: ROUND, width: WIDTH - 2 * ROUND, height: Math.floor(height) - 2 * ROUND };
  return { markup, height, pixels: (await opened.screenshot({ clip })).toString('base64') };
}

describeInBrowser('the card of a listing', () => {
  const named = html('<title>Deck</title><meta property="og:image" content="a/b.png"><h1>Deck</h1>');
  test.each([
    ['a drawn picture in the dark', [page()], 'dark', 'div'],
    ['the picture that the entry names', [named, file('a/b.png', PNG)], 'light', 'img'],
  ] as const)('is the same before and after the publication, with %s', async (name, files, colorScheme, tag) => {
    await stage.page.emulateMedia({ colorScheme });
    // The session of `enter` has this name.
    await stage.world.database.doc(`users/${stage.owner.userId}`).update({ lastName: 'Lovelace' });
    await enter([...files]);
    const category = `Finance ${name}`;
    const description = `${'Revenue, costs and the plan for spring. '.repeat(4)}${HOSTILE}`.slice(0, 400);
    await field('Kind', true).selectOption('plan');
    for (const [label, value] of [
      ['Title', HOSTILE],
      ['Description', description],
      ['Category (optional)', category],
      ['Tags (optional)', 'finance, report, spring, plan, costs'],
    ] as const)
      await field(label, true).fill(value);
    await stage.page.locator(`.listing-card > ${tag}.picture`).waitFor();
    const before = await lookAt(stage.page);
    expect(before.markup).toContain('&lt;img src=x');

    await button('Publish').click();
    await toast('The deck is in the marketplace.').waitFor();
    await stage.settle();
    await stage.page.goto(`${stage.world.cloud.hostingUrl}/marketplace?category=${encodeURIComponent(category)}`);
    const after = await lookAt(stage.page);
    expect({ ...after, pixels: after.pixels === before.pixels }).toEqual({ ...before, pixels: true });
    expect(stage.troubles).toEqual([]);
  });

  test('looks again for a picture that was not found, and not for one that was found', async () => {
    const { presentationId } = await stage.world.aPushedDeck(stage.owner, [page(), file('thumbnail.png', PNG)]);
    let asked = 0;
    await stage.page.route('**/getPresentationVersion?*', async (route) => {
      const body = JSON.stringify({ success: false, error: { code: 'not-found', message: 'Absent' } });
      return ++asked === 1 ? route.fulfill({ status: 404, contentType: 'application/json', body }) : route.continue();
    });
    const open = async (tab: string) => {
      await stage.page.getByRole('navigation', { name: 'Pages of the deck' }).getByRole('link', { name: tab }).click();
      await stage.settle();
    };
    await stage.enter(stage.owner, `/decks/${presentationId}/marketplace`);
    expect(await stage.page.locator('.listing-card > div.picture').count()).toBe(1);
    for (let visits = 0; visits < 2; visits++) {
      await open('Versions');
      await open('Marketplace');
      await stage.page.locator('.listing-card > img.picture').waitFor();
    }
    expect(asked).toBe(2);
  });
});

describeInBrowser('the form of a listing', () => {
  test('opens its closed part when one of its fields is wrong, and publishes the deck', async () => {
    const { listing } = await enter();
    const more = text('More (optional)');
    const [slug, technologies] = [field('Address (optional)'), field('Technologies (optional)')];
    await field('Description').fill('Revenue and costs.');
    await field('Tags (optional)').fill('Finance, report');
    expect(await slug.isVisible()).toBe(false);

    await more.click();
    await slug.fill('Not a slug');
    await more.click();
    await slug.waitFor({ state: 'hidden' });
    await button('Publish').click();
    await slug.and(stage.page.locator(':focus')).waitFor();

    // The browser cannot know what the service refuses.
    await slug.fill('');
    await technologies.fill('C@');
    await more.click();
    await technologies.waitFor({ state: 'hidden' });
    await button('Publish').click();
    await technologies.fill('three.js');
    await button('Publish').click();
    await toast('The deck is in the marketplace.').waitFor();
    const published = { tags: ['finance', 'report'], techStack: ['three.js'], status: 'public' };
    expect(await listing()).toMatchObject(published);
    // A listing with such a field shows it.
    await stage.page.reload();
    expect(await technologies.inputValue()).toBe('three.js');
    await technologies.waitFor();
  });

  test('updates the listing, takes it out of the lists and lists it again', async () => {
    const { presentationId, listing } = await enter();
    await stage.call('publishMarketplaceListing', { presentationId, kind: 'presentation', description: 'Revenue.' });
    await stage.page.reload();
    await field('Description').fill('Revenue, costs and the plan.');
    await button('Update listing').click();
    await toast('The listing is updated.').waitFor();
    expect(await listing()).toMatchObject({ description: 'Revenue, costs and the plan.', status: 'public' });
    await button('Take out of the lists').click();
    await toast('The lists do not show the deck any more.').waitFor();
    expect(await listing()).toMatchObject({ status: 'unlisted' });
    await button('List it again').click();
    await toast('The lists show the deck again.').waitFor();
    expect(await listing()).toMatchObject({ status: 'public' });
  });
});

describeInBrowser('the page that makes a remix', () => {
  test('shows what is copied and the picture of the listing, whatever its texts are', async () => {
    const evil = `<img src=x onerror="top.hit=1"> ‮${'W'.repeat(200)}`;
    const many = Array.from({ length: 60 }, (_, i) => page('x', `${'w'.repeat(150)}/${i + 100}.html`));
    const deck = await stage.world.aPushedDeck(stage.owner, [page(), file('thumbnail.png', PNG), ...many]);
    const { slug } = await stage.world.aListing(stage.owner, { title: evil, description: evil }, deck);
    await stage.enter(await stage.world.anOwner(), `/remix/${slug}`);
    expect(await stage.page.getByRole('heading', { level: 2 }).textContent()).toBe(evil);
    await until(stage.page, `document.querySelector('.source img.picture').naturalWidth === 1`);
    await text('The files that are copied').click();
    for (const said of ['and 12 more', 'Version 1, 62 files', 'The copy contains the author’s scripts.'])
      await text(said).waitFor();
    await stage.expectTidy();
    expect(await stage.page.evaluate('window.hit')).toBeUndefined();
  });

  test('says that a listing is not public, and that there is none', async () => {
    const { slug } = await stage.world.aListing(stage.owner);
    await stage.call('updateMarketplaceListing', { slug, status: 'unlisted' });
    await stage.enter(await stage.world.anOwner(), `/remix/${slug}`);
    await text('This listing is not public.').waitFor();
    expect(await button('Make the remix').count()).toBe(0);
    await stage.open('/remix/none-such-listing');
    await stage.alert().getByText('This does not exist').waitFor();
    await stage.link('Look for another listing').waitFor();
  });
});
