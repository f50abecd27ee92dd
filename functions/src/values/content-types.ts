import { isUtf8 } from 'node:buffer';
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

/** The types that say nothing about a file: clients send them for a file whose type they do not know. */
const unknownTypes = new Set([
  'application/octet-stream',
  'binary/octet-stream',
  'application/x-unknown',
  'application/unknown',
]);

/**
 * What browsers run or show, by extension. They refuse a script or a style sheet of another type (`nosniff`), compile a
 * WebAssembly stream of this type only, and save a page of an unknown type. They recognise images, fonts, sound and
 * video by their bytes.
 */
const typesOfRunFiles: Record<string, string> = {
  html: 'text/html',
  htm: 'text/html',
  xhtml: 'application/xhtml+xml',
  svg: 'image/svg+xml',
  js: 'text/javascript',
  mjs: 'text/javascript',
  cjs: 'text/javascript',
  css: 'text/css',
  json: 'application/json',
  webmanifest: 'application/manifest+json',
  wasm: 'application/wasm',
  pdf: 'application/pdf',
  txt: 'text/plain',
};

/** Types that clients send for these extensions, and that browsers refuse to run. */
const refusedTypes: Record<string, readonly string[]> = {
  js: ['text/plain', 'application/node', 'text/x-javascript'],
  mjs: ['text/plain', 'application/node', 'text/x-javascript'],
  cjs: ['text/plain', 'application/node', 'text/x-javascript'],
  css: ['text/plain', 'text/x-css'],
  json: ['text/plain'],
  wasm: ['text/plain'],
};

/** Text in which browsers find no charset, and HTML and XML declare theirs in the text. */
const isPlainText = (type: string) =>
  /^(text\/(?!html$|xml$|xsl$)|application\/(javascript|x-javascript|ecmascript)$)/.test(type);

/**
 * The content type with which the file is served on the origin of its deck. It is that of the manifest, but for a type
 * with which browsers do not run the file: that of its extension replaces it, with the charset of the text.
 */
export function servedType({ path, contentType }: { path: string; contentType: string }): string {
  const extension = /\.([a-z\d]+)$/i.exec(path)?.[1]?.toLowerCase() ?? '';
  const type = mediaType(contentType);
  const isReplaced = unknownTypes.has(type) || refusedTypes[extension]?.includes(type);
  const better = isReplaced && Object.hasOwn(typesOfRunFiles, extension) ? typesOfRunFiles[extension]! : undefined;
  if (better === undefined) return contentType;
  const charset = isPlainText(better) ? charsetOf(contentType) : undefined;
  return charset === undefined ? better : `${better}; charset=${charset}`;
}

/**
 * The type, with the charset UTF-8 when it is that of a text without a charset. `first` are the first bytes of the
 * file, where they are known: when they are not UTF-8, the type stays. HTML keeps its own declaration.
 */
export function withUtf8(contentType: string, first: Buffer, isWhole: boolean): string {
  if (!isPlainText(mediaType(contentType)) || charsetOf(contentType) !== undefined) return contentType;
  // The last character may be cut.
  const isText = (isWhole ? [0] : [0, 1, 2, 3]).some((cut) => isUtf8(first.subarray(0, first.length - cut)));
  return isText ? `${contentType}; charset=utf-8` : contentType;
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
