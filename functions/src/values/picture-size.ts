import { GIF } from 'image-size/types/gif';
import { JPG } from 'image-size/types/jpg';
import { PNG } from 'image-size/types/png';
import { WEBP } from 'image-size/types/webp';

/** This much of a file is searched for its size. */
export const SIZE_BYTES = 64 * 1024;

export interface Pixels {
  width: number;
  height: number;
}

/** The EXIF orientations of a picture that is shown on its side. Browsers ignore numbers that are no orientation. */
const turned = new Set([5, 6, 7, 8]);

/** The size of a PNG, JPEG, WebP or GIF as browsers show it. Undefined when its first bytes do not tell. */
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

const isSize = (value: number) => Number.isInteger(value) && value > 0;
