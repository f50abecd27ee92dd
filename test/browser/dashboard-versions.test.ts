import { mkdtemp, mkdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { aPng } from '../support/image-file';
import { makePictures } from '../support/pictures';
import { aLockedPdf, aPdf } from '../support/pdf-file';
import { page, type Deck } from '../support/world';
import { describeInBrowser, soon } from './browser';
import { aSession, aVersion, DashboardStage } from './dashboard';
import { drop } from './drop';

/** What the dashboard does around the versions of a deck: looking before publishing, and what is typed and dropped. */

const stage = new DashboardStage({ deckOrigin: true });
const { alert, answer, button, choose, dialog, field, fill, heading, info, press, text, toast } = stage;

const slides = (name: string) =>
  page(`<h1 id="one">${name}</h1><a href="#two">Next</a><h1 id="two" style="margin-top: 200vh">End</h1>\n<p>Same</p>`);

/** A deck with two versions, and its page of versions. */
async function enter(tab = '/versions'): Promise<Deck> {
  const others = Array.from({ length: 6 }, (_, i) => page(`Page ${i}`, `page-${i}.html`));
  const deck = await stage.world.aPushedDeck(stage.owner, [slides('First'), ...others], 'Quarterly results');
  await aVersion(stage.world, stage.owner, deck.presentationId, [slides('Second'), ...others]);
  await stage.enter(stage.owner, `/decks/${deck.presentationId}${tab}`);
  return deck;
}

/** A file or folder of this computer. */
async function onDisk(path: string, content: string | Buffer): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'dropped-'));
  await mkdir(join(folder, path, '..'), { recursive: true });
  await writeFile(join(folder, path), content);
  return join(folder, path.split('/')[0]!);
}

describeInBrowser('an old version', () => {
  test('opens in a window of its own, without a link and without a view', async () => {
    const deck = await enter();
    const opened = stage.viewer.context.waitForEvent('page');
    await choose('Actions for version 1', 'Open');
    const window = await opened;
    await window.getByRole('heading', { name: 'First' }).waitFor();
    expect(new URL(window.url()).host).toMatch(/^[a-z2-7]{32}\.decks\.localhost/);
    const { totalViews, tokens } = await info(deck);
    expect([totalViews, tokens.length]).toEqual([0, 1]);
  });

  test('is compared side by side: the frames follow each other, and changed lines are shown', async () => {
    const deck = await enter();
    await choose('Actions for version 2', 'Compare with the version before');
    const [older, newer] = ['First', 'Second'].map((name, at) => {
      const frame = stage.page.frameLocator('.side-by-side iframe').nth(at);
      return { frame, heading: frame.getByRole('heading', { name }) };
    });
    await older!.heading.waitFor();
    await newer!.heading.waitFor();
    await older!.frame.getByRole('link', { name: 'Next' }).click();
    const element = await stage.page.locator('.side-by-side iframe').nth(1).elementHandle();
    await (await element.contentFrame())!.waitForURL(/#two$/);
    await text('index.html').click();
    const lines = dialog().locator('.lines');
    await lines.waitFor();
    const marked = async (kind: string) => (await lines.locator(kind).allTextContents()).join('');
    expect(await marked('.removed')).toMatch(/^-[^]*First/);
    expect(await marked('.added')).toMatch(/^\+[^]*Second/);
    expect((await info(deck)).totalViews).toBe(0);
    await stage.expectTidy();
  });
});

describeInBrowser('files for a new version', () => {
  const choosePage = async () => {
    await button('Publish a new version').click();
    const buffer = Buffer.from('<h1>Alone</h1>');
    await field('Choose a file').setInputFiles({ name: 'index.html', mimeType: 'text/html', buffer });
  };

  test('that lack most files of the deck are asked about, and the question names them', async () => {
    const deck = await enter();
    await choosePage();
    await press('Publish version', text('Publish without 6 of the deck’s 7 files?'));
    await text(/page-0\.html.*and 1 more.*Version 2 keeps them/).waitFor();
    await answer('Cancel');
    expect((await info(deck)).version).toBe(2);
    await press('Publish version');
    await answer('Publish anyway', heading('Version 3 is online'));
  });

  test.each([
    ['notes.md', 'x', '“notes.md” is not an HTML file, a PDF or a picture.'],
    ['slides.pptx', 'x', 'does not read PowerPoint'],
    ['folder/notes.txt', 'x', '“notes.txt” is not an HTML file, a PDF or a picture.'],
  ])('cannot be %s: the page says at the drop what it takes', async (path, content, said) => {
    await stage.enter(stage.owner, '/new');
    const zone = stage.page.locator('.drop-zone');
    await drop(zone, await onDisk(path, content));
    await alert().getByText(said).waitFor();
    await alert()
      .getByText('Choose a folder or a zip with an HTML file in it, a single HTML file, a PDF, or pictures.')
      .waitFor();
  });
});

describeInBrowser('a PDF', () => {
  const pages = [{ heading: 'Opening', lines: ['Welcome'] }, { heading: 'Numbers' }, { heading: 'Numbers' }];

  test('that is dropped becomes a deck with its title and the pictures of its pages, and its next export a version', async () => {
    await stage.enter(stage.owner, '/new');
    const zone = stage.page.locator('.drop-zone');
    const isPdfjs = ({ url }: { url: string }) => url.includes('/pdf.');
    expect(stage.viewer.answers.filter(isPdfjs)).toEqual([]);
    await drop(zone, await onDisk('talk.pdf', await aPdf({ pages, title: 'Quarterly review' })));
    await text('Ready to publish').waitFor();
    await stage.page.waitForFunction(`document.querySelector('input[maxlength="255"]').value === 'Quarterly review'`);
    await stage.expectTidy();
    const sent = stage.page.waitForResponse(
      (answer) => /\/uploadSlidePictures/.test(answer.url()) && answer.status() !== 204,
    );
    await press(button('Publish', true), heading('Your deck is online'));
    expect((await sent).status()).toBe(202);
    await makePictures();
    const toDeck = stage.page.getByRole('link', { name: 'Go to the deck' });
    const presentationId = (await toDeck.getAttribute('href'))!.split('/').at(-1)!;
    const options = { key: stage.owner.key, path: `/${presentationId}/1` };
    const { data } = await stage.world.call('listSlidePictures', undefined, options);
    const { slides: pictures } = data as { slides: Record<'key' | 'title' | 'width' | 'height', unknown>[] };
    // The PDF has 16:9, as a picture.
    expect(pictures.map(({ key, title, width, height }) => [key, title, width, height])).toEqual([
      ['Opening', 'Opening', 640, 360],
      ['Numbers', 'Numbers', 640, 360],
      ['Numbers #2', 'Numbers', 640, 360],
    ]);
    await text('The same from a terminal').click();
    await text(/deck push .*talk\.pdf/).waitFor();
    const opened = stage.viewer.context.waitForEvent('page');
    await stage.page.getByRole('link', { name: 'Open', exact: true }).click();
    const deck = await opened;
    await deck.locator('.shown canvas').waitFor();
    await deck.keyboard.press('End');
    await deck.waitForURL(/#3$/);
    await deck.close();

    await toDeck.click();
    await stage.page.getByRole('link', { name: /Versions/ }).click();
    await button('Publish a new version').click();
    const next = { name: 'talk (2).pdf', mimeType: 'application/pdf', buffer: await aPdf({ pages: pages.slice(1) }) };
    await field('Choose a file').setInputFiles(next);
    await press('Publish version', heading('Version 2 is online'));
    expect(stage.troubles).toEqual([]);
  });

  test('with a password, and a damaged one, are refused at the drop', async () => {
    await stage.enter(stage.owner, '/new');
    const zone = stage.page.locator('.drop-zone');
    await drop(zone, await onDisk('locked.pdf', await aLockedPdf()));
    await alert().getByText('locked.pdf is protected with a password.').waitFor();
    await drop(zone, await onDisk('cut.pdf', (await aPdf({ pages })).subarray(0, 300)));
    await alert().getByText('cut.pdf is damaged, or is not a PDF').waitFor();
    await stage.expectTidy();
  });
});

describeInBrowser('pictures', () => {
  test('that are dropped become a deck of one slide each, with their pictures', async () => {
    await stage.enter(stage.owner, '/new');
    const folder = await onDisk('Trip/2 Tower.png', await aPng(300, 600));
    await writeFile(join(folder, '1 Arrival.png'), await aPng(1600, 900));
    await drop(stage.page.locator('.drop-zone'), folder);
    await text('Ready to publish').waitFor();
    await stage.page.waitForFunction(`document.querySelector('input[maxlength="255"]').value === 'Trip'`);
    const sent = stage.page.waitForResponse(
      (answer) => /\/uploadSlidePictures/.test(answer.url()) && answer.status() !== 204,
    );
    await press(button('Publish', true), heading('Your deck is online'));
    expect((await sent).status()).toBe(202);
    const opened = stage.viewer.context.waitForEvent('page');
    await stage.page.getByRole('link', { name: 'Open', exact: true }).click();
    const deck = await opened;
    await deck.locator('.shown').getByRole('img', { name: 'Arrival' }).waitFor();
    await deck.keyboard.press('End');
    await deck.locator('.shown').getByRole('img', { name: 'Tower' }).waitFor();
    await deck.close();
    await makePictures();
    const toDeck = stage.page.getByRole('link', { name: 'Go to the deck' });
    const path = `/${(await toDeck.getAttribute('href'))!.split('/').at(-1)!}/1`;
    const { data } = await stage.world.call('listSlidePictures', undefined, { key: stage.owner.key, path });
    const { slides: pictures } = data as { slides: Record<'key' | 'width' | 'height', unknown>[] };
    expect(pictures.map(({ key, width, height }) => [key, width, height])).toEqual([
      ['Arrival', 640, 360],
      ['Tower', 180, 360],
    ]);
  });
});

describeInBrowser('what a person has typed', () => {
  test('about a profile, an invitation and a version survives a reload', async () => {
    const { presentationId } = await enter('/people');
    await fill({ 'Email of the person': 'half@example.com', 'Message (optional)': 'Half an invitation' });
    await stage.open('/settings');
    await fill({ 'Last name': 'Half' });
    await stage.page.reload();
    await stage.settle();
    await soon(async () => expect(await field('Last name').inputValue()).toBe('Half'));
    await button('Discard changes').click();
    await stage.open(`/decks/${presentationId}/people`);
    await soon(async () => expect(await field('Message (optional)').inputValue()).toBe('Half an invitation'));
    await fill({}, 'Invite', toast('An invitation was sent to half@example.com.'));
    await stage.page.reload();
    await stage.settle();
    await soon(async () => expect(await field('Email of the person').inputValue()).toBe(''));
  });

  test('is warned about where the browser does not store it', async () => {
    await stage.viewer.context.addInitScript({
      content: `const set = Storage.prototype.setItem;
        Storage.prototype.setItem = function (key, value) {
          if (key.startsWith('deckhost.draft')) throw new DOMException('Full', 'QuotaExceededError');
          return set.call(this, key, value);
        };`,
    });
    const { presentationId } = await enter('/mails');
    const asked: string[] = [];
    stage.page.on('dialog', (found) => {
      asked.push(found.type());
      void found.accept();
    });
    await stage.page.reload();
    await stage.settle();
    expect(asked).toEqual([]);
    // Keys, because a browser warns only a person who has touched the page.
    await field('Message (optional)').pressSequentially('Half a letter');
    await stage.page.goto(stage.address(`/decks/${presentationId}`));
    expect(asked).toEqual(['beforeunload']);
  });
});

describeInBrowser('a service', () => {
  test('that fails is told on the page, which offers to try again', async () => {
    const call = /\/listMyPresentations/;
    await stage.world.aPushedDeck(stage.owner, [page()], 'After all');
    await stage.page.route(call, (route) => route.fulfill({ status: 503, body: '' }));
    await stage.enter(stage.owner, '/decks');
    await alert().waitFor();
    await stage.page.unroute(call);
    await press('Try again', stage.page.getByRole('link', { name: 'After all' }));
  });

  test('that is silent is told after three seconds, and the person can begin anew', async () => {
    const { presentationId } = await stage.world.aPushedDeck(stage.owner, [page()], 'After all');
    const call = /\/getSharedPresentationInfo/;
    let asked = 0;
    await stage.page.route(call, (route) => (++asked === 1 ? undefined : route.continue()));
    await stage.beginSession(await aSession(stage.world, stage.owner, 'Ada', 'Engines'));
    await stage.page.goto(stage.address(`/decks/${presentationId}`));
    await text('The service has not answered yet.').waitFor();
    await press('Try again', heading('After all', 1));
    await text('The service has not answered yet.').waitFor({ state: 'hidden' });
  });
});
