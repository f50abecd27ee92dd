import { decodeLogo, MAX_LOGO_BYTES } from '../../../functions/src/policy/logos';

const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
const jpeg = Buffer.from('ffd8ffe000104a464946', 'hex');
const webp = Buffer.from('RIFF\x10\0\0\0WEBPVP8 ', 'latin1');
const svg = Buffer.from('<?xml version="1.0"?>\n<!-- made by hand -->\n<svg xmlns="http://www.w3.org/2000/svg"/>');
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

  test.each(['', '!!', 'a', 'ab=c'])('that is not base64 is refused: %j', (data) =>
    expect(decodeLogo(data, 'image/png')).toBe('LOGO_DECODE_FAILED'),
  );
});
