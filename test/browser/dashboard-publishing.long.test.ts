import { truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { page } from '../support/world';
import { zipArchive } from '../support/zip-archive';
import { describeInBrowser, soon, until } from './browser';
import { DashboardStage } from './dashboard';
import { MB } from './decks';
import { droppedOn } from './drop';
import { expectToFit } from './fits';
import { proveFailedActions } from './proof-actions';

/** Publishing files in the dashboard, and trying again. */

const stage = new DashboardStage();
const { button, field, heading, press, text } = stage;
const { dropOnPage, onDisk } = droppedOn(stage);

describeInBrowser('publishing files on the dashboard', () => {
  const chooseZip = (buffer: Buffer) =>
    field('Choose a file').setInputFiles({ name: 'deck.zip', mimeType: 'application/zip', buffer });

  test('an archive that is chosen with the keyboard asks for the page that opens first, and names missing files', async () => {
    const buffer = zipArchive([
      { name: 'deck/a.html', content: '<title>A</title>' },
      { name: 'deck/b.html', content: '<title>B</title><img src="gone.png">' },
    ]);
    await stage.enter(stage.owner, '/new');
    const chooser = stage.page.waitForEvent('filechooser');
    await button('Choose a file').focus();
    await stage.page.keyboard.press('Enter');
    await (await chooser).setFiles({ name: 'deck.zip', mimeType: 'application/zip', buffer });
    const missing = text('gone.png is not in the folder.');
    await until(stage.page, '!document.querySelector("[aria-busy=true]")');
    await soon(async () => expect(await missing.count()).toBe(0));
    await field('The page that opens first').selectOption('b.html');
    // The page tells it before the push.
    await missing.waitFor();
    await soon(async () => expect(await field('Title').inputValue()).toBe('B'));
    await field('Title').fill('Ünï & <b>co</b>');
    await field('Title').press('Enter');
    await heading('Your deck is online').waitFor();
    expect(await stage.page.evaluate('document.activeElement.textContent')).toBe('Your deck is online');
    await press(text('The same from a terminal'), text(`--title 'Ünï & <b>co</b>' --entry b.html`));
    await missing.waitFor();
    expect(stage.troubles).toEqual([]);
  });

  test('an archive with names that a deck cannot hold is published without them only after a choice', async () => {
    await stage.enter(stage.owner, '/new');
    const evil = [{ name: 'deck/a\nb.png' }, { name: '../<b>evil</b>.html' }];
    await chooseZip(zipArchive([{ name: 'deck/index.html', content: '<title>Kept</title>' }, ...evil]));
    const alert = stage.page.getByRole('alert').filter({ hasText: '2 of the files cannot be part of a deck:' });
    await alert.getByText('"a\\u000ab.png" cannot be part of a deck: its name contains a control character.').waitFor();
    await alert.getByText('"../<b>evil</b>.html" in the archive does not have a file name.').waitFor();
    await text('1 file,').waitFor();
    await soon(async () => expect(await button('Publish', true).isDisabled()).toBe(true));
    await alert.getByLabel('Publish without them').press('Space');
    await press(button('Publish', true), heading('Your deck is online'));
    await soon(async () => expect((await fetch(await field('Link').inputValue())).status).toBe(200));
  });

  test('a version that somebody pushed meanwhile is told, and a choice puts this one on top of it', async () => {
    const deck = await stage.world.aPushedDeck(stage.owner, [page('<h1>One</h1>')], 'Ours');
    const { presentationId } = deck;
    const version = async () => (await stage.info(deck)).version;
    await stage.enter(stage.owner, `/decks/${presentationId}/versions`);
    await button('Publish a new version').click();
    await stage.world.commit(stage.owner, { presentationId, message: 'From elsewhere' }, [page('<h1>One</h1>')]);
    const buffer = Buffer.from('<h1>Mine</h1>');
    await field('Choose a file').setInputFiles({ name: 'index.html', mimeType: 'text/html', buffer });
    const conflict = stage.page.getByRole('alert').filter({ hasText: 'Somebody else has published version 2.' });
    const uploads = await stage.requestsOf(/\/uploadPresentationAssets$/, async () => {
      await press('Publish version', conflict);
    });
    expect([await version(), uploads.length]).toEqual([2, 0]);
    await stage.row('From elsewhere').getByText('Current').waitFor();
    // The browser reports the answer that refuses the version.
    expect(stage.troubles.splice(0).every((trouble) => trouble.includes('409'))).toBe(true);
    await expectToFit(stage.page);
    await press(conflict.getByRole('button', { name: 'Publish mine anyway' }), heading('Version 3 is online'));
    expect([await version(), uploads.length]).toEqual([3, 1]);
  });

  test('says what is wrong with files before anything is sent', async () => {
    await stage.enter(stage.owner, '/new');
    const large = await onDisk('large', { 'index.html': '<p>', 'film.mp4': '', 'notes.html': '' });
    // They take no room on the disk.
    await truncate(join(large, 'film.mp4'), 51 * MB);
    await truncate(join(large, 'notes.html'), 11 * MB);
    const sent = await stage.requestsOf(/Assets/, async () => {
      await dropOnPage(await onDisk('no page', { '.hidden': 'x' }));
      await text('There is no HTML file in “no page”.').waitFor();
      await field('Choose a file').setInputFiles({ name: 'Talk.pptx', mimeType: '', buffer: Buffer.from('x') });
      const refused = stage.page
        .getByRole('alert')
        .filter({ hasText: '“Talk.pptx” is not an HTML file, a PDF or a picture.' });
      await refused.getByText('Choose a folder or a zip with an HTML file in it').waitFor();
      await refused.getByText('Deckhost does not read PowerPoint').waitFor();
      await dropOnPage(large);
      await text('film.mp4 has 51 MB; your plan allows 50 MB in a file').waitFor();
      await text('notes.html has 11 MB; your plan allows 10 MB in an HTML file').waitFor();
    });
    await soon(async () => expect(await button('Publish', true).isDisabled()).toBe(true));
    await stage.expectTidy();
    expect(sent).toEqual([]);
  });
});

proveFailedActions(stage);
