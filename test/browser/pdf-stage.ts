import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, BrowserContextOptions } from 'playwright-core';
import type { SiteServer } from '../../cli/src/site/serve-site';
import { openPdf } from '../../client/src/pdf/open-pdf';
import type { OpenSource } from '../../client/src/push/disk-source';
import { driver } from '../../functions/runtime/bundle.cjs';
import { aJbig2, aJpeg2000 } from '../support/coded-pictures';
import { buildClient } from '../support/build-client';
import { aPdf, type PdfContent } from '../support/pdf-file';
import { launch, until, Viewer } from './browser';
import { serveSource, shown as isShown } from './pdf-site';

export const talk: PdfContent = {
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

/** Decks of PDFs and of pictures, served to a browser. Each test opens one, in which nothing may go wrong. */
export class PdfStage {
  folder!: string;
  viewer!: Viewer;
  private browser: Browser | undefined;
  private readonly ends: (() => Promise<unknown>)[] = [];

  constructor() {
    beforeAll(buildClient);
    beforeAll(async () => {
      this.folder = await realpath(await mkdtemp(join(tmpdir(), 'pdf-viewer-')));
      this.browser = await launch();
    });
    afterEach(async () => {
      expect(this.viewer.troubles).toEqual([]);
      await this.viewer.leave();
    });
    afterAll(async () => {
      for (const end of this.ends) await end();
      await this.browser?.close();
      await rm(this.folder, { recursive: true });
    });
  }

  serve = async (content: PdfContent): Promise<SiteServer> => {
    const path = join(this.folder, `${this.ends.length}.pdf`);
    await writeFile(path, await aPdf(content));
    return this.served(await openPdf(path));
  };

  served = async (opened: OpenSource): Promise<SiteServer> => {
    const server = await serveSource(opened);
    this.ends.push(opened.close, () => server.close());
    return server;
  };

  /** Opens the deck of a PDF, and waits for a page of it. */
  open = async (
    { origin }: Pick<SiteServer, 'origin'>,
    hash = '',
    options: BrowserContextOptions = {},
  ): Promise<void> => {
    // A control that fades has too little contrast.
    this.viewer = await Viewer.arrive(this.browser!, { reducedMotion: 'reduce', ...options });
    await this.viewer.page.addInitScript({ content: driver });
    await this.viewer.page.goto(`${origin}/${hash}`);
    await this.shown(Number(hash.slice(1)) || 1);
  };

  evaluate = <T>(expression: string) => this.viewer.page.evaluate<T>(expression);
  press = (key: string) => this.viewer.page.keyboard.press(key);
  shown = (number: number) => isShown(this.viewer.page, number);

  /** The widths of the sheets that the deck prints. */
  printed = async (): Promise<number[]> => {
    const widths = `[...document.querySelectorAll('.sheets img')].map((image) => image.naturalWidth)`;
    await this.evaluate(`print = () => { printed = ${widths}; }`);
    await this.press('Control+p');
    await until(this.viewer.page, `typeof printed === 'object' && !document.querySelector('.sheets')`);
    return this.evaluate<number[]>('printed');
  };

  /** Opens the deck of a PDF with one page. Answers what `look` finds, and the paths of all requests. */
  private async seen<T>(page: PdfContent['pages'][number], look: string) {
    const { origin } = await this.serve({ pages: [page] });
    await this.open({ origin }, '', { viewport: { width: 960, height: 540 } });
    const addresses = this.viewer.answers.map(({ url }) => url).filter((url) => !url.startsWith('blob:'));
    expect(addresses.filter((url) => !url.startsWith(`${origin}/`))).toEqual([]);
    return { found: await this.evaluate<T>(look), paths: addresses.map((url) => new URL(url).pathname) };
  }

  /** Demands that the text of a PDF without its font is shown. `hex` is the text in the encoding of `map`. */
  async proveText(language: Language): Promise<void> {
    const [map, collection, hex, text] = languages[language];
    const foreign = { map, collection, bytes: Buffer.from(hex, 'hex') };
    const look = `document.querySelector('.shown .textLayer').innerText`;
    const { found, paths } = await this.seen<string>({ foreign }, look);
    expect(found).toBe(text);
    expect(paths).toEqual(
      expect.arrayContaining([`/pdf/cmaps/${map}.bcmap`, `/pdf/cmaps/Adobe-${collection}-UCS2.bcmap`]),
    );
  }

  async provePicture(format: Format): Promise<void> {
    const [picture, decoder, colours] = formats[format];
    const look = `[${brightness(0.25)}, ${brightness(0.75)}]`;
    const { found, paths } = await this.seen<number[]>({ picture }, look);
    expect(found).toEqual(colours);
    expect(paths).toContain(decoder);
  }
}

const languages = {
  Japanese: ['90ms-RKSJ-H', 'Japan1', '93fa967b8cea', '日本語'],
  'simplified Chinese': ['GBK-EUC-H', 'GB1', 'bcbeb6c8bbd8b9cb', '季度回顾'],
  'traditional Chinese': ['ETen-B5-H', 'CNS1', 'a4a4a4e5', '中文'],
  Korean: ['KSCms-UHC-H', 'Korea1', 'c7d1b1dbb9dd', '한글반'],
} as const;
type Language = keyof typeof languages;

/** The bytes of a picture, the program that decodes it, and the brightness of its halves. */
const formats = {
  'JPEG 2000': [aJpeg2000(), '/pdf/wasm/openjpeg.wasm', [128, 128]],
  JBIG2: [aJbig2(), '/pdf/wasm/jbig2.wasm', [255, 0]],
} as const;
type Format = keyof typeof formats;

/**
 * The brightness at a place of the picture that `aPdf` makes, from 0 to 255. `x` is 0 at its left and 1 at its right.
 */
const brightness = (x: number) => `(() => {
  const canvas = document.querySelector('.shown canvas');
  const scale = canvas.width / 960;
  return canvas.getContext('2d').getImageData((60 + 400 * ${x}) * scale, (540 - 140) * scale, 1, 1).data[0];
})()`;
