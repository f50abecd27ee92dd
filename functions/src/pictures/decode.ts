import type Sharp from 'sharp';
import { MAX_PICTURE_PIXELS, SLIDE_PIXELS } from '../values/picture-size';
import { KB } from '../values/units';

/**
 * What a picture is encoded as: its frame in pixels, its largest size in bytes, and the pixels that are decoded for it.
 */
interface Form {
  width: number;
  height: number;
  maxBytes: number;
  maxPixels: number;
  format: 'jpeg' | 'webp';
}

/**
 * The picture of a card, of the page of a listing and of a link preview: every program that shows previews reads JPEG.
 */
export const CARD: Form = {
  width: 1200,
  height: 675,
  maxBytes: 200 * KB,
  maxPixels: MAX_PICTURE_PIXELS,
  format: 'jpeg',
};
/** The picture of a slide. Only pages of the service show it, so it is a WebP, which has half the bytes. */
export const SLIDE: Form = {
  ...SLIDE_PIXELS,
  maxBytes: 100 * KB,
  maxPixels: SLIDE_PIXELS.width * SLIDE_PIXELS.height,
  format: 'webp',
};

interface EncodedPicture {
  bytes: Buffer;
  contentType: 'image/jpeg' | 'image/webp';
  width: number;
  height: number;
}

/** The qualities that are tried until the bytes are few enough. */
const QUALITIES = [85, 70, 50, 30, 10];
const TIMEOUT_SECONDS = 60;
const BACKGROUND = '#ffffff';

/**
 * Decodes a PNG, JPEG, WebP or GIF and encodes it again in a form: the first frame, upright, on white, without
 * metadata, never enlarged. Undefined for bytes that are not such a picture, are damaged, or have more pixels than the
 * form decodes. Throws only when the decoder cannot be loaded.
 */
export async function redraw(bytes: Buffer, form: Form): Promise<EncodedPicture | undefined> {
  const { width, height, maxBytes, maxPixels, format } = form;
  const sharp = await decoder();
  try {
    const fitted = sharp(bytes, { limitInputPixels: maxPixels, failOn: 'error' })
      .timeout({ seconds: TIMEOUT_SECONDS })
      .autoOrient()
      .resize({ width, height, fit: 'inside', withoutEnlargement: true })
      .flatten({ background: BACKGROUND });
    for (const quality of QUALITIES) {
      const { data, info } = await fitted.clone().toFormat(format, { quality }).toBuffer({ resolveWithObject: true });
      if (data.length <= maxBytes) {
        return { bytes: data, contentType: `image/${format}`, width: info.width, height: info.height };
      }
    }
  } catch {
    // The bytes cannot be decoded. Another attempt would fail, too.
  }
  return undefined;
}

/** Each side is divided by this number before two drawings are compared. */
const BLOCK = 4;
/** How much a colour of a block may differ, of 255: a quarter of a pixel moves a line by 19, and a full stop is 42. */
const TOLERANCE = 20;

/** Whether two made pictures of slides show the same drawing, although their pixels may differ a little. */
export async function looksSame(one: Buffer, other: Buffer): Promise<boolean> {
  const [a, b] = await Promise.all([one, other].map(blocksOf));
  return a!.length === b!.length && a!.every((value, i) => Math.abs(value - b![i]!) <= TOLERANCE);
}

async function blocksOf(bytes: Buffer): Promise<Buffer> {
  const picture = (await decoder())(bytes, { limitInputPixels: SLIDE.maxPixels });
  const { width, height } = await picture.metadata();
  const size = { width: Math.ceil(width / BLOCK), height: Math.ceil(height / BLOCK) };
  return picture
    .timeout({ seconds: TIMEOUT_SECONDS })
    .resize({ ...size, fit: 'fill' })
    .removeAlpha()
    .raw()
    .toBuffer();
}

/**
 * The loaders that may read the bytes: an SVG could name other files, and other formats need code that few people test.
 */
const LOADERS = ['Png', 'Jpeg', 'Webp', 'Nsgif'].map((format) => `VipsForeignLoad${format}Buffer`);

let loaded: typeof Sharp | undefined;

/** The library, which is loaded when it is first used: one function needs it, and it has 17 MB. */
async function decoder(): Promise<typeof Sharp> {
  if (loaded) return loaded;
  const { default: sharp } = await import('sharp');
  sharp.block({ operation: ['VipsForeignLoad'] });
  sharp.unblock({ operation: LOADERS });
  // One thread, and nothing is kept: an instance of a job has 512 MB.
  sharp.cache(false);
  sharp.concurrency(1);
  return (loaded = sharp);
}
