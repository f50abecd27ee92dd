import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { openPdf } from '../../client/src/pdf/open-pdf';
import { aJbig2, aJpeg2000 } from '../support/coded-pictures';
import { aPdf, type PdfContent } from '../support/pdf-file';
import { describeInBrowser, launch, Viewer } from './browser';
import { serveSource, shown } from './pdf-site';
import { buildClient } from '../support/build-client';

let root: string;
let browser: Browser;
beforeAll(buildClient);
beforeAll(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'pdf-contents-')));
  browser = await launch();
});
afterAll(async () => {
  await browser?.close();
  await rm(root, { recursive: true });
});

/** Opens the deck of a PDF with one page. Answers what `look` finds, and the addresses of all requests. */
async function seen<T>(page: PdfContent['pages'][number], look: string) {
  const path = join(root, 'talk.pdf');
  await writeFile(path, await aPdf({ pages: [page] }));
  const opened = await openPdf(path);
  const server = await serveSource(opened);
  const viewer = await Viewer.arrive(browser, { viewport: { width: 960, height: 540 } });
  try {
    await viewer.page.goto(server.origin);
    await shown(viewer.page, 1);
    const found = await viewer.page.evaluate<T>(look);
    expect(viewer.troubles).toEqual([]);
    const addresses = viewer.answers.map(({ url }) => url).filter((url) => !url.startsWith('blob:'));
    expect(addresses.filter((url) => !url.startsWith(`${server.origin}/`))).toEqual([]);
    return { found, paths: addresses.map((url) => new URL(url).pathname) };
  } finally {
    await viewer.leave();
    await Promise.all([server.close(), opened.close()]);
  }
}

/** The brightness at a place of the picture that `aPdf` makes, from 0 to 255. `x` is 0 at its left and 1 at its right. */
const brightness = (x: number) => `(() => {
  const canvas = document.querySelector('.shown canvas');
  const scale = canvas.width / 960;
  return canvas.getContext('2d').getImageData((60 + 400 * ${x}) * scale, (540 - 140) * scale, 1, 1).data[0];
})()`;

describeInBrowser('the deck of a PDF', () => {
  test.each([
    ['Japanese', '90ms-RKSJ-H', 'Japan1', '93fa967b8cea', '日本語'],
    ['simplified Chinese', 'GBK-EUC-H', 'GB1', 'bcbeb6c8bbd8b9cb', '季度回顾'],
    ['traditional Chinese', 'ETen-B5-H', 'CNS1', 'a4a4a4e5', '中文'],
    ['Korean', 'KSCms-UHC-H', 'Korea1', 'c7d1b1dbb9dd', '한글반'],
  ])('has %s text without its font, by character maps of the deck', async (_name, map, collection, hex, text) => {
    const foreign = { map, collection, bytes: Buffer.from(hex, 'hex') };
    const { found, paths } = await seen<string>({ foreign }, `document.querySelector('.shown .textLayer').innerText`);
    expect(found).toBe(text);
    expect(paths).toEqual(
      expect.arrayContaining([`/pdf/cmaps/${map}.bcmap`, `/pdf/cmaps/Adobe-${collection}-UCS2.bcmap`]),
    );
  });

  test.each([
    ['JPEG 2000', aJpeg2000(), '/pdf/wasm/openjpeg.wasm', [128, 128]],
    ['JBIG2', aJbig2(), '/pdf/wasm/jbig2.wasm', [255, 0]],
  ] as const)(
    'shows a picture of %s, which a program of the deck decodes',
    async (_name, picture, decoder, colours) => {
      const look = `[${brightness(0.25)}, ${brightness(0.75)}]`;
      const { found, paths } = await seen<number[]>({ picture }, look);
      expect(found).toEqual(colours);
      expect(paths).toContain(decoder);
    },
  );
});
