import { imageSize } from 'image-size';

export const MAX_LOGO_BYTES = 2 * 1024 * 1024;

const imageTypes: Record<string, string> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/webp': 'webp',
  'image/svg+xml': 'svg',
};

export type LogoProblem = 'LOGO_INVALID_FORMAT' | 'LOGO_DECODE_FAILED' | 'LOGO_TOO_LARGE';

/** The bytes of a logo that was sent as base64, or what is wrong with it. The bytes must be an image of the declared type. */
export function decodeLogo(data: string, contentType: string): Buffer | LogoProblem {
  const wanted = imageTypes[contentType];
  if (!wanted) return 'LOGO_INVALID_FORMAT';
  const text = data.replace(/\s+/g, '');
  if (text === '' || text.length % 4 === 1 || !/^[A-Za-z0-9+/_-]+={0,2}$/.test(text)) return 'LOGO_DECODE_FAILED';
  const bytes = Buffer.from(text, 'base64');
  if (bytes.length > MAX_LOGO_BYTES) return 'LOGO_TOO_LARGE';
  try {
    return imageSize(bytes).type === wanted ? bytes : 'LOGO_INVALID_FORMAT';
  } catch {
    return 'LOGO_INVALID_FORMAT';
  }
}
