import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { page } from '../support/world';
import { describeInBrowser, until } from './browser';
import { DashboardStage } from './dashboard';
import { drop as dropOn } from './drop';
import { zipArchive } from './zip-archive';

const MB = 1024 * 1024;

describeInBrowser('publishing files on the dashboard', () => {
  const stage = new DashboardStage();
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'push-page-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  async function onDisk(name: string, files: Record<string, string | Buffer>): Promise<string> {
    for (const [path, content] of Object.entries(files)) {
      await mkdir(dirname(join(folder, name, path)), { recursive: true });
      await writeFile(join(folder, name, path), content);
    }
    return join(folder, name);
  }

  const drop = (...paths: string[]) => dropOn(stage.page, ...paths);
  const button = (name: string) => stage.page.getByRole('button', { name, exact: true });
  const heading = (name: string | RegExp) => stage.page.getByRole('heading', { name });

  test('an archive that is chosen with the keyboard asks for the page that opens first, and names missing files', async () => {
    const archive = zipArchive([
      { name: 'deck/a.html', content: '<title>A</title>' },
      { name: 'deck/b.html', content: '<title>B</title><img src="gone.png">' },
    ]);
    await stage.enter(stage.owner, '/new');
    const chooser = stage.page.waitForEvent('filechooser');
    await button('Choose a file').focus();
    await stage.page.keyboard.press('Enter');
    await (await chooser).setFiles({ name: 'deck.zip', mimeType: 'application/zip', buffer: archive });
    const missing = stage.page.getByText('The folder does not hold gone.png.');
    await until(stage.page, '!document.querySelector("[aria-busy=true]")');
    expect(await missing.count()).toBe(0);
    await stage.page.getByLabel('The page that opens first').selectOption('b.html');
    // The page tells it before the push.
    await missing.waitFor();
    await stage.expectTidy();
    await stage.page.waitForFunction(`document.querySelector('input[maxlength="255"]').value === 'B'`);
    await stage.page.getByLabel('Title').fill('Ünï & <b>co</b>');
    await stage.page.getByLabel('Title').press('Enter');
    await heading('Your deck is online').waitFor();
    expect(await stage.page.evaluate('document.activeElement.textContent')).toBe('Your deck is online');
    await stage.page.getByText('The same from a terminal').click();
    await stage.page.getByText(`--title 'Ünï & <b>co</b>' --entry b.html`).waitFor();
    await missing.waitFor();
    await stage.expectTidy();
  });

  test('an archive with names that a deck cannot hold is published without them only after a choice', async () => {
    const archive = zipArchive([
      { name: 'deck/index.html', content: '<title>Kept</title>' },
      ...[{ name: 'deck/a\nb.png' }, { name: '../<b>evil</b>.html' }],
      { name: 'deck/link', content: 'index.html', mode: 0o120777 },
    ]);
    await stage.enter(stage.owner, '/new');
    await stage.page
      .getByLabel('Choose a file')
      .setInputFiles({ name: 'mixed.zip', mimeType: 'application/zip', buffer: archive });
    const alert = stage.page.getByRole('alert').filter({ hasText: 'A deck cannot hold 3 of the files:' });
    await alert.getByText('"a\\u000ab.png" cannot be part of a deck: its name holds a control character.').waitFor();
    await alert.getByText('"../<b>evil</b>.html" in the archive has no name of a file.').waitFor();
    await alert.getByText('"deck/link" in the archive is a link.').waitFor();
    await stage.page.getByText('1 file,').waitFor();
    expect(await button('Publish').isDisabled()).toBe(true);
    await stage.expectTidy();
    await alert.getByLabel('Publish without them').press('Space');
    await button('Publish').click();
    await heading('Your deck is online').waitFor();
    const link = await stage.page.getByLabel('Link').inputValue();
    expect((await fetch(link)).status).toBe(200);
  });

  test('a version that somebody pushed meanwhile is told, and a choice puts this one on top of it', async () => {
    const { presentationId } = await stage.world.aPushedDeck(stage.owner, [page('<h1>One</h1>')], 'Ours');
    const versions = async () => {
      const { data } = await stage.world.call<{ version: number }>('getSharedPresentationInfo', undefined, {
        key: stage.owner.key,
        query: { presentationId },
        method: 'GET' as const,
      });
      return data.version;
    };
    await stage.enter(stage.owner, `/decks/${presentationId}/versions`);
    await button('Publish a new version').click();
    await stage.world.commit(stage.owner, { presentationId, message: 'From elsewhere' }, [page('<h1>One</h1>')]);
    await stage.page
      .getByLabel('Choose a file')
      .setInputFiles({ name: 'index.html', mimeType: 'text/html', buffer: Buffer.from('<h1>Mine</h1>') });
    let uploads = 0;
    stage.page.on('request', (request) => (uploads += Number(request.url().endsWith('/uploadPresentationAssets'))));
    await button('Publish version').click();
    const conflict = stage.page.getByRole('alert').filter({ hasText: 'Somebody has published version 2 meanwhile.' });
    await conflict.waitFor();
    expect([await versions(), uploads]).toEqual([2, 0]);
    await stage.page.locator('.row').filter({ hasText: 'From elsewhere' }).getByText('Current').waitFor();
    // The browser reports the answer that refuses the version.
    expect(stage.viewer.troubles.splice(0).every((trouble) => trouble.includes('409'))).toBe(true);
    await stage.expectTidy();
    await conflict.getByRole('button', { name: 'Publish mine anyway' }).click();
    await heading('Version 3 is online').waitFor();
    expect([await versions(), uploads]).toEqual([3, 1]);
  });

  test('says what is wrong with files before anything is sent', async () => {
    await stage.enter(stage.owner, '/new');
    let uploads = 0;
    stage.page.on('request', (request) => (uploads += Number(request.url().includes('Assets'))));
    await drop(await onDisk('no page', { '.hidden': 'x' }));
    await stage.page.getByText('There is no file that can be part of a deck.').waitFor();
    const large = { 'film.mp4': Buffer.alloc(51 * MB), 'notes.html': Buffer.alloc(11 * MB, 'x') };
    await drop(await onDisk('large', { 'index.html': '<p>', ...large }));
    await stage.page.getByText('film.mp4 has 51 MB; your plan allows 50 MB in a file').waitFor();
    await stage.page.getByText('notes.html has 11 MB; your plan allows 10 MB in an HTML file').waitFor();
    expect(await button('Publish').isDisabled()).toBe(true);
    await stage.expectTidy();
    expect(uploads).toBe(0);
  });

  test('after a reload it names the interrupted upload, and sends only what is missing', async () => {
    const path = await onDisk('long', {
      'index.html': '<title>Long</title>',
      'a.bin': randomBytes(9 * MB),
      'b.bin': randomBytes(9 * MB),
    });
    await stage.enter(stage.owner, '/new');
    let forms = 0;
    await stage.page.route('**/uploadPresentationAssets', async (route) => {
      forms++;
      // Of three forms, the last two do not arrive before the reload.
      if (forms === 1) await route.continue();
    });
    await drop(path);
    const answered = stage.page.waitForResponse((response) => response.url().endsWith('/uploadPresentationAssets'));
    await button('Publish').click();
    await answered;
    await heading('Uploading …').waitFor();
    await button('Cancel the upload').click();
    await heading('Ready to publish “long”').waitFor();
    await button('Publish').click();
    await heading('Uploading …').waitFor();
    stage.page.on('dialog', (dialog) => void dialog.accept());
    await stage.page.reload();
    await stage.page.unroute('**/uploadPresentationAssets');
    await stage.page.getByText('The upload of “long” was interrupted.').waitFor();
    const sent: string[] = [];
    stage.page.on('request', (request) => {
      if (request.url().endsWith('/uploadPresentationAssets')) sent.push(request.url());
    });
    await drop(path);
    await button('Publish').click();
    await heading('Your deck is online').waitFor();
    expect(sent).toHaveLength(2);
  });
});
