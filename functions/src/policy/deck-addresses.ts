import { readRedirects, REDIRECTS } from '../values/host-rules';
import { encodePath, normalizePath } from '../values/paths';
import type { ManifestFile } from './manifest';

/** A request of a file on the origin of a deck. */
export interface DeckRequest {
  /** The path in the deck, without the first slash. Undefined for an address that no file can have. */
  path: string | undefined;
  /** Whether a browser asks for a document. */
  isNavigation: boolean;
  /** The entry of the version. */
  entryPath: string;
}

/** What a deck answers. `readRules` asks for the text of that file: `answerOf` needs it for its decision. */
export type DeckAnswer =
  | { file: ManifestFile; isEntry: boolean; status?: 404 }
  | { redirect: string }
  | { readRules: ManifestFile }
  | undefined;

/** The path and the query of an address. The query begins with `?`, or is empty. */
export interface Address {
  path: string | undefined;
  query: string;
}

/**
 * Reads the target of a request. Every file has exactly one spelling of its path, apart from its percent-encoding and
 * its Unicode form: an encoded slash is not a slash, and `.` and `..` are not resolved.
 */
export function readAddress(target: string): Address {
  const [, rawPath, query = ''] = /^\/([^?#]*)(\?[^#]*)?/.exec(target) ?? [];
  return { path: rawPath === undefined ? undefined : decodePath(rawPath), query: visible(query) };
}

function decodePath(raw: string): string | undefined {
  try {
    const segments = raw.split('/').map(decodeURIComponent);
    return segments.some((segment) => segment.includes('/')) ? undefined : normalizePath(segments.join('/'));
  } catch {
    return undefined;
  }
}

/** Percent-encodes the bytes that a header cannot carry. Node passes each byte of a target as one character. */
const visible = (text: string) =>
  text.replaceAll(/[^\x21-\x7e]/g, (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`);

/** The file of a single-page app that answers every address without a file. */
const APP = '200.html';
const NOT_FOUND = '404.html';

/** The paths of the files that decide the answer. They are looked up in one round trip. */
export function pathsFor({ path, isNavigation, entryPath }: DeckRequest): string[] {
  if (path === '') return [entryPath];
  const ofAddress = path === undefined ? [] : path.endsWith('/') ? [`${path}index.html`] : [path, ...pagesAt(path)];
  return isNavigation ? [...ofAddress, APP, REDIRECTS, entryPath, NOT_FOUND] : ofAddress;
}

/** The pages that answer an address without a file: a file for itself, and the index of a folder. */
const pagesAt = (path: string) => [`${path}.html`, `${path}/index.html`];

/**
 * The answer to a request; undefined when the deck has none. `files` are those of `pathsFor` that the version has.
 * `rules` is the text of the file that an earlier call asked for.
 */
export function answerOf(request: DeckRequest, files: ReadonlyMap<string, ManifestFile>, rules?: string): DeckAnswer {
  const { path, entryPath } = request;
  if (path === '' && entryPath.includes('/')) return { redirect: addressOf(entryPath) };
  const named = path === undefined ? undefined : answerAt(path || entryPath, request, files);
  return named ?? answerWithout(request, files, rules);
}

/** The answer when the address names no file. The files of it are looked up for a navigation only. */
function answerWithout(
  { entryPath }: DeckRequest,
  files: ReadonlyMap<string, ManifestFile>,
  rules?: string,
): DeckAnswer {
  const [entry, app, rulesFile, notFound] = [entryPath, APP, REDIRECTS, NOT_FOUND].map((name) => files.get(name));
  if (app) return { file: app, isEntry: true };
  if (entry && rulesFile && rules === undefined) return { readRules: rulesFile };
  const isApp = rules !== undefined && readRedirects(rules, entryPath).isSinglePageApp;
  if (entry && isApp) return { file: entry, isEntry: true };
  return notFound && { file: notFound, isEntry: false, status: 404 };
}

/** The answer of a file that the address names, with or without `.html` or `index.html`. */
function answerAt(path: string, request: DeckRequest, files: ReadonlyMap<string, ManifestFile>): DeckAnswer {
  const file = files.get(path.endsWith('/') ? `${path}index.html` : path);
  if (file || path.endsWith('/')) return file && serve(file, request);
  const [page, index] = pagesAt(path).map((each) => files.get(each));
  return page ? serve(page, request) : index && { redirect: addressOf(index.path) };
}

const serve = (file: ManifestFile, { entryPath }: DeckRequest) => ({ file, isEntry: file.path === entryPath });

/** The address of a page: that of its folder for an index. Relative links of the page resolve against it. */
const addressOf = (path: string) => `/${encodePath(path.replace(/(^|\/)index\.html$/, '$1'))}`;
