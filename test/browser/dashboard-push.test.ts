import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describeInBrowser } from './browser';
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

  test('a dropped folder becomes a deck whose link opens', async () => {
    await stage.enter(stage.owner, '/new');
    await stage.expectTidy();
    const script = 'document.title += "!"';
    await drop(
      await onDisk('talk', {
        'index.html': '<title>My <b>talk</b></title><script src="a.js"></script>',
        'a.js': script,
      }),
    );
    await heading('Ready to publish “talk”').waitFor();
    await stage.page.getByLabel('Title').fill('Ünï & <b>co</b>');
    await stage.expectTidy();
    await button('Publish').click();
    await heading('Your deck is online').waitFor();
    const link = await stage.page.getByLabel('Link').inputValue();
    expect((await fetch(link)).status).toBe(200);
    await stage.page.getByText('The same from a terminal').click();
    await stage.page.getByText(`deck push ./talk --title 'Ünï & <b>co</b>' --entry index.html`).waitFor();
    await stage.expectTidy();
    const { data } = await stage.world.call<{ presentations: { title: string }[] }>('listMyPresentations', undefined, {
      key: stage.owner.key,
    });
    expect(data.presentations[0]!.title).toBe('Ünï & <b>co</b>');
  });

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
    await stage.page.getByLabel('The page that opens first').selectOption('b.html');
    await stage.page.waitForFunction(`document.querySelector('input[maxlength="255"]').value === 'B'`);
    await stage.page.getByLabel('Title').press('Enter');
    await heading('Your deck is online').waitFor();
    expect(await stage.page.evaluate('document.activeElement.textContent')).toBe('Your deck is online');
    await stage.page.getByText('The folder does not hold gone.png.').waitFor();
    await stage.expectTidy();
  });

  test('says what is wrong with files before anything is sent', async () => {
    await stage.enter(stage.owner, '/new');
    let uploads = 0;
    stage.page.on('request', (request) => (uploads += Number(request.url().includes('Assets'))));
    await drop(await onDisk('no page', { '.hidden': 'x' }));
    await stage.page.getByText('There is no file that can be part of a deck.').waitFor();
    await drop(await onDisk('large', { 'index.html': '<p>', 'film.mp4': Buffer.alloc(51 * MB) }));
    await stage.page.getByText('film.mp4 has 51 MB; your plan allows 50 MB in a file.').waitFor();
    expect(await button('Publish').isDisabled()).toBe(true);
    await stage.expectTidy();
    expect(uploads).toBe(0);
  });

  test('after a reload it names the interrupted upload, and sends only what is missing', async () => {
    const path = await onDisk('long', {
      ...{ 'index.html': '<title>Long</title>', 'a.bin': randomBytes(9 * MB), 'b.bin': randomBytes(9 * MB) },
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

  test('a cancelled upload can be started again, and a lost connection is said and goes on', async () => {
    await stage.enter(stage.owner, '/new');
    await drop(await onDisk('lost', { 'index.html': '<title>Lost</title>' }));
    await stage.page.route('**/uploadPresentationAssets', () => undefined);
    await button('Publish').click();
    await heading('Uploading …').waitFor();
    await button('Cancel the upload').click();
    await heading('Ready to publish “lost”').waitFor();
    await stage.page.unroute('**/uploadPresentationAssets');
    await stage.page.context().setOffline(true);
    await button('Publish').click();
    await stage.page.getByText('This device is offline.').waitFor();
    await stage.page.context().setOffline(false);
    await heading('Your deck is online').waitFor();
  });
});
