import { parse } from 'content-type';

const MAX_LENGTH = 255;

/** Whether the text is a MIME type that can be sent in a header as it is. */
export function isContentType(text: string): boolean {
  if (text.length > MAX_LENGTH || !/^[\x20-\x7e]+$/.test(text)) return false;
  try {
    return parse(text).type.includes('/');
  } catch {
    return false;
  }
}

/**
 * The boundary that the Content-Type of a `multipart/form-data` body names. Throws when the header is malformed or has
 * another type.
 */
export function formBoundary(contentType: string): string {
  const { type, parameters } = parse(contentType);
  const { boundary } = parameters;
  if (type !== 'multipart/form-data' || !boundary) throw new TypeError('The body is not a form with a boundary.');
  return boundary;
}

/** The type without its parameters, lower-cased. */
export function mediaType(contentType: string): string {
  return contentType.split(';', 1)[0]!.trim().toLowerCase();
}

export function isHtml(file: { path: string; contentType: string }): boolean {
  return ['text/html', 'application/xhtml+xml'].includes(mediaType(file.contentType)) || /\.x?html?$/i.test(file.path);
}

const INERT_FAMILIES = /^(font|audio|video|image)\//;
const INERT_TYPES = new Set([
  'text/css',
  'text/plain',
  'text/csv',
  'text/markdown',
  'text/vtt',
  'text/javascript',
  'application/javascript',
  'application/x-javascript',
  'application/ecmascript',
  'text/ecmascript',
  'application/json',
  'application/manifest+json',
  'application/wasm',
  'application/octet-stream',
  'application/zip',
  'application/vnd.ms-fontobject',
  'application/font-woff',
  'application/x-font-ttf',
  // Browsers refuse to show a sandboxed PDF, and its viewer is not on our origin.
  'application/pdf',
]);

/**
 * Whether a browser that opens the file by itself could run its scripts. Types are named safe, not dangerous: HTML, SVG
 * and XML are active, and so is whatever a browser may treat like them one day.
 */
export function isActive(contentType: string): boolean {
  const type = mediaType(contentType);
  if (/[+/]xml$/.test(type)) return true;
  return !INERT_TYPES.has(type) && !INERT_FAMILIES.test(type);
}
