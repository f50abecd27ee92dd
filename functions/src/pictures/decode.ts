import type Sharp from 'sharp';
import { MAX_PICTURE_PIXELS } from '../values/picture-size';

/** The frame in pixels and the size in bytes that a picture does not exceed. */
interface Bounds {
  width: number;
  height: number;
  maxBytes: number;
}

interface EncodedPicture {
  bytes: Buffer;
  contentType: 'image/jpeg';
  width: number;
  height: number;
}

/** The qualities that are tried until the bytes are few enough. */
const QUALITIES = [85, 70, 50, 30, 10];
const TIMEOUT_SECONDS = 60;
const BACKGROUND = '#ffffff';

/**
 * Decodes a PNG, JPEG, WebP or GIF and encodes it again within `bounds`: the first frame, upright, on white, without
 * metadata, never enlarged. A JPEG, because every program that shows link previews reads it. Undefined for bytes that
 * are not such a picture, are damaged, or have more than `MAX_PICTURE_PIXELS`. Throws only when the decoder cannot be
 * loaded.
 */
export async function redraw(bytes: Buffer, { width, height, maxBytes }: Bounds): Promise<EncodedPicture | undefined> {
  const sharp = await decoder();
  try {
    const fitted = sharp(bytes, { limitInputPixels: MAX_PICTURE_PIXELS, failOn: 'error' })
      .timeout({ seconds: TIMEOUT_SECONDS })
      .autoOrient()
      .resize({ width, height, fit: 'inside', withoutEnlargement: true })
      .flatten({ background: BACKGROUND });
    for (const quality of QUALITIES) {
      const { data, info } = await fitted.clone().jpeg({ quality }).toBuffer({ resolveWithObject: true });
      if (data.length <= maxBytes) {
        return { bytes: data, contentType: 'image/jpeg', width: info.width, height: info.height };
      }
    }
  } catch {
    // The bytes cannot be decoded. Another attempt would fail, too.
  }
  return undefined;
}

/** The loaders that may read the bytes: an SVG could name other files, and other formats need code that few people test. */
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
