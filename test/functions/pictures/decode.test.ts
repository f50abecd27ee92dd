import { createServer } from 'node:http';
import fc from 'fast-check';
import sharp from 'sharp';
import { CARD, redraw } from '../../../functions/src/pictures/decode';
import { each } from '../../support/each';
import { png } from '../../support/pictures';
import { listen } from '../../support/sockets';

/** What the decoder makes of pictures of strangers. */

type Colour = { r: number; g: number; b: number; alpha?: number };
const red = { r: 255, g: 0, b: 0 };
const plain = (width: number, height: number, background: Colour = red) =>
  sharp({ create: { width, height, channels: background.alpha === undefined ? 3 : 4, background } });
const noise = (width: number, height: number) => {
  const bytes = Buffer.alloc(width * height * 3);
  let state = 1;
  for (let i = 0; i < bytes.length; i++) bytes[i] = (state = Math.imul(state, 1664525) + 1013904223) >>> 24;
  return sharp(bytes, { raw: { width, height, channels: 3 } });
};
/** A GIF of two frames: red, then blue. */
const animation = () => {
  const frames = Buffer.concat(
    [red, { r: 0, g: 0, b: 255 }].map(({ r, g, b }) => Buffer.alloc(64 * 36 * 3, Buffer.from([r, g, b]))),
  );
  return sharp(frames, { raw: { width: 64, height: 72, channels: 3, pageHeight: 36 } })
    .gif({ loop: 0 })
    .toBuffer();
};

/** The colour of the pixel in the middle of a JPEG. */
async function middleOf(bytes: Buffer) {
  const { data, info } = await sharp(bytes).raw().toBuffer({ resolveWithObject: true });
  const at = (Math.floor(info.height / 2) * info.width + Math.floor(info.width / 2)) * info.channels;
  return [0, 1, 2].map((i) => data[at + (info.channels === 1 ? 0 : i)]!);
}

/** Sizes in pixels, and the colour in the middle. */
type Shown = [what: string, given: () => Promise<Buffer> | Buffer, size: [number, number], middle?: number[]];
const clear = plain(64, 36, { ...red, alpha: 0 });
const of16Bits = { width: 64, height: 36, channels: 3, depth: 'ushort' } as never;
const deep = sharp(Buffer.alloc(64 * 36 * 6, 0x80), { raw: of16Bits }).toColourspace('rgb16');
const shown: Shown[] = [
  ['a PNG', () => plain(64, 36).png().toBuffer(), [64, 36], [254, 0, 0]],
  ['a JPEG', () => plain(64, 36).jpeg().toBuffer(), [64, 36], [254, 0, 0]],
  ['a WebP', () => plain(64, 36).webp({ lossless: true }).toBuffer(), [64, 36], [254, 0, 0]],
  ['the first frame of an animation', animation, [64, 36], [254, 0, 0]],
  ['a transparent PNG on white', () => clear.png().toBuffer(), [64, 36], [255, 255, 255]],
  ['a PNG of 16 bits', () => deep.png().toBuffer(), [64, 36], [128, 128, 128]],
  ['a picture on its side', () => plain(40, 20).withMetadata({ orientation: 6 }).jpeg().toBuffer(), [20, 40]],
  ['a wide picture', () => plain(2400, 900).png().toBuffer(), [1200, 450]],
  ['a picture of 16 megapixels', () => png(4000, 4000), [675, 675], [0, 0, 0]],
  ['noise', () => noise(1280, 720).png().toBuffer(), [1200, 675]],
];

test.each(shown)(
  '%s becomes a JPEG within the bounds, without metadata',
  async (_what, given, size, middle = undefined) => {
    const made = (await redraw(await given(), CARD))!;
    expect([made.width, made.height]).toEqual(size);
    expect(made.bytes.length).toBeLessThanOrEqual(CARD.maxBytes);
    const { format, width, height, exif, orientation } = await sharp(made.bytes).metadata();
    expect([format, width, height, exif, orientation]).toEqual(['jpeg', ...size, undefined, undefined]);
    if (middle) expect(await middleOf(made.bytes)).toEqual(middle);
  },
);

test('what an author hides in a picture is not in the made one', async () => {
  const script = Buffer.from('<script>alert(1)</script>');
  const comment = Buffer.concat([Buffer.from([0xff, 0xfe, 0, script.length + 2]), script]);
  const jpeg = await plain(64, 36)
    .withExif({ IFD0: { Copyright: String(script) } })
    .jpeg()
    .toBuffer();
  const polyglots = [
    Buffer.concat([png(64, 36), script]),
    Buffer.concat([await animation(), script]),
    Buffer.concat([jpeg.subarray(0, 2), comment, jpeg.subarray(2), Buffer.from('PK\x03\x04')]),
  ];
  for (const given of each(polyglots)) {
    const { bytes } = (await redraw(given, CARD))!;
    expect([bytes.includes('script'), bytes.includes('PK\x03\x04')]).toEqual([false, false]);
  }
});

/** The first half of a file, which has its size and no end. */
const half = async (bytes: Promise<Buffer>) => (await bytes).subarray(0, (await bytes).length / 2);

const refused: [what: string, given: () => Promise<Buffer> | Buffer][] = [
  ['a file of 31 KB with 256 megapixels', () => png(16_000, 16_000)],
  ['a PNG that names more pixels than it has', () => png(64, 36).fill(0x7f, 17, 24)],
  ['half of a PNG', () => half(noise(64, 36).png().toBuffer())],
  ['half of a JPEG', () => half(noise(64, 36).jpeg().toBuffer())],
  ['half of a WebP', () => half(noise(64, 36).webp().toBuffer())],
  ['half of a GIF', () => half(noise(64, 36).gif().toBuffer())],
  ['no byte', () => Buffer.alloc(0)],
  ['a text', () => Buffer.from('No picture.')],
  ['a page', () => Buffer.from('<!doctype html><img src="/x.png">')],
  ['a PDF', () => Buffer.from('%PDF-1.7\n1 0 obj<</Type/Catalog>>endobj\ntrailer<</Root 1 0 R>>')],
  ['a TIFF', () => plain(64, 36).tiff().toBuffer()],
  ['an AVIF', () => plain(64, 36).avif().toBuffer()],
];

test.each(refused)('%s is not decoded', async (_what, given) =>
  expect(await redraw(await given(), CARD)).toBeUndefined(),
);

test('an SVG is not decoded, and nothing that it names is read', async () => {
  let requests = 0;
  const server = createServer((_, response) => void (requests++, response.end()));
  const url = `http://127.0.0.1:${await listen(server)}/x.png`;
  // A decoder of SVG takes those without an entity.
  const svg = (start: string, text = '') =>
    Buffer.from(`${start}<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 9 9">
      <image href="${url}"/><image xlink:href="file:///etc/passwd"/><text>${text}</text></svg>`);
  const entity = `<?xml version="1.0"?><!DOCTYPE svg [<!ENTITY e SYSTEM "file:///etc/passwd">]>`;
  for (const given of [svg(''), svg(entity, '&e;'), svg('\ufeff')]) expect(await redraw(given, CARD)).toBeUndefined();
  expect(requests).toBe(0);
  server.close();
});

test('bytes that begin like a picture never throw', async () => {
  const starts = await Promise.all(
    [plain(8, 8).png(), plain(8, 8).jpeg(), plain(8, 8).webp(), plain(8, 8).gif()].map((each) => each.toBuffer()),
  );
  const anyBytes = fc.tuple(fc.constantFrom(...starts), fc.nat({ max: 200 }), fc.uint8Array({ maxLength: 60 }));
  await fc.assert(
    fc.asyncProperty(anyBytes, async ([start, at, bytes]) => {
      const given = Buffer.from(start);
      given.set(bytes.slice(0, Math.max(0, given.length - at)), Math.min(at, given.length));
      const made = await redraw(given, CARD);
      expect(made === undefined || made.bytes.length > 0).toBe(true);
    }),
    { numRuns: 60 },
  );
});
