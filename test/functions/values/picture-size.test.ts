import fc from 'fast-check';
import { framesOf } from '../../../functions/src/values/picture-frames';
import { isShowable, MAX_PICTURE_PIXELS, sizeOfPicture } from '../../../functions/src/values/picture-size';

const bytes = (...parts: (string | number[] | Buffer)[]) =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : Buffer.from(part))));
const be = (value: number, size: number) => {
  const buffer = Buffer.alloc(size);
  buffer.writeUIntBE(value, 0, size);
  return buffer;
};
const le = (value: number, size: number) => Buffer.from(be(value, size).reverse());

const png = (width: number, height: number) =>
  bytes([0x89], 'PNG\r\n\x1a\n', be(13, 4), 'IHDR', be(width, 4), be(height, 4), [8, 2, 0, 0, 0]);
const gif = bytes('GIF89a', le(640, 2), le(360, 2), [0, 0, 0]);
const lossy = bytes('RIFF', le(100, 4), 'WEBPVP8 ', le(50, 4), [0, 0, 0, 0x9d, 0x01, 0x2a], le(640, 2), le(360, 2));
const extended = bytes('RIFF', le(100, 4), 'WEBPVP8X', le(10, 4), [0, 0, 0, 0], le(639, 3), le(359, 3));

/** A JPEG up to its size, after an EXIF block with an orientation and `padding` bytes. */
function jpeg(orientation: number, padding = 0): Buffer {
  const tiff = bytes('MM\0*', be(8, 4), be(1, 2), be(274, 2), be(3, 2), be(1, 4), be(orientation, 2), [0, 0], be(0, 4));
  const exif = bytes('Exif\0\0', tiff);
  const filler = padding > 0 ? bytes([0xff, 0xe2], be(padding + 2, 2), Buffer.alloc(padding)) : Buffer.alloc(0);
  const frame = bytes([0xff, 0xc0], be(11, 2), [8], be(360, 2), be(640, 2), [1, 1, 0x11, 0]);
  return bytes([0xff, 0xd8, 0xff, 0xe1], be(exif.length + 2, 2), exif, filler, frame, Buffer.alloc(20));
}

test.each([
  ['a PNG', png(640, 360), { width: 640, height: 360 }],
  ['a GIF', gif, { width: 640, height: 360 }],
  ['a lossy WebP', lossy, { width: 640, height: 360 }],
  ['a WebP with further features', extended, { width: 640, height: 360 }],
  ['a JPEG', jpeg(1), { width: 640, height: 360 }],
  ['a JPEG that is shown on its side', jpeg(6), { width: 360, height: 640 }],
  ['a JPEG with an orientation that does not exist', jpeg(9), { width: 640, height: 360 }],
  ['a JPEG with a colour profile', jpeg(1, 30_000), { width: 640, height: 360 }],
  ['a PNG without an area', png(0, 360), undefined],
  ['a JPEG whose size is later', jpeg(1, 65_000).subarray(0, 60_000), undefined],
  ['a PNG that ends early', png(640, 360).subarray(0, 18), undefined],
  ['another file', Buffer.from('<svg width="1" height="1"></svg>'), undefined],
  ['no byte', Buffer.alloc(0), undefined],
])('the size of %s', (_name, start, size) => expect(sizeOfPicture(start)).toEqual(size));

test('any bytes have a size above 0, or none', () => {
  const starts = [png(1, 1), gif, lossy, extended, jpeg(6)].map((each) => fc.constant(each.subarray(0, 12)));
  fc.assert(
    fc.property(fc.oneof(...starts), fc.uint8Array({ maxLength: 300 }), (start, rest) => {
      const { width, height } = sizeOfPicture(bytes(start, Buffer.from(rest))) ?? { width: 1, height: 1 };
      expect(Math.min(width, height)).toBeGreaterThan(0);
    }),
  );
});

describe('the frames of a picture', () => {
  const chunk = (name: string, data: Buffer) => bytes(be(data.length, 4), name, data, be(0, 4));
  const pixel = (left = 0) =>
    bytes([0x2c], le(left, 2), le(0, 2), le(640, 2), le(360, 2), [0x80], Buffer.alloc(6), [2, 1, 9, 0]);
  const anmf = bytes('ANMF', le(3, 4), [1, 2, 3, 0]);
  const control = bytes([0x21, 0xf9, 4, 0, 0, 0, 0, 0]);

  test.each([
    ['of a PNG', png(640, 360), 1],
    ['of a PNG that says how many', bytes(png(640, 360), be(0, 4), chunk('acTL', bytes(be(99, 4), be(0, 4)))), 99],
    ['of a PNG that says too few', bytes(png(1, 1), be(0, 4), ...Array<Buffer>(3).fill(chunk('fcTL', be(0, 4)))), 3],
    ['of a GIF', bytes(gif, pixel()), 1],
    ['of a GIF with several', bytes(gif, control, pixel(), control, pixel(), [0x3b]), 2],
    ['of a WebP', lossy, 1],
    ['of a WebP with several', bytes(extended, anmf, anmf, anmf), 3],
    ['of a JPEG', jpeg(1), 1],
    ['of no byte', Buffer.alloc(0), 1],
  ])('%s are counted', (_name, picture, count) => expect(framesOf(picture).count).toBe(count));

  test('count to the pixels that a browser holds, also where they exceed the size that the picture names', () => {
    const side = Math.sqrt(MAX_PICTURE_PIXELS);
    expect([isShowable(png(side, side)), isShowable(png(side, side + 1))]).toEqual([true, false]);
    const frames = Math.floor(MAX_PICTURE_PIXELS / (640 * 360));
    expect(isShowable(bytes(gif, ...Array<Buffer>(frames).fill(pixel())))).toBe(true);
    expect(isShowable(bytes(gif, ...Array<Buffer>(frames + 1).fill(pixel())))).toBe(false);
    expect(isShowable(bytes(gif, pixel(60_000)))).toBe(false);
    expect(isShowable(Buffer.from('No picture.'))).toBe(false);
  });

  test('count to the pixels of a JPEG as decoders read it', () => {
    const frame = (side: number) => bytes([0xff, 0xc0], be(11, 2), [8], be(side, 2), be(side, 2), [1, 1, 0x11, 0]);
    // A reader that knows no fill bytes takes the marker of the comment for its length, and goes on in the middle.
    const comment = Buffer.alloc(65_500);
    frame(100).copy(comment, 4 + 0xfeff - 7);
    comment[comment.length - 1] = 0xff;
    const picture = (side: number) =>
      bytes(
        [0xff, 0xd8, 0xff, 0xff, 0xfe],
        be(comment.length + 2, 2),
        comment,
        frame(100).subarray(1),
        frame(side),
        Buffer.alloc(20),
      );
    expect(sizeOfPicture(picture(16_000))).toEqual({ width: 100, height: 100 });
    expect([isShowable(picture(100)), isShowable(picture(16_000))]).toEqual([true, false]);
  });

  test('of any bytes are counted, at least one', () => {
    const starts = [png(1, 1), gif, lossy, extended, jpeg(6)].map((each) => fc.constant(each.subarray(0, 12)));
    const isCounted = (start: Buffer, rest: Uint8Array) => framesOf(bytes(start, Buffer.from(rest))).count >= 1;
    fc.assert(fc.property(fc.oneof(...starts), fc.uint8Array({ maxLength: 300 }), isCounted));
  });
});
