import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { until } from './browser';
import { drop } from './drop';
import { firstTitle, place, type Story } from './story';

/** Ada signs up, publishes a deck and revises it; a reader opens its links. */
export function publishAndRevise(story: Story): void {
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
    await drop(story.ada.page, await story.revealDemo());
    await story.ada.heading('Ready to publish “reveal-demo”').waitFor();
    await story.ada.button('Publish').click();
    await story.ada.heading('Your deck is online').waitFor();
    await story.ada.button('Copy link').click();
    story.link = await story.ada.copied();
    await story.ada.link('To the deck').click();
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
    await story.ada.page.getByText('Version 1 · 1 view').waitFor();
    await story.ada.button('Show it here').click();
    const inPlace = await story.ada.deck();
    const title = '(() => { try { return parent.document.title } catch (error) { return error.name } })()';
    expect(await inPlace.evaluate(`[origin, ${title}]`)).toEqual(['null', 'SecurityError']);
  });

  story.step(
    'version 2 comes from the terminal, with a key of the keys page; the dashboard and the link show it',
    async () => {
      await story.ada.chooseFrom(/^Ada/, 'API keys');
      await story.ada.settle();
      await story.ada.button('Create a key').first().click();
      await story.ada.page.getByLabel('Name').fill('Laptop');
      await story.ada.dialog().getByRole('button', { name: 'Create a key' }).click();
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
      await story.ada.page.getByText('Version 2 ·').waitFor();
      const deck = await story.reader.openDeck(story.link);
      expect(await deck.evaluate(firstTitle)).toBe('The second version');
    },
  );

  story.step('a link that is pinned to version 1 keeps showing it', async () => {
    await story.open('versions');
    await story.ada.chooseFrom('Actions for version 1', 'Make a link to this version');
    await story.ada.toast('A link to version 1 is made and copied.').waitFor();
    story.pinned = await story.ada.copied();
    await story.open('links');
    await story.ada.page.locator('.row').filter({ hasText: 'Version 1' }).first().waitFor();
    const shown = async (url: string) => (await story.reader.openDeck(url)).evaluate(firstTitle);
    expect([await shown(story.pinned), await shown(story.link)]).toEqual([
      'The HTML Presentation Framework',
      'The second version',
    ]);
  });

  story.step('the page compares the versions', async () => {
    await story.open('versions');
    await story.ada.chooseFrom('Actions for version 2', 'Compare with the version before');
    await story.ada.dialog().getByText('demo.html').waitFor();
    await story.ada.dialog().getByRole('button', { name: 'Close' }).click();
  });
}
