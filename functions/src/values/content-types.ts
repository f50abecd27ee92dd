import { parse } from 'content-type';

const MAX_LENGTH = 255;

/** Whether the text is a MIME type that a header can carry unchanged: printable ASCII, at most 255 characters. */
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

/** The charset that the Content-Type names. Undefined without one, and for a malformed header. */
export function charsetOf(contentType: string): string | undefined {
  try {
    return parse(contentType).parameters['charset'];
  } catch {
    return undefined;
  }
}

/** The type without its parameters, in lower case. */
export function mediaType(contentType: string): string {
  return contentType.split(';', 1)[0]!.trim().toLowerCase();
}

/** Whether the content type or the extension of the path says HTML. */
export function isHtml(file: { path: string; contentType: string }): boolean {
  return ['text/html', 'application/xhtml+xml'].includes(mediaType(file.contentType)) || /\.x?html?$/i.test(file.path);
}

/**
 * Whether browsers show the content type as a document with scripts and relative links: HTML, SVG and XML. Such a file
 * needs its own address and the headers of the service.
 */
export function isPage(contentType: string): boolean {
  const type = mediaType(contentType);
  return ['text/html', 'text/xsl'].includes(type) || /[+/]xml$/.test(type);
}

const inertFamilies = /^(font|audio|video|image)\//;
const inertTypes = new Set([
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
  // Browsers do not show a PDF in a sandbox. Their PDF viewer does not run in the origin of the functions.
  'application/pdf',
]);

/**
 * Whether a browser that opens the file directly could run its scripts. The lists name the safe types: HTML, SVG, XML
 * and every unknown type are active.
 */
export function isActive(contentType: string): boolean {
  const type = mediaType(contentType);
  if (/[+/]xml$/.test(type)) return true;
  return !inertTypes.has(type) && !inertFamilies.test(type);
}
