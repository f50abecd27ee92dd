import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { extname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import send from 'send';
import { globMatcher, type HostingConfig } from './config';

const STATIC_CACHE_CONTROL = 'max-age=3600';
/** A smaller text gains nothing from compression. */
const MIN_COMPRESSED_BYTES = 1024;
const STATIC_VARY = 'x-fh-requested-host, accept-encoding';

type Found = { file: string } | { redirect: string };

/** The page for paths without a file. */
export const ERROR_PAGE = '/404.html';

/** Finds the file for a path in the public folder, or the canonical address to redirect to. */
export type PageFinder = (path: string) => Promise<Found | undefined>;

/** Whether the public folder has the file. Ignored files do not exist: a deploy does not upload them. */
export type FileFinder = (path: string) => Promise<boolean>;

export function fileFinder(folder: string, { ignore = [] }: HostingConfig): FileFinder {
  const ignored = ignore.map(globMatcher);
  return async (path) =>
    !ignored.some((matches) => matches(path)) &&
    ((await stat(join(folder, path)).catch(() => undefined))?.isFile() ?? false);
}

/**
 * Finds pages as Firebase Hosting does: index.html, clean URLs, canonical trailing slashes.
 * https://firebase.google.com/docs/hosting/full-config#control_html_extensions; where the documentation is
 * silent, as superstatic, the official emulator's server.
 */
export function pageFinder(exists: FileFinder, { cleanUrls, trailingSlash }: HostingConfig): PageFinder {
  return async (requested) => {
    // File names cannot contain NUL. `..` could leave the folder.
    if (requested.includes('\0') || requested.split(/[/\\]/).includes('..')) return undefined;
    const path = requested.replace(/\/+/g, '/');
    const hasSlash = path.endsWith('/');
    const bare = hasSlash ? path.slice(0, -1) : path;
    const redirect = (target: string, withSlash = false) => ({ redirect: withSlash ? `${target}/` : target || '/' });

    if (!hasSlash && (await exists(path))) {
      if (!cleanUrls || !path.endsWith('.html')) return { file: path };
      return redirect(path.replace(/(\/index)?\.html$/, ''), trailingSlash);
    }
    if (await exists(`${bare}/index.html`)) {
      // Relative links in a folder's index need the trailing slash. The configuration can override it.
      if (!hasSlash && (trailingSlash ?? !cleanUrls)) return redirect(bare, true);
      if (hasSlash && trailingSlash === false && bare !== '') return redirect(bare);
      return { file: `${bare}/index.html` };
    }
    // Without a setting for the slash, `/page/` is not the page `/page`.
    if (!cleanUrls || bare === '' || (hasSlash && trailingSlash === undefined)) return undefined;
    if (!(await exists(`${bare}.html`))) return undefined;
    if (hasSlash && trailingSlash === false) return redirect(bare);
    if (!hasSlash && trailingSlash) return redirect(bare.replace(/\/index$/, ''), true);
    if (bare.endsWith('/index')) return redirect(bare.slice(0, -'/index'.length));
    return { file: `${bare}.html` };
  };
}

/** A decoded path, percent-encoded for an address. */
export const encodePath = (path: string): string => encodeURI(path).replace(/[?#]/g, encodeURIComponent);

/** The ETags of files by path. A changed file has another time or size. */
const etags = new Map<string, { version: string; etag: string }>();

/** The SHA-256 of a file's bytes, as the cloud's ETags. Reads the file once for each change. */
async function etagOf(path: string): Promise<string> {
  const { mtimeMs, size } = await stat(path);
  const version = `${mtimeMs} ${size}`;
  const known = etags.get(path);
  if (known?.version === version) return known.etag;
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  const etag = `"${hash.digest('hex')}"`;
  etags.set(path, { version, etag });
  return etag;
}

/** Where the files are, and what their texts get in place of what they name. */
export interface PageSource {
  folder: string;
  replaced: ReadonlyMap<string, string>;
}

/**
 * Sends a file of the source with the cloud's headers (ETag, `Cache-Control: max-age=3600`, Vary), conditional answers
 * and ranges. A client that accepts it gets a text with gzip. A header that is set already stays. Settles when it is
 * sent, or when the client has disconnected.
 */
export async function sendPage(
  req: IncomingMessage,
  res: ServerResponse,
  { folder, replaced }: PageSource,
  file: string,
): Promise<void> {
  // The client may have disconnected before, or while the file is read: `close` is not emitted again.
  if (res.destroyed) return;
  const type = textTypes[extname(file)];
  if (type !== undefined && (replaced.size > 0 || takesGzip(req))) {
    const text = await replacedText(join(folder, file), replaced).catch(() => undefined);
    if (text && (replaced.size > 0 || text.length >= MIN_COMPRESSED_BYTES)) return sendText(req, res, type, text);
  }
  const etag = await etagOf(join(folder, file)).catch(() => undefined);
  if (res.destroyed) return;
  if (etag !== undefined) setDefault(res, 'etag', etag);
  setDefault(res, 'cache-control', STATIC_CACHE_CONTROL);
  setDefault(res, 'vary', STATIC_VARY);
  await new Promise<void>((resolve) => {
    res.once('close', resolve);
    send(req, encodePath(file), { root: folder, dotfiles: 'allow', index: false })
      .on('error', ({ status = 500 }: { status?: number }) => void res.writeHead(status).end())
      .pipe(res);
  });
}

const textTypes: Partial<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.md': 'text/markdown; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.xml': 'application/xml; charset=utf-8',
};

async function replacedText(path: string, replaced: ReadonlyMap<string, string>): Promise<Buffer> {
  const text = await readFile(path, 'utf8');
  return Buffer.from([...replaced].reduce((made, [from, to]) => made.replaceAll(from, to), text));
}

/** A range counts the bytes of the file. */
const takesGzip = ({ headers }: IncomingMessage) =>
  /\bgzip\b/.test(String(headers['accept-encoding'])) && headers.range === undefined;

/** The texts with gzip, by the hash of the text. */
const zipped = new Map<string, Buffer>();

async function gzipOf(hash: string, text: Buffer): Promise<Buffer> {
  const bytes = zipped.get(hash) ?? (await promisify(gzip)(text));
  zipped.set(hash, bytes);
  return bytes;
}

async function sendText(req: IncomingMessage, res: ServerResponse, type: string, text: Buffer): Promise<void> {
  const hash = createHash('sha256').update(text).digest('hex');
  const isZipped = takesGzip(req) && text.length >= MIN_COMPRESSED_BYTES;
  const etag = isZipped ? `"${hash}-gzip"` : `"${hash}"`;
  setDefault(res, 'etag', etag);
  setDefault(res, 'cache-control', STATIC_CACHE_CONTROL);
  setDefault(res, 'vary', STATIC_VARY);
  if (req.headers['if-none-match'] === etag) return void res.writeHead(304).end();
  const bytes = isZipped ? await gzipOf(hash, text) : text;
  setDefault(res, 'content-type', type);
  if (isZipped) res.setHeader('content-encoding', 'gzip');
  res.setHeader('content-length', bytes.length);
  res.end(req.method === 'HEAD' ? undefined : bytes);
}

/** Sends a file as an error page. Ignores the request's conditions and range. */
export async function sendErrorPage(
  req: IncomingMessage,
  res: ServerResponse,
  source: PageSource,
  status: number,
  file: string,
) {
  for (const condition of ['if-none-match', 'if-modified-since', 'range']) delete req.headers[condition];
  res.statusCode = status;
  await sendPage(req, res, source, file);
}

function setDefault(res: ServerResponse, name: string, value: string): void {
  if (!res.hasHeader(name)) res.setHeader(name, value);
}
