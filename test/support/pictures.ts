import { crc32, deflateSync } from 'node:zlib';
import type { z } from 'zod';
import type { slideRow } from '../../functions/src/contract/slide-fields';
import { runJob } from './jobs';
import { succeed, world, type Account, type DeckFile, type World } from './world';

const uint = (value: number) => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
};
const chunk = (name: string, data: Buffer) => {
  const named = Buffer.concat([Buffer.from(name, 'latin1'), data]);
  return Buffer.concat([uint(data.length), named, uint(crc32(named))]);
};

/** A grey PNG whose pixels have that many bits. */
const pngOf = (width: number, height: number, bits: number, rows: Buffer, level = -1) =>
  Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', Buffer.concat([uint(width), uint(height), Buffer.from([bits, 0, 0, 0, 0])])),
    chunk('IDAT', deflateSync(rows, { level })),
    chunk('IEND', Buffer.alloc(0)),
  ]);

/** A black PNG of one bit for each pixel: 16 000 × 16 000 pixels have 31 KB. */
export const png = (width: number, height: number): Buffer =>
  pngOf(width, height, 1, Buffer.alloc(height * (Math.ceil(width / 8) + 1)), 9);

/** A file with a small picture, which differs from those of other paths. Decoders ignore what follows the picture. */
export const pictureFile = (path: string, contentType = 'image/png', bytes = png(2, 1)): DeckFile => ({
  path,
  contentType,
  bytes: Buffer.concat([bytes, Buffer.from(path)]),
});

/** Makes the pictures of all versions that wait for theirs. */
export const makePictures = () => runJob('makePictures');

/** A grey PNG: `greyAt` is 0 for black and 255 for white. */
export const drawing = (greyAt: (x: number, y: number) => number, width = 640, height = 360): Buffer => {
  // Each row begins with the byte of its filter, which is 0.
  const rows = Buffer.alloc(height * (width + 1));
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) rows[y * (width + 1) + 1 + x] = greyAt(x, y);
  }
  return pngOf(width, height, 8, rows);
};

/** A slide with one bar, whose left edge is at `left`, in pixels. */
export function slide(left: number): Buffer {
  const greys = Array.from({ length: 640 }, (_, x) =>
    Math.round(255 * Math.min(1, Math.max(0, left - x) + Math.max(0, x + 1 - left - 100))),
  );
  return drawing((x) => greys[x]!);
}

export interface SentSlide {
  key: string;
  bytes: Buffer;
  title?: string;
  type?: string;
}

/** The form of pictures of slides. */
export function slideForm(version: number | undefined, slides: readonly SentSlide[]): FormData {
  const form = new FormData();
  if (version !== undefined) form.append('version', String(version));
  const titled = slides.flatMap(({ key, title }) => (title === undefined ? [] : [[key, title]]));
  if (titled.length > 0) form.append('titles', JSON.stringify(Object.fromEntries(titled)));
  for (const { key, bytes, type = 'image/png' } of slides)
    form.append(key, new Blob([new Uint8Array(bytes)], { type }), 'slide');
  return form;
}

export const sendSlides = (
  { key }: Pick<Account, 'key'>,
  presentationId: string,
  version: number | undefined,
  slides: readonly SentSlide[],
  on: Pick<World, 'call'> = world,
) => on.call('uploadSlidePictures', slideForm(version, slides), { key, path: `/${presentationId}` });

/** Sends pictures of slides and makes them. */
export async function showSlides(
  by: Account,
  presentationId: string,
  version: number,
  slides: readonly SentSlide[],
  on: Pick<World, 'call'> = world,
) {
  expect((await sendSlides(by, presentationId, version, slides, on)).status).toBe(202);
  await makePictures();
}

/** The slides of a version that have a picture. */
export const slidesOf = async ({ key }: Pick<Account, 'key'>, presentationId: string, version: number) =>
  (
    await succeed(
      world.call<{ slides: z.output<typeof slideRow>[] }>('listSlidePictures', undefined, {
        key,
        path: `/${presentationId}/${version}`,
      }),
    )
  ).slides;
