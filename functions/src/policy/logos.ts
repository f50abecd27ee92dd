import { isUtf8 } from 'node:buffer';
import { isShowable } from '../values/picture-size';

export const MAX_LOGO_BYTES = 2 * 1024 * 1024;

const startsWith = (bytes: Buffer, ...values: number[]) => values.every((value, i) => bytes[i] === value);

/** Recognises the bytes of each image type. Only the check of the declared type runs. */
const matchers: Record<string, (bytes: Buffer) => boolean> = {
  'image/png': (bytes) => startsWith(bytes, 0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a),
  'image/jpeg': (bytes) => startsWith(bytes, 0xff, 0xd8, 0xff),
  'image/webp': (bytes) => bytes.toString('latin1', 0, 4) === 'RIFF' && bytes.toString('latin1', 8, 12) === 'WEBP',
  'image/svg+xml': (bytes) =>
    isUtf8(bytes) && bytes.toString('utf8', 0, 64).trimStart().startsWith('<') && bytes.includes('<svg'),
};

export type LogoProblem = 'LOGO_INVALID_FORMAT' | 'LOGO_DECODE_FAILED' | 'LOGO_TOO_LARGE';

/**
 * The bytes of a logo that was sent as base64, or its problem. The bytes must be an image of the declared type, at most
 * 2 MiB, and of a size that a browser can show without harm.
 */
export function decodeLogo(data: string, contentType: string): Buffer | LogoProblem {
  const matches = Object.hasOwn(matchers, contentType) ? matchers[contentType] : undefined;
  if (!matches) return 'LOGO_INVALID_FORMAT';
  const text = data.replace(/\s+/g, '');
  if (text === '' || text.length % 4 === 1 || !/^[A-Za-z0-9+/_-]+={0,2}$/.test(text)) return 'LOGO_DECODE_FAILED';
  const bytes = Buffer.from(text, 'base64');
  if (bytes.length > MAX_LOGO_BYTES) return 'LOGO_TOO_LARGE';
  if (!matches(bytes)) return 'LOGO_INVALID_FORMAT';
  const isShown = contentType === 'image/svg+xml' ? hasDrawingArea(bytes.toString()) : isShowable(bytes);
  return isShown ? bytes : 'LOGO_DECODE_FAILED';
}

const MAX_SVG_SIDE = 100_000;

/** Whether the root of an SVG names a drawing area with a size: `viewBox="0 0 24 24"`. */
function hasDrawingArea(svg: string): boolean {
  const text = svg.replace(/<!--[^]*?(?:-->|$)/g, '');
  const [root = ''] = /^(?:"[^"]*"|'[^']*'|[^>"'])*>/.exec(text.slice(text.search(/<svg\b/))) ?? [];
  const [, , area = ''] = /\sviewBox\s*=\s*(["'])([^"']*)\1/.exec(root) ?? [];
  const numbers = area
    .trim()
    .split(/[\s,]+/)
    .map(Number);
  const [width = 0, height = 0] = numbers.slice(2);
  const isSide = (side: number) => side > 0 && side <= MAX_SVG_SIDE;
  return numbers.length === 4 && numbers.every(Number.isFinite) && isSide(width) && isSide(height);
}
