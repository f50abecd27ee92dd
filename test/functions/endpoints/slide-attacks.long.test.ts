import sharp from 'sharp';
import { drawing, png, showSlides, slidesOf } from '../../support/pictures';
import { world } from '../../support/world';
import { expectLeftOut, good, owner, startAttacks } from './attacking-slides';

/** Further formats that are no pictures of slides, and the most pictures that a deck may have. */

startAttacks();

const frames = (format: 'webp' | 'gif') =>
  sharp(Buffer.concat([Buffer.alloc(64 * 36 * 3, 90), Buffer.alloc(64 * 36 * 3, 200)]), {
    raw: { width: 64, height: 72, channels: 3, pageHeight: 36 },
  })
    .toFormat(format)
    .toBuffer();

expectLeftOut([
  ['is wider than a slide', () => png(641, 10)],
  ['is higher than a slide', () => png(10, 361)],
  ['is an animated WebP', () => frames('webp')],
  ['is an animated GIF', () => frames('gif')],
  ['is a GIF', () => sharp(good).gif().toBuffer()],
  ['is a TIFF', () => sharp(good).tiff().toBuffer()],
]);

test('200 pictures of noise are made in one run', async () => {
  const { presentationId } = await world.aDeck(owner);
  let seed = 1;
  const noise = drawing(() => (seed = (seed * 16_807) % 2_147_483_647) & 255, 300, 169);
  const sent = Array.from({ length: 200 }, (_, i) => ({ key: `s${i}`, bytes: noise }));
  await showSlides(owner, presentationId, 1, sent);
  expect(await slidesOf(owner, presentationId, 1)).toHaveLength(200);
});
