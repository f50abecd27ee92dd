import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import type { HashedFile } from '../../../client/src/folder/hash';
import { openFound, readStart } from '../../../client/src/folder/read-file';
import { answerOf, pathsFor, readAddress, type DeckRequest } from '../../../functions/src/policy/deck-addresses';
import { asksForDocument, deckHeaders } from '../../../functions/src/policy/deck-headers';
import { decideDelivery, etagOf, wholeOf } from '../../../functions/src/policy/delivery';
import type { ManifestFile } from '../../../functions/src/policy/manifest';
import { mediaType, servedType, withUtf8 } from '../../../functions/src/values/content-types';
import { HEADERS, MAX_RULES_BYTES, readHeaders, type Isolation } from '../../../functions/src/values/host-rules';
import { insertionOf } from '../../../functions/src/values/html-insertion';

/** A folder as a deck. */
export interface Site {
  entryPath: string;
  /** The paths of the deck's files. */
  has(path: string): boolean;
  /** A file of the deck with its hash and its type. */
  read(path: string): Promise<HashedFile>;
  /** An element that a page gets in front when a browser navigates to it. */
  element?: Buffer | undefined;
}

/** Only this much of a page is searched for the place of the element, as the service does, and of a text for UTF-8. */
const HEAD_BYTES = 64 * 1024;

/**
 * Answers a request as the origin of the deck does, with the same code for addresses, types, headers and
 * ranges. A browser asks again each time (`no-cache`), because the files change.
 */
export async function answerDeck(request: IncomingMessage, response: ServerResponse, site: Site): Promise<void> {
  const { method = 'GET', url = '/', headers } = request;
  const isNavigation = asksForDocument(headers['sec-fetch-mode']?.toString(), headers.accept);
  const { isolation } = readHeaders(site.has(HEADERS) ? await readRules(site, HEADERS) : '');
  for (const [name, value] of Object.entries(deckHeaders(isNavigation, isolation))) response.setHeader(name, value);
  response.setHeader('Content-Security-Policy', "frame-ancestors 'self'");
  response.setHeader('Cache-Control', 'no-cache');
  if (method !== 'GET' && method !== 'HEAD') return refuse(request, response, 405, 'This method is not allowed.', site);
  if (headers['service-worker'] !== undefined)
    return refuse(request, response, 403, 'A deck cannot install a service worker.', site);
  const { path, query } = readAddress(url);
  const isReserved = path !== undefined && /^_(open|deck)\//.test(path);
  const answer = isReserved ? undefined : await findAnswer(site, { path, isNavigation, entryPath: site.entryPath });
  if (!answer) return refuse(request, response, 404, 'The deck has no page at this address.', site);
  if ('redirect' in answer) {
    response.writeHead(303, { Location: `${answer.redirect}${query}`, 'Content-Length': 0 }).end();
    return;
  }
  const file = await site.read(answer.file.path);
  const element = isNavigation ? site.element : undefined;
  await sendFile(request, response, { file, status: answer.status, element, isolation });
}

async function findAnswer(site: Site, request: DeckRequest) {
  // The decision needs the paths only.
  const files = new Map(
    pathsFor(request)
      .filter((path) => site.has(path))
      .map((path): [string, ManifestFile] => [path, { path, sha256: '', size: 0, contentType: '' }]),
  );
  const answer = answerOf(request, files);
  if (!answer || !('readRules' in answer)) return answer;
  const decided = answerOf(request, files, await readRules(site, answer.readRules.path));
  return decided && 'readRules' in decided ? undefined : decided;
}

async function readRules(site: Site, path: string): Promise<string> {
  const { absolutePath } = await site.read(path);
  return (await readStart(absolutePath, MAX_RULES_BYTES)).toString();
}

interface Sent {
  file: HashedFile;
  status: 404 | undefined;
  element: Buffer | undefined;
  isolation: Isolation | null;
}

async function sendFile(request: IncomingMessage, response: ServerResponse, sent: Sent): Promise<void> {
  const { file, status, isolation } = sent;
  const row: ManifestFile = { ...file, size: file.sizeBytes };
  const contentType = servedType(row);
  const element = mediaType(contentType) === 'text/html' && row.size > 0 ? sent.element : undefined;
  const etag = etagOf(row.sha256, element && 'dev', isolation);
  const { range, 'if-range': ifRange, 'if-none-match': ifNoneMatch } = request.headers;
  const conditions = { method: request.method ?? 'GET', ifRange: ifRange?.toString(), ifNoneMatch };
  const delivery = status
    ? wholeOf(row)
    : decideDelivery({ ...conditions, ...(!element && { range }) }, { etag, size: row.size });
  response.setHeader('ETag', etag);
  if (!element) response.setHeader('Accept-Ranges', 'bytes');
  if (delivery.status === 304) {
    response.writeHead(304).end();
    return;
  }
  const { start, end } = delivery;
  const head = await readStart(file.absolutePath, HEAD_BYTES);
  const isWhole = head.length === row.size;
  const insertion = element && insertionOf(head, isWhole, contentType);
  response.statusCode = status ?? delivery.status;
  response.setHeader('Content-Type', insertion?.contentType ?? withUtf8(contentType, head, isWhole));
  response.setHeader('Content-Length', end - start + 1 + (insertion ? element.length : 0));
  if (delivery.status === 206) response.setHeader('Content-Range', `bytes ${start}-${end}/${row.size}`);
  if (request.method === 'HEAD' || end < start) {
    response.end();
    return;
  }
  const opened = await openFound(file.absolutePath);
  let from: number = start;
  if (insertion) {
    response.write(head.subarray(0, insertion.at));
    response.write(element);
    from = insertion.at;
  }
  // A file that becomes shorter meanwhile breaks the answer off: its length has been sent.
  await pipeline(opened.createReadStream({ start: from, end }), response).catch(() => response.destroy());
}

/** Answers with a page, which has the element too: a page that does not exist yet may exist after the next change. */
export function refuse(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  text: string,
  { element = Buffer.alloc(0) }: Pick<Site, 'element'> = {},
): void {
  const page = Buffer.concat([
    Buffer.from('<!doctype html><meta charset="utf-8">'),
    element,
    Buffer.from(`<p>${text}`),
  ]);
  response.writeHead(status, { 'Content-Type': 'text/html; charset=utf-8', 'Content-Length': page.length });
  response.end(request.method === 'HEAD' ? undefined : page);
}
