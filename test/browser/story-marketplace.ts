import { until } from './browser';
import { firstTitle, type Story } from './story';

/** Ada publishes the deck in the marketplace, Bob stars and remixes it, and Ada deletes it. */
export function listAndDelete(story: Story): void {
  story.step(
    'the deck is published in the marketplace, and a search of somebody who is signed out finds it',
    async () => {
      await story.open('marketplace');
      await story.ada.page.getByLabel('Title').fill('A tour of reveal.js');
      await story.ada.page.getByLabel('Description').fill('Slides, themes and transitions.');
      await story.ada.page.getByLabel('Tags').fill('slides, html');
      await story.ada.button('Publish').click();
      await story.ada.toast('The deck is in the marketplace.').waitFor();
      await story.reader.open(story.address('/marketplace'));
      await story.reader.page.getByRole('searchbox').fill('tour rev');
      await story.reader.page.keyboard.press('Enter');
      await story.reader.link('A tour of reveal.js').waitFor();
      await story.reader.link('A tour of reveal.js').click();
      const deck = await story.reader.deck();
      expect(await deck.evaluate(firstTitle)).toBe('The second version');
      story.listingPage = story.reader.page.url();
    },
  );

  story.step('somebody else signs up on the way to a star, and remixes without another sign-in', async () => {
    const bob = await story.person('bob');
    await bob.open(story.listingPage);
    await bob.deck();
    await bob.button('Star').click();
    await bob.link('Create an account').click();
    await bob.signUp('Bob');
    await bob.page.waitForURL(story.listingPage);
    await bob.deck();
    // The star that he pressed is given after the sign-in.
    await until(bob.page, `document.getElementById('stars').textContent === '1 star'`);
    await bob.link('Remix').click();
    await bob.heading('Remix a listing').waitFor();
    await bob.page.getByLabel('Title of your deck').fill('My tour');
    await bob.button('Make the remix').click();
    await bob.heading('My tour').waitFor();
    await bob.settle();
  });

  story.step('a deleted deck is gone from its links, the marketplace and the dashboard', async () => {
    await story.open('settings');
    await story.ada.button('Delete deck').click();
    const title = (await story.ada.page.locator('h1').textContent())!;
    await story.ada.dialog().getByRole('textbox').fill(title);
    await story.ada.dialog().getByRole('button', { name: 'Delete deck' }).click();
    await story.ada.toast(`“${title}” is deleted.`).waitFor();
    await story.ada.page.getByText('Publish your first deck').waitFor();
    expect((await story.reader.open(story.pinned))!.status()).toBe(404);
    expect((await story.reader.open(story.listingPage))!.status()).toBe(410);
    expect(story.reader.takeTroubles().filter((trouble) => !/\b(410|404)\b/.test(trouble))).toEqual([]);
  });
}
