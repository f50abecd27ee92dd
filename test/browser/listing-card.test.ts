import type { Page } from 'playwright-core';
import { page, type DeckFile } from '../support/world';
import { describeInBrowser, until } from './browser';
import { DashboardStage } from './dashboard';

const stage = new DashboardStage();
const HOSTILE = '<img src=x onerror=alert(1)> שלום & "quotes"';
const WIDTH = 320;
const ROUND = 12;
const PLACE = `position: fixed; inset: 0 auto auto 0; z-index: 9; width: ${WIDTH}px`;

/** A picture of one colour. */
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAEElEQVR4nGP4z8AARAwQCgAf7gP9i18U1AAAAABJRU5ErkJggg==';
const picture = (path: string): DeckFile => ({
  path,
  contentType: 'image/png',
  bytes: Buffer.from(PNG, 'base64'),
});
const entry = (head: string): DeckFile => ({
  ...page(),
  bytes: Buffer.from(`<!doctype html><title>Deck</title>${head}<h1>Deck</h1>`),
});

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

interface Wanted {
  title: string;
  description: string;
  kind: string;
  category: string;
  tags: string[];
}

async function write({ title, description, kind, category, tags }: Wanted): Promise<void> {
  const field = (label: string) => stage.page.getByLabel(label, { exact: true });
  await field('Title').fill(title);
  await field('Description').fill(description);
  await field('Kind').selectOption(kind);
  await field('Category (optional)').fill(category);
  await field('Tags (optional)').fill(tags.join(', '));
}

describeInBrowser('the card of a listing', () => {
  test.each([
    ['a drawn picture in the dark', [page()], 'dark', 'div'],
    [
      'the picture that the entry names',
      [entry('<meta property="og:image" content="a/b.png">'), picture('a/b.png')],
      'light',
      'img',
    ],
  ] as const)('is the same before and after the publication, with %s', async (name, files, colorScheme, tag) => {
    await stage.page.emulateMedia({ colorScheme });
    const { presentationId } = await stage.world.aPushedDeck(stage.owner, [...files], 'Quarterly results');
    await stage.world.forgetPublications(stage.owner);
    // The session of `enter` has this name.
    await stage.world.database.doc(`users/${stage.owner.userId}`).update({ lastName: 'Lovelace' });
    await stage.enter(stage.owner, `/decks/${presentationId}/marketplace`);
    const category = `Finance ${name}`;
    const description = `${'Revenue, costs and the plan for spring. '.repeat(4)}${HOSTILE}`.slice(0, 400);
    const tags = ['finance', 'report', 'spring', 'plan', 'costs'];
    await write({ title: HOSTILE, description, kind: 'plan', category, tags });
    await stage.page.locator(`.listing-card > ${tag}.picture`).waitFor();
    const before = await lookAt(stage.page);
    expect(before.markup).toContain('&lt;img src=x');

    await stage.page.getByRole('button', { name: 'Publish' }).click();
    await stage.page.locator('.toast').filter({ hasText: 'The deck is in the marketplace.' }).waitFor();
    await stage.settle();
    await stage.page.goto(`${stage.world.cloud.hostingUrl}/marketplace?category=${encodeURIComponent(category)}`);
    const after = await lookAt(stage.page);
    expect({ ...after, pixels: after.pixels === before.pixels }).toEqual({ ...before, pixels: true });
    expect(stage.troubles).toEqual([]);
  });

  test('a picture that was not found is looked for again, and one that was found is not', async () => {
    const { presentationId } = await stage.world.aPushedDeck(stage.owner, [page(), picture('thumbnail.png')]);
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
