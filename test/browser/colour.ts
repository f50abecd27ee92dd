import { inflateSync } from 'node:zlib';
import type { Locator, Page } from 'playwright-core';
import { colours } from '../../functions/src/house/tokens.json';

/** The colour of the ground of all pages, as `colourOf` spells it. */
export const paperIn = (scheme: 'light' | 'dark'): string =>
  [1, 3, 5].map((start) => parseInt(colours[scheme].paper.slice(start, start + 2), 16)).join();

/** The painted colour (red, green, blue) of an element or a page, near the upper left corner. */
export async function colourOf(painted: Page | Locator): Promise<string> {
  const isElement = 'page' in painted;
  if (isElement) await painted.scrollIntoViewIfNeeded();
  const { x, y } = isElement ? (await painted.boundingBox())! : { x: 0, y: 0 };
  const page = isElement ? painted.page() : painted;
  return [...pixelOf(await page.screenshot({ clip: { x: x + 8, y: y + 4, width: 1, height: 1 } }))].join();
}

const SIGNATURE_BYTES = 8;

/**
 * The red, green and blue of a PNG of one pixel of 8 bits a channel. Without neighbours, every filter of PNG leaves a
 * pixel as it is.
 */
function pixelOf(png: Buffer): Buffer {
  const header = png.subarray(SIGNATURE_BYTES + 8);
  expect([header.readUInt32BE(0), header.readUInt32BE(4), header[8]]).toEqual([1, 1, 8]);
  const compressed: Buffer[] = [];
  for (let at = SIGNATURE_BYTES; at < png.length; at += 12 + png.readUInt32BE(at)) {
    const start = at + 8;
    if (png.toString('latin1', at + 4, start) === 'IDAT')
      compressed.push(png.subarray(start, start + png.readUInt32BE(at)));
  }
  // A byte that names the filter precedes the pixel.
  return inflateSync(Buffer.concat(compressed)).subarray(1, 4);
}
