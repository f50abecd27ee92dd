import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Route } from 'playwright-core';
import { readDropped } from '../../client/src/browser/read-dropped';
import { zipOf } from '../../client/src/browser/zip-of';
import { NodeTransport } from '../../client/src/service/node-transport';
import { DeckService } from '../../client/src/service/service';
import { page, sha256 } from '../support/world';
import { describeInBrowser, until } from './browser';
import { DashboardStage } from './dashboard';
import type { DeckFolder } from './decks';
import { drop } from './drop';
import { zipArchive } from './zip-archive';

const MB = 1024 * 1024;

const stage = new DashboardStage();
const { button, field, heading, press, text } = stage;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dropped-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function onDisk(name: string, files: DeckFolder): Promise<string> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name, path)), { recursive: true });
    await writeFile(join(folder, name, path), content);
  }
  return join(folder, name);
}

describeInBrowser('publishing files on the dashboard', () => {
  const dropOnPage = (path: string) => drop(stage.page.locator('.drop-zone'), path);
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
    const missing = text('The folder does not hold gone.png.');
    await until(stage.page, '!document.querySelector("[aria-busy=true]")');
    expect(await missing.count()).toBe(0);
    await field('The page that opens first').selectOption('b.html');
    // The page tells it before the push.
    await missing.waitFor();
    await stage.expectTidy();
    await stage.page.waitForFunction(`document.querySelector('input[maxlength="255"]').value === 'B'`);
    await field('Title').fill('Ünï & <b>co</b>');
    await field('Title').press('Enter');
    await heading('Your deck is online').waitFor();
    expect(await stage.page.evaluate('document.activeElement.textContent')).toBe('Your deck is online');
    await press(text('The same from a terminal'), text(`--title 'Ünï & <b>co</b>' --entry b.html`));
    await missing.waitFor();
    await stage.expectTidy();
  });

  test('an archive with names that a deck cannot hold is published without them only after a choice', async () => {
    await stage.enter(stage.owner, '/new');
    const evil = [{ name: 'deck/a\nb.png' }, { name: '../<b>evil</b>.html' }];
    await chooseZip(zipArchive([{ name: 'deck/index.html', content: '<title>Kept</title>' }, ...evil]));
    const alert = stage.page.getByRole('alert').filter({ hasText: 'A deck cannot hold 2 of the files:' });
    await alert.getByText('"a\\u000ab.png" cannot be part of a deck: its name holds a control character.').waitFor();
    await alert.getByText('"../<b>evil</b>.html" in the archive has no name of a file.').waitFor();
    await text('1 file,').waitFor();
    expect(await button('Publish', true).isDisabled()).toBe(true);
    await stage.expectTidy();
    await alert.getByLabel('Publish without them').press('Space');
    await press(button('Publish', true), heading('Your deck is online'));
    expect((await fetch(await field('Link').inputValue())).status).toBe(200);
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
    const conflict = stage.page.getByRole('alert').filter({ hasText: 'Somebody has published version 2 meanwhile.' });
    const uploads = await stage.requestsOf(/\/uploadPresentationAssets$/, async () => {
      await press('Publish version', conflict);
    });
    expect([await version(), uploads.length]).toEqual([2, 0]);
    await stage.row('From elsewhere').getByText('Current').waitFor();
    // The browser reports the answer that refuses the version.
    expect(stage.troubles.splice(0).every((trouble) => trouble.includes('409'))).toBe(true);
    await stage.expectTidy();
    await press(conflict.getByRole('button', { name: 'Publish mine anyway' }), heading('Version 3 is online'));
    expect([await version(), uploads.length]).toEqual([3, 1]);
  });

  test('says what is wrong with files before anything is sent', async () => {
    await stage.enter(stage.owner, '/new');
    const large = { 'film.mp4': Buffer.alloc(51 * MB), 'notes.html': Buffer.alloc(11 * MB, 'x') };
    const sent = await stage.requestsOf(/Assets/, async () => {
      await dropOnPage(await onDisk('no page', { '.hidden': 'x' }));
      await text('There is no file that can be part of a deck.').waitFor();
      await dropOnPage(await onDisk('large', { 'index.html': '<p>', ...large }));
      await text('film.mp4 has 51 MB; your plan allows 50 MB in a file').waitFor();
      await text('notes.html has 11 MB; your plan allows 10 MB in an HTML file').waitFor();
    });
    expect(await button('Publish', true).isDisabled()).toBe(true);
    await stage.expectTidy();
    expect(sent).toEqual([]);
  });

  test('after a reload it names the interrupted upload, and sends only what is missing', async () => {
    const parts = { 'a.bin': randomBytes(9 * MB), 'b.bin': randomBytes(9 * MB) };
    const path = await onDisk('long', { 'index.html': '<title>Long</title>', ...parts });
    await stage.enter(stage.owner, '/new');
    let forms = 0;
    await stage.page.route('**/uploadPresentationAssets', async (route) => {
      forms++;
      // Of three forms, the last two do not arrive before the reload.
      if (forms === 1) await route.continue();
    });
    await dropOnPage(path);
    const answered = stage.page.waitForResponse((response) => response.url().endsWith('/uploadPresentationAssets'));
    await button('Publish', true).click();
    await answered;
    await heading('Uploading …').waitFor();
    await press('Cancel the upload', heading('Ready to publish “long”'));
    await press(button('Publish', true), heading('Uploading …'));
    stage.page.on('dialog', (dialog) => void dialog.accept());
    await stage.page.reload();
    await stage.page.unroute('**/uploadPresentationAssets');
    await text('The upload of “long” was interrupted.').waitFor();
    const sent = await stage.requestsOf(/\/uploadPresentationAssets$/, async () => {
      await dropOnPage(path);
      await press(button('Publish', true), heading('Your deck is online'));
    });
    expect(sent).toHaveLength(2);
  });

  test('a dropped folder is published without what it ignores, its large files in pieces, and every byte is shown', async () => {
    const [large, film] = [randomBytes(9 * MB), randomBytes(30 * MB)];
    const left = { '.env': 'SECRET', 'node_modules/x/index.js': 'x', 'notes/draft.txt': 'draft' };
    const files: DeckFolder = {
      'empty.txt': '',
      'film.mp4': film,
      'index.html': '<title>Talk</title>',
      'é ü.bin': large,
    };
    const puts: string[] = [];
    stage.page.on('request', (request) => {
      if (request.method() === 'PUT') puts.push(request.headers()['content-range'] ?? '');
    });
    const held = new Promise<Route>((resolve) =>
      stage.page.route('**/commitPresentationVersion', (route) =>
        route.request().postData()!.includes('"dryRun":true') ? route.continue() : resolve(route),
      ),
    );
    await stage.enter(stage.owner, '/new');
    await dropOnPage(await onDisk('Quarterly talk', { ...files, ...left, '.deckignore': 'notes/\n' }));
    await button('Publish', true).click();
    const commit = await held;
    await text(/^100\s?%.*39 MB of 39 MB/).waitFor();
    const rows = stage.page.locator('.push-progress .files li');
    await rows.filter({ hasText: 'Sent' }).nth(2).waitFor();
    expect(await rows.count()).toBe(3);
    await commit.continue();
    await heading('Your deck is online').waitFor();
    expect(puts.map((range) => Number(/-(\d+)\//.exec(range)?.[1]) + 1)).toEqual([8, 16, 24, 30].map((n) => n * MB));
    // The bucket answers each piece but the last one with 308.
    expect(stage.troubles.filter((trouble) => !trouble.startsWith('308'))).toEqual([]);
    const presentationId = new URL(await field('Link').inputValue()).pathname.split('/').at(-1)!;
    const { files: stored } = await stage.read<{ files: object[] }>('getPresentationVersion', {
      presentationId,
      version: 'latest',
    });
    const types = ['text/plain; charset=utf-8', 'video/mp4', 'text/html; charset=utf-8', 'application/octet-stream'];
    const hashes = Object.entries(files).map(([path, bytes]) => [path, sha256(bytes)]);
    expect(stored).toEqual(
      hashes.map(([path, hash], i) => expect.objectContaining({ path, sha256: hash, contentType: types[i] })),
    );

    // The library downloads the version as an archive that it can read again.
    const transport = new NodeTransport();
    const service = new DeckService({ baseUrl: stage.world.cloud.baseUrl, key: stage.owner.key, transport });
    let bytes = 0;
    const request = { presentationId, version: 'latest' as const, onBytes: (more: number) => (bytes += more) };
    const { title, version, amount, stream } = await zipOf(service, request);
    const archive = new File([await new Response(stream).blob()], 'again.zip');
    const again = (await readDropped([archive])).files.map(async ({ path, blob }) => [
      path,
      sha256(Buffer.from(await blob.arrayBuffer())),
    ]);
    expect(await Promise.all(again)).toEqual(hashes);
    expect([title, version, amount, bytes]).toEqual(['Talk', 1, { files: 4, bytes }, 39 * MB + 19]);
    service.close();
  });
});
