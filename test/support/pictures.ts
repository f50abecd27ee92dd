import { crc32, deflateSync } from 'node:zlib';
import { runJob } from './jobs';
import type { DeckFile } from './world';

const uint = (value: number) => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
};
const chunk = (name: string, data: Buffer) => {
  const named = Buffer.concat([Buffer.from(name, 'latin1'), data]);
  return Buffer.concat([uint(data.length), named, uint(crc32(named))]);
};

/** A black PNG of one bit for each pixel: 16 000 × 16 000 pixels have 31 KB. */
export const png = (width: number, height: number): Buffer =>
  Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', Buffer.concat([uint(width), uint(height), Buffer.from([1, 0, 0, 0, 0])])),
    chunk('IDAT', deflateSync(Buffer.alloc(height * (Math.ceil(width / 8) + 1)), { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);

/** A file with a small picture, which differs from those of other paths. Decoders ignore what follows the picture. */
export const pictureFile = (path: string, contentType = 'image/png', bytes = png(2, 1)): DeckFile => ({
  path,
  contentType,
  bytes: Buffer.concat([bytes, Buffer.from(path)]),
});

/** Makes the pictures of all versions that wait for theirs. */
export const makePictures = () => runJob('makePictures');
