import sharp from 'sharp';
import { each } from '../../support/each';
import { png, showSlides, slidesOf } from '../../support/pictures';
import { world } from '../../support/world';
import { expectLeftOut, good, owner, startAttacks } from './attacking-slides';

/**
 * What clients send as pictures of slides may attack whoever decodes it. One job does, and stores only what it drew.
 */

startAttacks();

const svg = (inside: string) =>
  Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" width="64" height="36">${inside}</svg>`);

expectLeftOut([
  ['is a bomb of 15 000 × 15 000 pixels', () => png(15_000, 15_000)],
  [
    'says that it is small and is not',
    () => {
      const bytes = Buffer.from(png(15_000, 15_000));
      // The size stands before the data, and its checksum is wrong now.
      bytes.writeUInt32BE(64, 16);
      bytes.writeUInt32BE(36, 20);
      return bytes;
    },
  ],
  ['is an SVG that names a file', () => svg('<image href="file:///etc/passwd" width="64" height="36"/>')],
  ['is an SVG that names another site', () => svg('<image href="https://example.com/x.png" width="64" height="36"/>')],
  ['is a PNG that is cut off', () => good.subarray(0, good.length >> 1)],
]);

test('nothing but the pixels of what was sent is stored', async () => {
  const { presentationId } = await world.aDeck(owner);
  const script = '<script>alert(1)</script>';
  const exif = await sharp(good)
    .withExif({ IFD0: { Copyright: script } })
    .jpeg()
    .toBuffer();
  const sent = [
    { key: 'page behind a picture', bytes: Buffer.concat([good, Buffer.from(script)]) },
    { key: 'page in the metadata', bytes: exif, type: 'image/jpeg' },
    { key: 'archive behind a picture', bytes: Buffer.concat([good, Buffer.from('PK\x05\x06'), Buffer.alloc(18)]) },
  ];
  await showSlides(owner, presentationId, 1, sent);
  const rows = await slidesOf(owner, presentationId, 1);
  expect(rows.map(({ key }) => key)).toEqual(sent.map(({ key }) => key));
  for (const { key } of each(rows)) {
    const query = new URLSearchParams({ key }).toString();
    const url = `${world.cloud.baseUrl}/getSlidePicture/${presentationId}/1?${query}`;
    const answer = await fetch(url, { headers: { authorization: `Bearer ${owner.key}` } });
    const bytes = Buffer.from(await answer.arrayBuffer());
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    expect(bytes.subarray(0, 4).toString('latin1') + bytes.subarray(8, 12).toString('latin1')).toBe('RIFFWEBP');
    // The length in the header is that of the file: nothing follows the picture.
    expect(bytes.readUInt32LE(4) + 8).toBe(bytes.length);
    expect(bytes.includes('script') || bytes.includes('PK\x05')).toBe(false);
  }
});
