import { randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, BrowserContextOptions } from 'playwright-core';
import type { SiteServer } from '../../cli/src/site/serve-site';
import type { OpenSource } from '../../client/src/push/disk-source';
import { openSource } from '../../client/src/push/open-source';
import { driver } from '../../functions/runtime/bundle.cjs';
import { buildClient } from '../support/bundles';
import { aJbig2, aJpeg2000 } from '../support/coded-pictures';
import { each } from '../support/each';
import { aPng } from '../support/image-file';
import type { PdfContent } from '../support/pdf-file';
import { describeInBrowser, launch, soon, until, Viewer } from './browser';
import { expectToFit } from './fits';
import { pdfSource, serveSource, shown as isShown } from './pdf-site';

/** Decks of PDFs and of pictures, served to a browser. Each test opens one, in which nothing may go wrong. */

const talk: PdfContent = {
  title: 'Quarterly review',
  language: 'en',
  pages: [
    { heading: 'Quarterly review', lines: ['See the numbers'], link: 3 },
    { heading: 'Agenda', lines: ['Two topics'] },
    { heading: 'Numbers', lines: ['https://example.org/numbers'], link: 'https://example.org/numbers' },
    { heading: 'Agenda', lines: ['What is left'], link: 'javascript:alert(1)' },
    {},
  ],
  bookmarks: [
    { title: 'Welcome', page: 1 },
    { title: 'Figures', page: 3 },
  ],
};

let viewer: Viewer;
let browser: Browser | undefined;
const ends: (() => Promise<unknown>)[] = [];
beforeAll(buildClient);
beforeAll(async () => {
  browser = await launch();
});
afterEach(async () => {
  expect(viewer.troubles).toEqual([]);
  await viewer.leave();
});
afterAll(async () => {
  for (const end of ends) await end();
  await browser?.close();
});

async function served(opened: OpenSource) {
  const server = await serveSource(opened);
  ends.push(opened.close, () => server.close());
  return server;
}
const serve = async (content: PdfContent) => served(await pdfSource(content));

const evaluate = <T>(expression: string) => viewer.page.evaluate<T>(expression);
const press = (key: string) => viewer.page.keyboard.press(key);
const shown = (number: number) => isShown(viewer.page, number);
/** Calls what programs know of the slides. */
const call = (what: string) => evaluate(`self[Symbol.for('deck driver')].${what}`);

/** Opens the deck of a PDF, and waits for a page of it. */
async function open({ origin }: Pick<SiteServer, 'origin'>, hash = '', options: BrowserContextOptions = {}) {
  // A control that fades has too little contrast.
  viewer = await Viewer.arrive(browser!, { reducedMotion: 'reduce', ...options });
  await viewer.page.addInitScript({ content: driver });
  await viewer.page.goto(`${origin}/${hash}`);
  await shown(Number(hash.slice(1)) || 1);
}

/** The widths of the sheets that the deck prints. */
async function printed(): Promise<number[]> {
  const widths = `[...document.querySelectorAll('.sheets img')].map((image) => image.naturalWidth)`;
  await evaluate(`print = () => { printed = ${widths}; }`);
  await press('Control+p');
  await until(viewer.page, `typeof printed === 'object' && !document.querySelector('.sheets')`);
  return evaluate<number[]>('printed');
}

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
    await viewer.page.reload();
    await shown(4);
    expect(await evaluate('location.hash')).toBe('#4');
    await press('Home');
    await shown(1);
    // pdf.js measures fonts with an empty canvas beside the regions of the page.
    await expectToFit(viewer.page, { without: ['region'] });
    expect(await evaluate('document.querySelector(".told").textContent')).toBe('Page 1 of 5: Welcome');
    expect(await evaluate('history.length')).toBe(before);
    // Safari refuses the hundredth change of an address in a short time.
    await evaluate(`history.replaceState = () => { throw new DOMException('Too many', 'SecurityError'); }`);
    await press('ArrowRight');
    await shown(2);
  });

  test('has slides that insights and pictures name by bookmarks and headings, and that programs turn', async () => {
    await open(site);
    expect([await call('isKnown()'), await call('count()')]).toEqual([true, 5]);
    const slides = [];
    for (let index = 4; index >= 0; index--) slides.unshift(await call(`show(${index})`));
    const moved = (key: string, title = key) => ({ key, title, hasMoved: true });
    expect(slides).toEqual([
      moved('Welcome'),
      moved('Agenda'),
      moved('Figures'),
      moved('Agenda #2', 'Agenda'),
      moved('#5', ''),
    ]);
    await call('begin()');
    await soon(async () => expect(await viewer.page.locator('.controls').isVisible()).toBe(false));
  });

  test('has text over its pages that is selected where it stands, and that a browser finds on other pages', async () => {
    await open(site, '#3');
    const text = `document.querySelector('.shown .textLayer')`;
    const selected = await evaluate(`getSelection().selectAllChildren(${text}), getSelection().toString()`);
    expect(selected).toBe('Numbers\nhttps://example.org/numbers');
    const heading = await viewer.page.locator('.textLayer').getByText('Numbers', { exact: true }).boundingBox();
    const page = (await viewer.page.locator('.shown').boundingBox())!;
    // It is drawn at 60, 430 of 960 × 540 points, 44 points high.
    const place = [heading!.x - page.x, page.y + page.height - heading!.y - heading!.height].map(
      (pixels) => (pixels / page.width) * 960,
    );
    expect(Math.abs(place[0]! - 60)).toBeLessThan(2);
    expect(Math.abs(place[1]! - 420)).toBeLessThan(12);
    // The browser looks for the text of such an address as it does for a reader.
    await viewer.page.goto('about:blank');
    await viewer.page.goto(`${site.origin}/#3:~:text=Two%20topics`);
    await shown(2);
  });

  test('has bookmarks, and links that lead within the PDF and to the web, and no others', async () => {
    await open(site);
    await viewer.page.mouse.move(9, 9);
    await viewer.page.getByTitle('Contents').click();
    const rows = viewer.page.locator('.contents a');
    await soon(async () => expect(await rows.allInnerTexts()).toEqual(['Welcome\n1', 'Figures\n3']));
    await rows.last().click();
    await shown(3);
    const outside = viewer.page.getByRole('link', { name: 'https://example.org/numbers' });
    await soon(async () => expect(await outside.getAttribute('rel')).toBe('noopener noreferrer'));
    await soon(async () => expect(await outside.getAttribute('href')).toBe('https://example.org/numbers'));
    await viewer.page.goBack();
    await shown(1);
    await press('Escape');
    await viewer.page.getByRole('link', { name: 'See the numbers' }).click();
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
    const box = () => viewer.page.locator('.shown').boundingBox();
    expect((await box())!.width).toBeCloseTo(390, 0);
    await viewer.page.setViewportSize({ width: 844, height: 390 });
    await until(viewer.page, `Math.round(document.querySelector('.shown').getBoundingClientRect().height) === 390`);
    expect(await evaluate('document.documentElement.scrollHeight')).toBe(390);
  });

  test('that was not loaded is loaded again by a button', async () => {
    viewer = await Viewer.arrive(browser!);
    await viewer.page.route(/slides\.pdf/, (route) => route.fulfill({ status: 503 }));
    await viewer.page.goto(site.origin);
    await viewer.page.locator('.shown .problem').waitFor();
    await viewer.page.unroute(/slides\.pdf/);
    await viewer.page.getByRole('button', { name: 'Try again' }).click();
    await shown(1);
    for (const trouble of each(viewer.troubles.splice(0))) expect(trouble).toContain('503');
  });

  test('prints all pages', async () => {
    await open(site);
    expect(await printed()).toEqual([2000, 2000, 2000, 2000, 2000]);
  });
});

describeInBrowser('the deck of a large PDF', () => {
  /** A PDF that is loaded in pieces, with a page more for each version. */
  const large = (version: number) =>
    pdfSource({ pages: Array.from({ length: 6 + version }, () => ({ picture: randomBytes(600_000) })) });

  test('is loaded again each time when another PDF has taken its place', async () => {
    const site = await served(await large(1));
    await open(site);
    const change = async (version: number, key: string, page: number) => {
      const next = await large(version);
      ends.push(next.close);
      await site.change(next);
      await press(key);
      await until(viewer.page, `document.querySelectorAll('section').length === ${6 + version}`);
      await shown(page);
    };
    await change(2, 'End', 7);
    await change(3, 'Home', 1);
    // A server also answers with the whole PDF when the browser has asked for more of one that is not there any more.
    await viewer.page.route(/slides\.pdf/, (route) => {
      const { range: _, ...headers } = route.request().headers();
      return route.continue({ headers });
    });
    await change(4, 'End', 9);
  });
});

describeInBrowser('what a page of a PDF holds', () => {
  /** Opens the deck of a PDF with one page. Answers what `look` finds, and the paths of all requests. */
  async function seen<T>(page: PdfContent['pages'][number], look: string) {
    const { origin } = await serve({ pages: [page] });
    await open({ origin }, '', { viewport: { width: 960, height: 540 } });
    const addresses = viewer.answers.map(({ url }) => url).filter((url) => !url.startsWith('blob:'));
    expect(addresses.filter((url) => !url.startsWith(`${origin}/`))).toEqual([]);
    return { found: await evaluate<T>(look), paths: addresses.map((url) => new URL(url).pathname) };
  }

  // The text stands in the PDF in the encoding of the character map.
  test.each([
    ['Japanese', '90ms-RKSJ-H', 'Japan1', '93fa967b8cea', '日本語'],
    ['simplified Chinese', 'GBK-EUC-H', 'GB1', 'bcbeb6c8bbd8b9cb', '季度回顾'],
    ['traditional Chinese', 'ETen-B5-H', 'CNS1', 'a4a4a4e5', '中文'],
    ['Korean', 'KSCms-UHC-H', 'Korea1', 'c7d1b1dbb9dd', '한글반'],
  ])('has %s text without its font, by character maps of the deck', async (_language, map, collection, hex, text) => {
    const foreign = { map, collection, bytes: Buffer.from(hex, 'hex') };
    const { found, paths } = await seen<string>({ foreign }, `document.querySelector('.shown .textLayer').innerText`);
    expect(found).toBe(text);
    expect(paths).toEqual(
      expect.arrayContaining([`/pdf/cmaps/${map}.bcmap`, `/pdf/cmaps/Adobe-${collection}-UCS2.bcmap`]),
    );
  });

  /**
   * The brightness at a place of the picture that `aPdf` makes, from 0 to 255. `x` is 0 at its left and 1 at its right.
   */
  const brightness = (x: number) => `(() => {
    const canvas = document.querySelector('.shown canvas');
    const scale = canvas.width / 960;
    return canvas.getContext('2d').getImageData((60 + 400 * ${x}) * scale, (540 - 140) * scale, 1, 1).data[0];
  })()`;

  test.each([
    ['JPEG 2000', aJpeg2000(), '/pdf/wasm/openjpeg.wasm', [128, 128]],
    ['JBIG2', aJbig2(), '/pdf/wasm/jbig2.wasm', [255, 0]],
  ])('shows a picture of %s, which a program of the deck decodes', async (_format, picture, decoder, halves) => {
    const { found, paths } = await seen<number[]>({ picture }, `[${brightness(0.25)}, ${brightness(0.75)}]`);
    expect(found).toEqual(halves);
    expect(paths).toContain(decoder);
  });
});

describeInBrowser('the deck of pictures', () => {
  let site: SiteServer;
  beforeAll(async () => {
    const folder = join(tmpdir(), 'Trip');
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
      const { width, height } = (await viewer.page.locator('.shown').boundingBox())!;
      return [Math.round(width), Math.round(height)];
    };
    expect(await size()).toEqual([889, 500]);
    // The second one is loaded before it is asked for, the third one is not.
    await until(viewer.page, `document.images[1].naturalWidth === 300`);
    expect(await evaluate('document.images[2].naturalWidth')).toBe(0);
    await press('ArrowRight');
    await shown(2);
    expect(await size()).toEqual([250, 500]);
    expect([await call('isKnown()'), await call('count()')]).toEqual([true, 3]);
    expect(await call('show(2)')).toEqual({ key: 'Map', title: 'Map', hasMoved: true });
    await shown(3);
    expect(await evaluate('location.hash')).toBe('#3');
    expect(await evaluate('document.querySelector(".told").textContent')).toBe('Page 3 of 3: Map');
    await expectToFit(viewer.page);
  });

  test('is read by its file names, and prints a page for each', async () => {
    await open(site, '#2');
    await soon(async () => expect(await viewer.page.getByRole('img', { name: 'Tower' }).isVisible()).toBe(true));
    await soon(async () => expect(await viewer.page.getByRole('heading', { name: 'Tower' }).count()).toBe(0));
    expect((await printed()).slice(0, 2)).toEqual([1600, 300]);
  });
});
