import type { Browser, Page } from 'playwright-core';

/** The share of differing pixels below which two pictures are the same: smoothed edges differ by their position. */
const TOLERANCE = 0.002;

export interface Comparison {
  /** The share of the pixels that differ: 1 for pictures of different sizes. */
  difference: number;
  /** The number of colours of the first picture. */
  colours: number;
}

/** Compares screenshots. Chromium decodes them, on an empty page. */
export class Pictures {
  private constructor(private readonly page: Page) {}

  static async start(browser: Browser): Promise<Pictures> {
    return new Pictures(await browser.newPage());
  }

  compare(one: Buffer, other: Buffer): Promise<Comparison> {
    const pictures = JSON.stringify([one, other].map((png) => png.toString('base64')));
    return this.page.evaluate<Comparison>(`(${comparison})(${pictures})`);
  }

  async areSame(one: Buffer, other: Buffer): Promise<boolean> {
    return one.equals(other) || (await this.compare(one, other)).difference < TOLERANCE;
  }

  async coloursOf(picture: Buffer): Promise<number> {
    return (await this.compare(picture, picture)).colours;
  }
}

/** Runs in the page. A pixel differs when one of its channels differs by more than 32 of 255. */
const comparison = `async (pictures) => {
  const decode = async (picture) => {
    const bitmap = await createImageBitmap(await (await fetch('data:image/png;base64,' + picture)).blob());
    const canvas = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d');
    canvas.drawImage(bitmap, 0, 0);
    return canvas.getImageData(0, 0, bitmap.width, bitmap.height);
  };
  const [one, other] = await Promise.all(pictures.map(decode));
  const colours = new Set(new Uint32Array(one.data.buffer)).size;
  if (one.width !== other.width || one.height !== other.height) return { difference: 1, colours };
  let differing = 0;
  for (let i = 0; i < one.data.length; i += 4)
    if ([0, 1, 2].some((channel) => Math.abs(one.data[i + channel] - other.data[i + channel]) > 32)) differing++;
  return { difference: differing / (one.data.length / 4), colours };
}`;
