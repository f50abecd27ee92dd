import { hasMetadata, pictureOf } from '../../../functions/src/policy/deck-pictures';
import { decodeLogo, MAX_LOGO_BYTES } from '../../../functions/src/policy/logos';
import { MB } from '../../../functions/src/values/units';

/** The starts of pictures of 640 × 360 pixels. */
const png = Buffer.from('89504e470d0a1a0a0000000d494844520000028000000168080200000000000000', 'hex');
const jpeg = Buffer.from('ffd8ffe000104a46494600010100000100010000ffc0000b080168028001011100', 'hex');
const webp = Buffer.from('524946466400000057454250565038203200000000000' + '09d012a80026801', 'hex');
const root = '<svg xmlns="http://www.w3.org/2000/svg"';
const svg = Buffer.from(`<?xml version="1.0"?>\n<!-- made by hand: <svg> -->\n${root} viewBox="0 0 90 40"/>`);
const decode = (bytes: Buffer, type: string) => decodeLogo(bytes.toString('base64'), type);

describe('a logo', () => {
  const logos = { 'image/png': png, 'image/jpeg': jpeg, 'image/webp': webp, 'image/svg+xml': svg };
  test.each(Object.entries(logos))('of the type %s is accepted with that type and no other type', (type, bytes) => {
    const accepted = Object.keys(logos).filter((other) => decode(bytes, other) !== 'LOGO_INVALID_FORMAT');
    expect([accepted, decode(bytes, type)]).toEqual([[type], bytes]);
  });

  test.each(['image/gif', 'text/html', '', 'constructor', '__proto__'])('of the type %j is refused', (type) =>
    expect(decode(png, type)).toBe('LOGO_INVALID_FORMAT'),
  );

  test('has at most two megabytes', () => {
    const padded = (size: number) => decode(Buffer.concat([png, Buffer.alloc(size - png.length)]), 'image/png');
    expect(padded(MAX_LOGO_BYTES)).toHaveLength(MAX_LOGO_BYTES);
    expect(padded(MAX_LOGO_BYTES + 1)).toBe('LOGO_TOO_LARGE');
  });

  test('of more than 16 megapixels, or of no size, is refused', () => {
    const sized = (width: number) => {
      const bytes = Buffer.from(png);
      bytes.writeUInt32BE(width, 16);
      return decode(bytes, 'image/png');
    };
    expect([sized(44_444), sized(44_445), sized(2 ** 31 - 1), sized(0)]).toEqual([
      expect.any(Buffer),
      ...Array<string>(3).fill('LOGO_DECODE_FAILED'),
    ]);
  });

  test.each([
    ['', false],
    ['viewBox="0 0 24 24"', true],
    ["width='9' viewBox = '-1,-1 1e2 .5'", true],
    ['title="a > b" viewBox="0 0 1 1"', true],
    ['viewBox="0 0 0 24"', false],
    ['viewBox="0 0 24 -24"', false],
    ['viewBox="0 0 2147483647 1"', false],
    ['viewBox="0 0 24"', false],
    ['viewBox="0 0 x 24"', false],
    ['data-viewBox="0 0 24 24"', false],
  ])('that is an SVG needs a drawing area: %s', (attributes, isShown) => {
    const logo = Buffer.from(`<!-- <svg viewBox="0 0 1 1"> -->${root} ${attributes}><g viewBox="0 0 1 1"/></svg>`);
    expect(decode(logo, 'image/svg+xml')).toEqual(isShown ? logo : 'LOGO_DECODE_FAILED');
  });

  test.each(['', '!!', 'a', 'ab=c'])('that is not base64 is refused: %j', (data) =>
    expect(decodeLogo(data, 'image/png')).toBe('LOGO_DECODE_FAILED'),
  );
});

const file = (path: string, contentType = 'image/png', size = 100) => ({ path, contentType, size, sha256: path });
const thumbnail = file('thumbnail.jpg', 'image/jpeg');

test.each([
  ['the picture that its entry names', file('a.gif', 'image/gif'), 'a.gif'],
  ['the thumbnail when the entry names none, or a missing one', undefined, 'thumbnail.jpg'],
  ['the thumbnail in place of HTML', file('page.html', 'text/html'), 'thumbnail.jpg'],
  ['the thumbnail in place of SVG', file('a.svg', 'image/svg+xml'), 'thumbnail.jpg'],
  ['the thumbnail in place of an empty file', file('a.png', 'image/png', 0), 'thumbnail.jpg'],
  ['a picture of 5 MB', file('a.png', 'image/png', 5 * MB), 'a.png'],
  ['the thumbnail in place of a larger one', file('a.png', 'image/png', 5 * MB + 1), 'thumbnail.jpg'],
])('a deck has %s', (_what, named, path) => {
  const files = [thumbnail, file('thumbnail.webp', 'image/webp')].map((one) => [one.path, one] as const);
  expect(pictureOf(named, new Map(files))?.path).toBe(path);
});

test('a thumbnail that is not a picture is not that of its deck, which then has none', () => {
  const asPage = file('thumbnail.png', 'text/html');
  expect(pictureOf(undefined, new Map([[asPage.path, asPage]]))).toBeUndefined();
});

test('an entry is searched for metadata when it is HTML with content', () => {
  const entries = [file('a', 'text/html'), file('a', 'text/html', 0), file('a', 'text/plain')];
  expect(entries.map(hasMetadata)).toEqual([true, false, false]);
});
