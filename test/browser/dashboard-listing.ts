import type { Page } from 'playwright-core';
import { makePictures } from '../support/pictures';
import { page, type DeckFile } from '../support/world';
import { describeInBrowser, soon, until } from './browser';
import { aSession, aVersion, type DashboardStage } from './dashboard';
import { file, html, PNG } from './small-decks';

const HOSTILE = '<img src=x onerror=alert(1)> שלום & "quotes"';
const WIDTH = 320;
const ROUND = 12;
const PLACE = `position: fixed; inset: 0 auto auto 0; z-index: 9; width: ${WIDTH}px`;

/** The pixels of the card at one place with one width, without its round corners. */
async function lookAt(opened: Page): Promise<string> {
  await opened.evaluate(`document.querySelector('.listing-card').style.cssText = '${PLACE}'`);
  await opened.mouse.move(900, 700);
  // The border of a card changes slowly when the mouse leaves it.
  await until(opened, 'document.getAnimations().length === 0');
  const { height } = (await opened.locator('.listing-card').first().boundingBox())!;
  const clip = { x: ROUND, y: ROUND, width: WIDTH - 2 * ROUND, height: Math.floor(height) - 2 * ROUND };
  return (await opened.screenshot({ clip })).toString('base64');
}

/** The listing of a deck: its form, its card beside that of the marketplace, and what forms keep until it is sent. */
export function proveListings(stage: DashboardStage): void {
  const { button, field, fill, heading, press, text, toast } = stage;

  /** Opens the page of the listing of a new deck with these files, and answers what looks at the listing. */
  async function enterListing(files: DeckFile[] = [page()]) {
    const deck = await stage.world.aPushedDeck(stage.owner, files, 'Quarterly results');
    await makePictures();
    await stage.world.forgetPublications(stage.owner);
    await stage.enter(stage.owner, `/decks/${deck.presentationId}/marketplace`);
    return async () => {
      const { slug } = (await stage.info(deck)).listing!;
      return stage.read<Record<string, unknown>>('getMarketplaceListing', { slug });
    };
  }

  describeInBrowser('the form of a listing', () => {
    test('opens its closed part when a field is wrong, publishes the deck, updates the listing, unlists it and lists it again', async () => {
      const { slug: taken } = await stage.world.aListing(await stage.world.aPublisher());
      const listing = await enterListing();
      const more = text('More (optional)');
      await press(text('The same from a terminal'), text(/deck publish \S+ --description/));
      const [slug, technologies] = [field('Address (optional)'), field('Technologies (optional)')];
      await fill({ Description: 'Revenue and costs.', 'Tags (optional)': 'Finance,  Deep learning ,report' });
      await soon(async () => expect(await slug.isVisible()).toBe(false));

      await more.click();
      await slug.fill('Not a slug');
      await more.click();
      await slug.waitFor({ state: 'hidden' });
      await press('Publish', slug.and(stage.page.locator(':focus')));

      // The browser cannot know what the service refuses.
      await slug.fill(taken);
      await press('Publish', stage.alert().getByText('Another listing has this slug. Choose another slug.'));
      await slug.fill('');
      await technologies.fill('C@');
      await more.click();
      await technologies.waitFor({ state: 'hidden' });
      await button('Publish').click();
      await technologies.fill('three.js');
      await press('Publish', toast('The deck is in the marketplace.'));
      const published = { tags: ['finance', 'deep-learning', 'report'], techStack: ['three.js'], status: 'public' };
      expect(await listing()).toMatchObject(published);
      // A listing with such a field shows it.
      await stage.page.reload();
      await soon(async () => expect(await technologies.inputValue()).toBe('three.js'));
      await technologies.waitFor();

      await fill({ Description: 'Revenue, costs and the plan.' }, 'Update listing', toast('The listing is updated.'));
      expect(await listing()).toMatchObject({ description: 'Revenue, costs and the plan.', status: 'public' });
      await press('Unlist', toast('The deck is no longer listed.'));
      expect(await listing()).toMatchObject({ status: 'unlisted' });
      await press('List again', toast('The deck is listed again.'));
      expect(await listing()).toMatchObject({ status: 'public' });
    });

    test('sends no older value of a field that the person has left as it was', async () => {
      const deck = await stage.world.aPushedDeck(stage.owner);
      const { slug } = await stage.world.aListing(stage.owner, {}, deck);
      await aVersion(stage.world, stage.owner, deck.presentationId, [page('<h1>Two</h1>')]);
      await stage.enter(stage.owner, `/decks/${deck.presentationId}/marketplace`);
      await fill({ Description: 'Revenue and costs.' }, 'Show the current version', toast('The listing is updated.'));
      await button('Show the current version').waitFor({ state: 'detached' });
      await stage.page.reload();
      await press('Update listing', toast('The listing is updated.'));
      const listing = await stage.read<object>('getMarketplaceListing', { slug });
      expect(listing).toMatchObject({ description: 'Revenue and costs.', version: 2 });
    });
  });

  describeInBrowser('the card of a listing', () => {
    test('is the same before and after the publication, with the picture that the entry names', async () => {
      const named = html('<title>Deck</title><meta property="og:image" content="a/b.png"><h1>Deck</h1>');
      // The session of `enter` has this name.
      await stage.world.database.doc(`users/${stage.owner.userId}`).update({ lastName: 'Lovelace' });
      await enterListing([named, file('a/b.png', PNG)]);
      const description = `${'Revenue, costs and the plan for spring. '.repeat(4)}${HOSTILE}`.slice(0, 400);
      await field('Kind', true).selectOption('plan');
      const tags = 'finance, report, spring, plan';
      const optional = { 'Category (optional)': 'Card', 'Tags (optional)': tags };
      for (const [label, value] of Object.entries({ Title: HOSTILE, Description: description, ...optional }))
        await field(label, true).fill(value);
      await stage.page.locator('.listing-card > img.picture').waitFor();
      const before = await lookAt(stage.page);

      await press('Publish', toast('The deck is in the marketplace.'));
      await stage.settle();
      await stage.page.goto(`${stage.world.cloud.hostingUrl}/marketplace?category=Card`);
      await soon(async () => expect((await lookAt(stage.page)) === before).toBe(true));
      expect(stage.troubles).toEqual([]);
    });

    test('looks again for a picture that was not made yet, and loads one that was found once', async () => {
      const { presentationId } = await stage.world.aPushedDeck(stage.owner, [page(), file('thumbnail.png', PNG)]);
      let loads = 0;
      await stage.page.route('**/downloadPresentationAsset?*', (route) => {
        loads++;
        return route.continue();
      });
      const tabs = stage.page.getByRole('navigation', { name: 'Pages of the deck' });
      const open = async (name: string) => {
        await tabs.getByRole('link', { name }).click();
        await stage.settle();
      };
      await stage.enter(stage.owner, `/decks/${presentationId}/marketplace`);
      await soon(async () => expect(await stage.page.locator('.listing-card > div.picture').count()).toBe(1));
      await makePictures();
      for (let visits = 0; visits < 2; visits++) {
        await open('Versions');
        await open('Marketplace');
        await stage.page.locator('.listing-card > img.picture').waitFor();
      }
      expect(loads).toBe(1);
    });
  });

  describeInBrowser('what a person has typed', () => {
    test('survives another page, a reload and an ended session, until it is sent or the person signs out', async () => {
      const { presentationId } = await stage.aDeck([page()]);
      const path = (tab: string) => `/decks/${presentationId}/${tab}`;
      await stage.enter(stage.owner, path('mails'));
      await field('To').fill('someone@example.com');
      await field('Message (optional)').fill('Half a letter');
      await stage.page.getByRole('link', { name: 'Marketplace', exact: true }).last().click();
      await field('Description').fill('Half a description');
      await stage.open(path('people'));
      await fill({ 'Email of the person': 'half@example.com', 'Message (optional)': 'Half an invitation' });
      await stage.open('/settings');
      await fill({ 'Last name': 'Half' });
      await stage.open(path('mails'));
      await soon(async () => expect(await field('Message (optional)').inputValue()).toBe('Half a letter'));
      await stage.page.evaluate(`localStorage.removeItem('deckhost.session')`);
      await stage.page.reload();
      await heading('Sign in').waitFor();
      await stage.beginSession(await aSession(stage.world, stage.owner, 'Ada Lovelace', 'Analytical Engines'));
      await stage.open(path('marketplace'));
      await soon(async () => expect(await field('Description').inputValue()).toBe('Half a description'));
      await stage.open(path('mails'));
      await soon(async () => expect(await field('To').inputValue()).toBe('someone@example.com'));
      await press('Send to 1 recipient', toast('1 mail sent.'));
      await stage.page.reload();
      await soon(async () => expect(await field('Message (optional)').inputValue()).toBe(''));
      await stage.open('/settings');
      await soon(async () => expect(await field('Last name').inputValue()).toBe('Half'));
      await button('Discard changes').click();
      await stage.open(path('people'));
      // Also what is typed while the form is sent.
      const next = 'For the next person';
      await stage.page.route('**/inviteCollaborator', async (route) => {
        await field('Message (optional)').fill(next);
        await route.continue();
      });
      await press('Invite', toast('An invitation was sent to half@example.com.'));
      await stage.page.reload();
      await soon(async () => expect(await field('Email of the person').inputValue()).toBe(''));
      await soon(async () => expect(await field('Message (optional)').inputValue()).toBe(next));
      await stage.choose('Ada Lovelace', 'Sign out', heading('Sign in'));
      const drafts = `Object.keys(sessionStorage).filter((key) => key.includes('draft'))`;
      expect(await stage.page.evaluate(drafts)).toEqual([]);
    });
  });
}
