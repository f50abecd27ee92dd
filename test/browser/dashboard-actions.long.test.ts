import { randomBytes } from 'node:crypto';
import { truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { readDropped } from '../../client/src/browser/read-dropped';
import { zipOf } from '../../client/src/browser/zip-of';
import { NodeTransport } from '../../client/src/service/node-transport';
import { DeckService } from '../../client/src/service/service';
import { each } from '../support/each';
import { aLockedPdf, aPdf } from '../support/pdf-file';
import { page, sha256 } from '../support/world';
import { zipArchive } from '../support/zip-archive';
import { describeInBrowser, soon, until } from './browser';
import { aVersion, DashboardStage, refuse } from './dashboard';
import { MB, type DeckFolder } from './decks';
import { droppedOn } from './drop';
import { expectToFit } from './fits';
import { keyboardOf } from './keyboard';
import { proveFailedActions } from './proof-actions';

/** Publishing in the dashboard, trying again, and working with the keys alone. */

const stage = new DashboardStage();
const { button, dialog, field, heading, press, text, toast } = stage;
const { dropNew, dropOnPage, onDisk, publishAs, toDeck } = droppedOn(stage);
const { chooseByKeys, focused, isIn, reach, reachAndPress, type, typeInto, untilFocused } = keyboardOf(stage);

type Sent = { postData?: string };
const isDryRun = ({ postData = '' }: Sent) => postData.includes('"dryRun":true');

describeInBrowser('publishing files on the dashboard', () => {
  /**
   * Pauses calls of an endpoint, unless they may pass. `held` is what lets the first of them go on. Playwright's routes
   * would read the bytes of every upload.
   */
  async function pauseUnless(mayPass: (request: Sent) => boolean, endpoint: string) {
    const session = await stage.viewer.context.newCDPSession(stage.page);
    const held = new Promise<() => Promise<unknown>>((resolve) =>
      session.on('Fetch.requestPaused', ({ request, requestId }) => {
        const goOn = () => session.send('Fetch.continueRequest', { requestId });
        // Before a call the browser asks whether it may send it.
        if (request.method === 'OPTIONS' || mayPass(request)) void goOn();
        else resolve(goOn);
      }),
    );
    await session.send('Fetch.enable', { patterns: [{ urlPattern: `*/${endpoint}` }] });
    return { held, end: () => session.detach() };
  }

  test('after a reload it names the interrupted upload, and sends only what is missing, but of no other folder', async () => {
    // A form holds 8 MB: each file gets one for itself.
    const parts = { 'a.bin': randomBytes(1000), 'b.bin': randomBytes(8 * MB) };
    const path = await onDisk('long', { 'index.html': '<title>Long</title>', ...parts });
    await stage.enter(stage.owner, '/new');
    // Of three forms, the last two do not arrive before the reload.
    let forms = 0;
    const { end } = await pauseUnless(() => ++forms === 1, 'uploadPresentationAssets');
    await dropOnPage(path);
    const answered = stage.page.waitForResponse((response) => response.url().endsWith('/uploadPresentationAssets'));
    await button('Publish', true).click();
    await answered;
    await heading('Uploading …').waitFor();
    await press('Cancel the upload', heading('Ready to publish “long”'));
    await press(button('Publish', true), heading('Uploading …'));
    stage.page.on('dialog', (dialog) => void dialog.accept());
    await stage.page.reload();
    await end();
    await text('The upload of “long” was interrupted.').waitFor();
    // Another folder with this name is another deck, and leaves the upload as it is.
    await dropOnPage(await onDisk('other/long', { 'index.html': '<title>Other</title>' }));
    await press(button('Publish', true), heading('Your deck is online'));
    await stage.open('/new');
    const sent = await stage.requestsOf(/\/uploadPresentationAssets$/, async () => {
      await dropOnPage(path);
      await press(button('Publish', true), heading('Your deck is online'));
    });
    expect(sent).toHaveLength(2);
  });

  test('a dropped folder is published without what it ignores, its large files in pieces, and every byte is shown', async () => {
    const [film, small] = [randomBytes(25 * MB), randomBytes(1000)];
    const left = { '.env': 'SECRET', 'node_modules/x/index.js': 'x', 'notes/draft.txt': 'draft' };
    const files: DeckFolder = {
      'empty.txt': '',
      'film.mp4': film,
      'index.html': '<title>Talk</title>',
      'é ü.bin': small,
    };
    const puts: string[] = [];
    stage.page.on('request', (request) => {
      if (request.method() === 'PUT') puts.push(request.headers()['content-range'] ?? '');
    });
    await stage.enter(stage.owner, '/new');
    const { held } = await pauseUnless(isDryRun, 'commitPresentationVersion');
    await dropOnPage(await onDisk('Quarterly talk', { ...files, ...left, '.deckignore': 'notes/\n' }));
    await button('Publish', true).click();
    const goOn = await held;
    await text(/^100\s?%.*25 MB of 25 MB/).waitFor();
    const rows = stage.page.locator('.push-progress .files li');
    await rows.filter({ hasText: 'Sent' }).nth(2).waitFor();
    await soon(async () => expect(await rows.count()).toBe(3));
    await soon(async () => expect(await button('Cancel the upload').isDisabled()).toBe(true));
    await goOn();
    await heading('Your deck is online').waitFor();
    expect(puts.map((range) => Number(/-(\d+)\//.exec(range)?.[1]) + 1)).toEqual([8, 16, 24, 25].map((n) => n * MB));
    // The bucket answers each piece but the last one with 308.
    expect(stage.troubles.filter((trouble) => !trouble.startsWith('308'))).toEqual([]);
    const presentationId = new URL(await field('Link').inputValue()).pathname.split('/').at(-1)!;
    const { files: stored } = await stage.read<{ files: object[] }>('getPresentationVersion', {
      presentationId,
      version: 'latest',
    });
    const types = ['text/plain; charset=utf-8', 'video/mp4', 'text/html; charset=utf-8', 'application/octet-stream'];
    const hashes = Object.entries(files).map(([path, bytes]) => [path, sha256(bytes)]);
    expect(stored).toMatchObject(hashes.map(([path, hash], i) => ({ path, sha256: hash, contentType: types[i] })));

    // The library downloads the version, large files in pieces, as an archive that it can read again.
    const transport = new NodeTransport();
    const service = new DeckService({ baseUrl: stage.world.cloud.baseUrl, key: stage.owner.key, transport });
    let bytes = 0;
    const onBytes = (more: number) => (bytes += more);
    const { amount, stream } = await zipOf(service, { presentationId, version: 'latest', onBytes });
    const again = await readDropped([new File([await new Response(stream).blob()], 'again.zip')]);
    const hashOf = async (blob: Blob) => sha256(Buffer.from(await blob.arrayBuffer()));
    expect(await Promise.all(again.files.map(async ({ path, blob }) => [path, await hashOf(blob)]))).toEqual(hashes);
    expect([amount, bytes]).toEqual([{ files: 4, bytes }, 25 * MB + 1019]);
    service.close();
  });

  test('a page is published where the browser refuses to store anything for the tab', async () => {
    await stage.viewer.context.addInitScript({
      content: `Object.defineProperty(window, 'sessionStorage', { get() { throw new DOMException('No', 'SecurityError') } });`,
    });
    await stage.enter(stage.owner, '/new');
    await stage.choosePage('<title>Talk</title>');
    await press(button('Publish', true), heading('Your deck is online'));
    expect(stage.troubles).toEqual([]);
  });

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
    await press(
      text('The same from a terminal'),
      text(`deck push ./deck.zip --title 'Ünï & <b>co</b>' --entry b.html`),
    );
    await missing.waitFor();
    expect(stage.troubles).toEqual([]);
  });

  test('an archive with names that a deck cannot hold is published without them only after a choice', async () => {
    await stage.enter(stage.owner, '/new');
    const evil = [{ name: 'deck/a\nb.png' }, { name: '../<b>evil</b>.html' }];
    const buffer = zipArchive([{ name: 'deck/index.html', content: '<title>Kept</title>' }, ...evil]);
    await field('Choose a file').setInputFiles({ name: 'deck.zip', mimeType: 'application/zip', buffer });
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
    await stage.choosePage('<h1>Mine</h1>');
    const conflict = stage.page.getByRole('alert').filter({ hasText: 'Somebody else has published version 2.' });
    const uploads = await stage.requestsOf(/\/uploadPresentationAssets$/, async () => {
      await press('Publish version', conflict);
    });
    expect([await version(), uploads.length]).toEqual([2, 0]);
    await stage.row('From elsewhere').getByText('Current').waitFor();
    // The browser reports the answer that refuses the version.
    for (const trouble of each(stage.troubles.splice(0))) expect(trouble).toContain('409');
    await expectToFit(stage.page);
    await press(conflict.getByRole('button', { name: 'Publish mine anyway' }), heading('Version 3 is online'));
    expect([await version(), uploads.length]).toEqual([3, 1]);
  });

  test('a version whose files the deck holds already cannot be cancelled while it is made', async () => {
    const [one, two] = [page('One'), page('Two')];
    const deck = await stage.world.aPushedDeck(stage.owner, [one]);
    await aVersion(stage.world, stage.owner, deck.presentationId, [two]);
    await stage.enter(stage.owner, `/decks/${deck.presentationId}/versions`);
    await button('Publish a new version').click();
    const { held } = await pauseUnless(isDryRun, 'commitPresentationVersion');
    await stage.choosePage(one.bytes.toString());
    await press('Publish version');
    const goOn = await held;
    await soon(async () => expect(await button('Cancel the upload').isDisabled()).toBe(true));
    await goOn();
    await heading('Version 3 is online').waitFor();
    expect((await stage.info(deck)).version).toBe(3);
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
      await dropNew('locked.pdf', await aLockedPdf());
      await text('locked.pdf is protected with a password.').waitFor();
      await dropOnPage(large);
      await text('film.mp4 has 51 MB; your plan allows 50 MB in a file').waitFor();
      await text('notes.html has 11 MB; your plan allows 10 MB in an HTML file').waitFor();
    });
    await soon(async () => expect(await button('Publish', true).isDisabled()).toBe(true));
    await stage.expectTidy();
    expect(sent).toEqual([]);
  });
});

describeInBrowser('a deck of pages or pictures', () => {
  const pages = [{ heading: 'Opening', lines: ['Welcome'] }, { heading: 'Numbers' }, { heading: 'Numbers' }];

  test('that is dropped as a PDF has its title and the pictures of its pages, and its next export is a version with pictures', async () => {
    await stage.enter(stage.owner, '/new');
    expect(stage.viewer.answers.filter(({ url }) => url.includes('/pdf.'))).toEqual([]);
    await dropNew('talk.pdf', await aPdf({ pages, title: 'Quarterly review' }));
    // The PDF has 16:9, as a picture.
    expect(await publishAs('Quarterly review')).toEqual([
      ['Opening', 'Opening', 640, 360],
      ['Numbers', 'Numbers', 640, 360],
      ['Numbers #2', 'Numbers', 640, 360],
    ]);
    await text('The same from a terminal').click();
    await text(/deck push .*talk\.pdf/).waitFor();
    await toDeck().click();
    await stage.page.getByRole('link', { name: /Versions/ }).click();
    await button('Publish a new version').click();
    const next = { name: 'talk (2).pdf', mimeType: 'application/pdf', buffer: await aPdf({ pages: pages.slice(1) }) };
    await field('Choose a file').setInputFiles(next);
    expect(stage.troubles).toEqual([]);
    // The answer to the commit is lost: the version is made, and the next attempt finds it.
    let commits = 0;
    await stage.page.route('**/commitPresentationVersion', async (route) => {
      if (isDryRun({ postData: route.request().postData() ?? '' }) || ++commits > 1) return route.continue();
      await route.fetch();
      await refuse(route);
    });
    await press('Publish version', button('Try again'));
    // An attempt between the two is cancelled.
    const prechecks = '**/precheckAssets';
    await stage.page.route(prechecks, () => {}, { times: 1 });
    const asked = stage.page.waitForRequest(prechecks);
    await press('Try again');
    await asked;
    await press('Cancel the upload', heading('Ready to publish'));
    const pictures = stage.page.waitForResponse((answer) => answer.url().endsWith('/uploadSlidePictures'));
    await press('Publish version', heading('Version 2 is online'));
    await pictures;
  });
});

describeInBrowser('with the keys alone', () => {
  const aDeck = async () =>
    (await stage.world.aPushedDeck(stage.owner, [page('<h1>One</h1>')], 'Results')).presentationId;

  test('a link is added and revoked, and the focus stays where the person works; a menu and a dialog give it back', async () => {
    await stage.enter(stage.owner, `/decks/${await aDeck()}/links`);
    await typeInto('Name', 'Board');
    await type('Enter');
    await toast(/Board/).waitFor();
    expect(await focused()).toBe('Name');
    const menu = 'Actions for the link Board';
    await reach(menu);
    await type(' ');
    await untilFocused('QR code');
    await type('ArrowUp');
    expect(await focused()).toBe('Revoke …');
    await type('Home', 'ArrowDown');
    expect(await focused()).toBe('Edit …');
    await type('Escape');
    await soon(async () => expect([await focused(), await stage.page.getByRole('menu').count()]).toEqual([menu, 0]));
    await chooseByKeys(menu, 'Edit …');
    for (let n = 0; n < 12; n++) {
      await type('Tab');
      // Between its last and its first control the focus is in the window of the browser.
      expect((await isIn('dialog')) || !(await isIn('body *'))).toBe(true);
    }
    await type('Escape');
    await untilFocused(menu);
    await chooseByKeys(menu, 'Revoke …');
    await reachAndPress('Revoke link');
    await toast('The link “Board” is revoked.').waitFor();
    await stage.settle();
    expect(await isIn('main')).toBe(true);
  });

  test('a form that is published, saved or left as it was keeps the focus', async () => {
    await stage.world.forgetPublications(stage.owner);
    await stage.enter(stage.owner, `/decks/${await aDeck()}/marketplace`);
    await typeInto('Description', 'Revenue and costs.');
    await reachAndPress('Publish in the marketplace');
    await toast('The deck is in the marketplace.').waitFor();
    await stage.settle();
    expect(await isIn('section.listing')).toBe(true);

    await stage.open('/settings');
    await typeInto('Last name', 'Byron');
    await reachAndPress('Discard changes');
    await untilFocused('Save');
    // There is nothing to save: the button does nothing, and stays.
    await type('Enter');
    expect(await focused()).toBe('Save');
    await typeInto('Last name', 'Byron', 'Shift+Tab');
    await reachAndPress('Save');
    await toast('Saved.').waitFor();
    expect(await focused()).toBe('Save');
  });

  test('every key that the list names does what it says, and a collaborator has only the keys of the own pages', async () => {
    const presentationId = await aDeck();
    const start = `/decks/${presentationId}`;
    const keys = async () => {
      await type('?');
      await dialog().waitFor();
      const found = await stage.page.locator('.shortcuts kbd').allInnerTexts();
      await type('Escape');
      await dialog().waitFor({ state: 'detached' });
      return found.toSorted();
    };
    // The keys of the deck are there on its own pages only.
    const ofDeck = { v: `${start}/versions`, l: `${start}/links`, m: `${start}/mails`, i: `${start}/insights` };
    const places = { ...ofDeck, o: '', n: '/new', k: '/keys', u: '/usage', s: '/settings', d: '/decks' };
    await stage.enter(stage.owner, start);
    await reachAndPress('Skip to the content');
    expect(await stage.page.evaluate('document.activeElement.id')).toBe('content');
    expect(await keys()).toEqual(['?', ...Object.keys(places)].toSorted());
    for (const [key, path] of Object.entries(places)) {
      await type(key);
      await stage.page.waitForURL(stage.address(path));
      await stage.settle();
    }
    await untilFocused('Decks');
    expect(await keys()).toContain('/');
    await type('/');
    await until(stage.page, `document.activeElement.type === 'search'`);
    // A letter that is typed into a field is a letter.
    await type('k');
    expect(stage.page.url()).not.toContain('/keys');

    const guest = await stage.world.anOwner();
    await stage.call('inviteCollaborator', { presentationId, email: guest.email });
    await stage.enter(guest, start);
    expect((await keys()).filter((key) => 'vlmi'.includes(key))).toEqual(['v']);
  });
});

proveFailedActions(stage);
