import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describeInBrowser, soon, until } from './browser';
import { drop } from './drop';
import { firstTitle, place, Story } from './story';

const story = new Story();

describeInBrowser('the story of a deck on origins of its own', () => {
  // Ada signs up, publishes the deck and revises it; a reader opens its links.
  story.step('Ada signs up on the page and ends where decks are published', async () => {
    story.ada = await story.person('ada');
    await story.ada.open(story.address('/'));
    await story.ada.open(story.address('/dashboard'));
    await story.ada.heading('Sign in').waitFor();
    await story.ada.link('Create an account').click();
    await story.ada.signUp('Ada');
    await story.ada.heading('New deck').waitFor();
  });

  story.step('she drops the demo of reveal.js, publishes it and copies the link', async () => {
    await drop(story.ada.page.locator('.drop-zone'), await story.revealDemo());
    await story.ada.heading('Ready to publish “reveal-demo”').waitFor();
    await story.ada.press('Publish', story.ada.heading('Your deck is online'));
    await story.ada.button('Copy link').click();
    story.link = await story.ada.copied();
    await story.ada.link('Go to the deck').click();
    await story.ada.settle();
    story.deckPage = story.ada.page.url();
  });

  story.step('somebody else opens the link: the deck runs, and the dashboard counts the view', async () => {
    story.reader = await story.person('reader');
    const deck = await story.reader.openDeck(story.link);
    expect(await deck.evaluate(place)).toBe('0,0');
    await story.reader.page.keyboard.press('ArrowRight');
    await until(deck, `${place} === '1,0'`);
    await story.open();
    await story.ada.text('Version 1 · 1 view').waitFor();
    await story.ada.button('Show it here').click();
    const inPlace = await story.ada.deck();
    const title = '(() => { try { return parent.document.title } catch (error) { return error.name } })()';
    expect(await inPlace.evaluate(`[origin, ${title}]`)).toEqual(['null', 'SecurityError']);
    await story.ada.button('Close the deck').click();
    await soon(async () => expect(await story.ada.page.locator('.stage iframe').count()).toBe(0));
  });

  story.step(
    'version 2 comes from the terminal, with a key of the keys page; the dashboard and the link show it',
    async () => {
      await story.ada.choose(/^Ada/, 'API keys');
      await story.ada.settle();
      await story.ada.button('Create a key').first().click();
      await story.ada.field('Name').fill('Laptop');
      await story.ada.answer('Create a key');
      await story.ada.button('Copy the key').click();
      const key = await story.ada.copied();
      const address = /DECK_BASE_URL=(\S+)/.exec(await story.ada.page.locator('.new-key').innerText())![1]!;
      const terminal = { DECK_BASE_URL: address, DECK_API_KEY: key };
      await story.ada.button('I have copied it').click();
      await story.open();
      const id = new URL(story.deckPage).pathname.split('/').at(-1)!;
      await story.deck(terminal, 'pull', id, 'talk');
      const entry = join(story.folder, 'talk', 'demo.html');
      const html = await readFile(entry, 'utf8');
      await writeFile(entry, html.replace('The HTML Presentation Framework</h3>', 'The second version</h3>'));
      await story.deck(terminal, 'push', 'talk', '--message', 'A new first slide');
      await story.ada.page.reload();
      await story.ada.settle();
      await story.ada.text('Version 2 ·').waitFor();
      const deck = await story.reader.openDeck(story.link);
      expect(await deck.evaluate(firstTitle)).toBe('The second version');
    },
  );

  story.step('a link that is pinned to version 1 keeps showing it', async () => {
    await story.open('versions');
    await story.ada.choose('Actions for version 1', 'Add a link to this version');
    await story.ada.toast('A link to version 1 is ready and copied.').waitFor();
    story.pinned = await story.ada.copied();
    await story.open('links');
    await story.ada.page.locator('.row').filter({ hasText: 'Version 1' }).first().waitFor();
    const shown = async (url: string) => (await story.reader.openDeck(url)).evaluate(firstTitle);
    expect([await shown(story.pinned), await shown(story.link)]).toEqual([
      'The HTML Presentation Framework',
      'The second version',
    ]);
  });

  // Ada mails the deck.
  story.step('a mail leads its recipient to the deck, and the dashboard says that it was loaded', async () => {
    const grace = await story.person('grace');
    await story.open('mails');
    await story.ada.fill({ To: grace.email, Message: 'Please look at the second slide.' }, 'Preview');
    await story.ada.dialog().frameLocator('iframe').getByText('Please look at the second slide.').waitFor();
    await story.ada.answer('Close');
    await story.ada.press('Send to 1 recipient', story.ada.toast('1 mail sent.'));
    const row = () => story.ada.page.getByRole('row').filter({ hasText: grace.email });
    await row().getByText('Not opened').waitFor();
    await grace.open(story.world.cloud.mailUrl);
    await grace.link(/shared/).click();
    const opened = grace.page.context().waitForEvent('page');
    await grace.page.frameLocator('iframe').getByRole('link', { name: 'Open' }).click();
    const deck = await grace.deck(await opened);
    expect(await deck.evaluate(firstTitle)).toBe('The second version');
    await story.open('mails');
    await row().getByText('Loaded, but no visit').waitFor();
  });

  // Ada publishes the deck in the marketplace, Bob stars and remixes it, and Ada deletes it.
  story.step(
    'the deck is published in the marketplace, and a search of somebody who is signed out finds it',
    async () => {
      await story.open('marketplace');
      await story.ada.field('Title').fill('A tour of reveal.js');
      await story.ada.field('Description').fill('Slides, themes and transitions.');
      await story.ada.field('Tags').fill('slides, html');
      await story.ada.press('Publish', story.ada.toast('The deck is in the marketplace.'));
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
    await bob.press(bob.link('Remix'), bob.heading('Remix a listing'));
    await bob.fill({ 'Title of your deck': 'My tour' }, 'Remix', bob.heading('My tour'));
    await bob.settle();
  });

  story.step('a deleted deck is gone from its links, the marketplace and the dashboard', async () => {
    await story.open('settings');
    await story.ada.button('Delete deck').click();
    const title = (await story.ada.page.locator('h1').textContent())!;
    await story.ada.dialog().getByRole('textbox').fill(title);
    await story.ada.answer('Delete deck', story.ada.toast(`“${title}” is deleted.`));
    await story.ada.text('Publish your first deck').waitFor();
    expect((await story.reader.open(story.pinned))!.status()).toBe(404);
    expect((await story.reader.open(story.listingPage))!.status()).toBe(410);
    expect(story.reader.takeTroubles().filter((trouble) => !/\b(410|404)\b/.test(trouble))).toEqual([]);
  });
});
