import { randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { SiteServer } from '../../cli/src/site/serve-site';
import { openSource } from '../../client/src/push/open-source';
import { aPng } from '../support/image-file';
import { describeInBrowser, soon, until } from './browser';
import { expectToFit } from './fits';
import { PdfStage, talk } from './pdf-stage';

/** Decks of PDFs and of pictures in a browser. */

const stage = new PdfStage();
const { evaluate, open, press, printed, serve, served, shown } = stage;

describeInBrowser('the deck of a PDF', () => {
  let site: SiteServer;
  beforeAll(async () => {
    site = await serve(talk);
  });

  test('turns its pages by keys, and shows the page of its address again after a reload', async () => {
    await open(site, '#2');
    const before = await evaluate('history.length');
    await press('ArrowRight');
    await shown(3);
    await press('End');
    await shown(5);
    await press('ArrowRight');
    await press('PageUp');
    await shown(4);
    await stage.viewer.page.reload();
    await shown(4);
    expect(await evaluate('location.hash')).toBe('#4');
    await press('Home');
    await shown(1);
    // pdf.js measures fonts with an empty canvas beside the regions of the page.
    await expectToFit(stage.viewer.page, { without: ['region'] });
    expect(await evaluate('document.querySelector(".told").textContent')).toBe('Page 1 of 5: Welcome');
    expect(await evaluate('history.length')).toBe(before);
  });

  test('has slides that insights and pictures name by bookmarks and headings, and that programs turn', async () => {
    await open(site);
    const call = (what: string) => evaluate(`self[Symbol.for('deck driver')].${what}`);
    expect([await call('isKnown()'), await call('count()')]).toEqual([true, 5]);
    const slides = [];
    for (let index = 4; index >= 0; index--) slides.unshift(await call(`show(${index})`));
    expect(slides).toEqual([
      { key: 'Welcome', title: 'Welcome' },
      { key: 'Agenda', title: 'Agenda' },
      { key: 'Figures', title: 'Figures' },
      { key: 'Agenda #2', title: 'Agenda' },
      { key: '#5', title: '' },
    ]);
    await call('begin()');
    await soon(async () => expect(await stage.viewer.page.locator('.controls').isVisible()).toBe(false));
  });

  test('has text over its pages that is selected where it stands, and that a browser finds on other pages', async () => {
    await open(site, '#3');
    const text = `document.querySelector('.shown .textLayer')`;
    const selected = await evaluate(`getSelection().selectAllChildren(${text}), getSelection().toString()`);
    expect(selected).toBe('Numbers\nhttps://example.org/numbers');
    const heading = await stage.viewer.page.locator('.textLayer').getByText('Numbers', { exact: true }).boundingBox();
    const page = (await stage.viewer.page.locator('.shown').boundingBox())!;
    // It is drawn at 60, 430 of 960 × 540 points, 44 points high.
    const place = [heading!.x - page.x, page.y + page.height - heading!.y - heading!.height].map(
      (pixels) => (pixels / page.width) * 960,
    );
    expect(Math.abs(place[0]! - 60)).toBeLessThan(2);
    expect(Math.abs(place[1]! - 420)).toBeLessThan(12);
    // The browser looks for the text of such an address as it does for a reader.
    await stage.viewer.page.goto('about:blank');
    await stage.viewer.page.goto(`${site.origin}/#3:~:text=Two%20topics`);
    await shown(2);
  });

  test('has bookmarks, and links that lead within the PDF and to the web, and no others', async () => {
    await open(site);
    await stage.viewer.page.mouse.move(9, 9);
    await stage.viewer.page.getByTitle('Contents').click();
    const rows = stage.viewer.page.locator('.contents a');
    await soon(async () => expect(await rows.allInnerTexts()).toEqual(['Welcome\n1', 'Figures\n3']));
    await rows.last().click();
    await shown(3);
    const outside = stage.viewer.page.getByRole('link', { name: 'https://example.org/numbers' });
    await soon(async () => expect(await outside.getAttribute('rel')).toBe('noopener noreferrer'));
    await soon(async () => expect(await outside.getAttribute('href')).toBe('https://example.org/numbers'));
    await stage.viewer.page.goBack();
    await shown(1);
    await press('Escape');
    await stage.viewer.page.getByRole('link', { name: 'See the numbers' }).click();
    await shown(3);
    expect(await evaluate(`document.querySelectorAll('section:nth-of-type(4) a').length`)).toBe(0);
  });

  test('is turned by fingers on a phone, and fits its window at every size', async () => {
    await open(site, '', { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
    const touch = (type: string, x: number) =>
      evaluate(`document.querySelector('.shown').dispatchEvent(new TouchEvent('${type}', { bubbles: true,
        touches: ${type === 'touchstart'} ? [new Touch({ identifier: 1, target: document.body, clientX: ${x}, clientY: 400 })] : [],
        changedTouches: [new Touch({ identifier: 1, target: document.body, clientX: ${x}, clientY: 400 })] }))`);
    await touch('touchstart', 300);
    await touch('touchend', 100);
    await shown(2);
    const box = () => stage.viewer.page.locator('.shown').boundingBox();
    expect((await box())!.width).toBeCloseTo(390, 0);
    await stage.viewer.page.setViewportSize({ width: 844, height: 390 });
    await until(
      stage.viewer.page,
      `Math.round(document.querySelector('.shown').getBoundingClientRect().height) === 390`,
    );
    expect(await evaluate('document.documentElement.scrollHeight')).toBe(390);
  });

  test('prints all pages', async () => {
    await open(site);
    expect(await printed()).toEqual([2000, 2000, 2000, 2000, 2000]);
  });

  test('loads only the part of a large PDF that a page needs, and keeps the pictures of three pages', async () => {
    const large = await serve({
      pages: Array.from({ length: 40 }, (_, at) => ({ heading: `Page ${at}`, picture: randomBytes(100_000) })),
    });
    await open(large, '#20');
    const answers = () => stage.viewer.answers.filter(({ url }) => url.endsWith('/slides.pdf'));
    expect(answers().length).toBeGreaterThan(0);
    expect(answers().every(({ status }) => status === 206)).toBe(true);
    expect(answers().length).toBeLessThan(8);
    for (let number = 21; number < 27; number++) {
      await press(' ');
      await shown(number);
    }
    const kept = `document.querySelectorAll('section canvas').length <= 3`;
    await until(stage.viewer.page, kept);
  });
});

describeInBrowser('what a page of a PDF holds', () => {
  test.each(['Japanese', 'simplified Chinese', 'traditional Chinese', 'Korean'] as const)(
    'has %s text without its font, by character maps of the deck',
    (language) => stage.proveText(language),
  );

  test.each(['JBIG2', 'JPEG 2000'] as const)('shows a picture of %s, which a program of the deck decodes', (format) =>
    stage.provePicture(format),
  );
});

describeInBrowser('the deck of pictures', () => {
  let site: SiteServer;
  beforeAll(async () => {
    const folder = join(stage.folder, 'Trip');
    await mkdir(folder);
    await writeFile(join(folder, '1 Arrival.png'), await aPng(1600, 900));
    await writeFile(join(folder, '2 Tower.png'), await aPng(300, 600));
    await writeFile(
      join(folder, '10 Map.svg'),
      '<svg xmlns="http://www.w3.org/2000/svg"><rect width="9" height="9"/></svg>',
    );
    site = await served(await openSource(folder));
  });

  test('has a slide for each, as large as the window allows, that programs know and turn', async () => {
    await open(site, '', { viewport: { width: 1000, height: 500 } });
    const size = async () => {
      const { width, height } = (await stage.viewer.page.locator('.shown').boundingBox())!;
      return [Math.round(width), Math.round(height)];
    };
    expect(await size()).toEqual([889, 500]);
    // The second one is loaded before it is asked for, the third one is not.
    await until(stage.viewer.page, `document.images[1].naturalWidth === 300`);
    expect(await evaluate('document.images[2].naturalWidth')).toBe(0);
    await press('ArrowRight');
    await shown(2);
    expect(await size()).toEqual([250, 500]);
    const call = (what: string) => evaluate(`self[Symbol.for('deck driver')].${what}`);
    expect([await call('isKnown()'), await call('count()')]).toEqual([true, 3]);
    expect(await call('show(2)')).toEqual({ key: 'Map', title: 'Map' });
    await shown(3);
    expect(await evaluate('location.hash')).toBe('#3');
    expect(await evaluate('document.querySelector(".told").textContent')).toBe('Page 3 of 3: Map');
    await expectToFit(stage.viewer.page);
  });

  test('is read by its file names, and prints a page for each', async () => {
    await open(site, '#2');
    await soon(async () => expect(await stage.viewer.page.getByRole('img', { name: 'Tower' }).isVisible()).toBe(true));
    await soon(async () => expect(await stage.viewer.page.getByRole('heading', { name: 'Tower' }).count()).toBe(0));
    expect((await printed()).slice(0, 2)).toEqual([1600, 300]);
  });
});
