import { GIF } from 'image-size/types/gif';
import { JPG } from 'image-size/types/jpg';
import { PNG } from 'image-size/types/png';
import { WEBP } from 'image-size/types/webp';
import { framesOf } from './picture-frames';

/**
 * The most pixels of all frames of a picture that pages show. A browser takes 4 bytes for each: a file of 31 KB may
 * hold 256 million.
 */
export const MAX_PICTURE_PIXELS = 16_000_000;

export interface Pixels {
  width: number;
  height: number;
}

/** The EXIF orientations of a picture that is shown on its side. Browsers ignore numbers that are no orientation. */
const turned = new Set([5, 6, 7, 8]);

/** The size of a PNG, JPEG, WebP or GIF as browsers show it. Undefined when its bytes do not tell. */
export function sizeOfPicture(start: Uint8Array): Pixels | undefined {
  try {
    // A copy: the package reads on in the memory behind a part of a buffer.
    const bytes = new Uint8Array(start);
    const found = [PNG, JPG, WEBP, GIF].find((format) => format.validate(bytes))?.calculate(bytes);
    if (!found || !isSize(found.width) || !isSize(found.height)) return undefined;
    const { width, height, orientation } = found;
    return turned.has(orientation ?? 1) ? { width: height, height: width } : { width, height };
  } catch {
    return undefined;
  }
}

/** Whether a browser can show the picture without harm. False for a file whose size is not known. */
export function isShowable(bytes: Uint8Array): boolean {
  const size = sizeOfPicture(bytes);
  if (!size) return false;
  const { count, right, bottom } = framesOf(bytes);
  return Math.max(size.width * size.height, right * bottom) * count <= MAX_PICTURE_PIXELS;
}

/** The largest picture of a slide, in pixels. */
export const SLIDE_PIXELS: Pixels = { width: 640, height: 360 };

/** Whether the bytes begin as a picture of a slide: a PNG, JPEG or WebP with one frame, of at most 640 × 360 pixels. */
export function isSlidePicture(bytes: Uint8Array): boolean {
  const size = GIF.validate(new Uint8Array(bytes.subarray(0, 16))) ? undefined : sizeOfPicture(bytes);
  if (!size || size.width > SLIDE_PIXELS.width || size.height > SLIDE_PIXELS.height) return false;
  return framesOf(bytes).count === 1;
}

const isSize = (value: number) => Number.isInteger(value) && value > 0;
