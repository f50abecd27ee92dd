import type { ServerResponse as Response } from 'node:http';
import { SIGNED_URL_SECONDS, signedBlobUrl } from '../blobs/blobs';
import { cachedBytes, readAhead, readBytes } from '../blobs/blocks';
import type { Place } from '../blobs/bucket';
import { config } from '../config';
import type { Context } from '../context';
import { withinCall } from '../deadlines';
import { decideDelivery, etagOf, MAX_RANGE_BYTES, wholeOf, type Conditions, type Delivery } from '../policy/delivery';
import type { ManifestFile } from '../policy/manifest';
import { deckPolicy } from '../policy/sandbox';
import { isActive, isPage, withUtf8 } from '../values/content-types';
import type { Isolation } from '../values/host-rules';
import {
  hasOwnOrigin,
  insertionIn,
  runtimeElement,
  takesRuntime,
  type RuntimeElement,
  type RuntimeForm,
} from './deck-runtime';
import { redirect } from './redirect';
import { header, type Request } from './request';
import { isTaken } from './send-text';

/** Sets the headers of every answer to a viewer of a deck, errors included. */
export function setViewerHeaders(response: Response): void {
  // A browser must not run a file as a script when its declared type is another one.
  response.setHeader('X-Content-Type-Options', 'nosniff');
  // The address holds the share token. A link that the viewer follows must not send it.
  response.setHeader('Referrer-Policy', 'no-referrer');
  response.setHeader('X-Robots-Tag', 'noindex, nofollow');
  // The sandbox gives a deck an opaque origin, so its own fonts and modules are cross-origin requests.
  response.setHeader('Cross-Origin-Resource-Policy', 'cross-origin');
  response.setHeader('Access-Control-Allow-Origin', '*');
}

/**
 * Decides which bytes of the file answer the request. A range is cut to the largest answer that the platform allows. A
 * page with the runtime has no ranges, and one with the ticket of a live session is always answered.
 */
export function deliveryOf(
  request: Request,
  file: ManifestFile,
  { runtime, live, isolation }: Pick<FileAnswer, 'runtime' | 'live' | 'isolation'> = {},
): Delivery {
  const maxRangeBytes = Math.min(MAX_RANGE_BYTES, config.maxResponseBytes());
  const element = runtimeElement(request, file, runtime, live);
  if (element && element.version === undefined) return wholeOf(file);
  const conditions = { ...conditionsOf(request), ...(element && { range: undefined }) };
  return decideDelivery(conditions, { etag: etagFor(file, element, isolation), size: file.size }, maxRangeBytes);
}

function conditionsOf(request: Request): Conditions {
  return {
    method: request.method,
    range: header(request, 'range'),
    ifRange: header(request, 'if-range'),
    ifNoneMatch: header(request, 'if-none-match'),
  };
}

const etagFor = (file: ManifestFile, element: RuntimeElement | undefined, isolation: FileAnswer['isolation']) =>
  etagOf(file.sha256, element?.version, isolation);

interface FileAnswer {
  context: Context;
  presentationId: string;
  file: ManifestFile;
  /** Where the object of the file is: among the files of the deck when absent. */
  place?: Place | undefined;
  delivery: Delivery;
  cacheControl: string;
  /**
   * The form in which a navigation gets the runtime in HTML. A file on the origin of its deck, which isolates it, has
   * no sandbox. `delivery` was decided with the same.
   */
  runtime?: RuntimeForm | undefined;
  /** The ticket of the live session, which a navigation gets with the runtime. Such a page is never stored. */
  live?: string | undefined;
  /** The isolation of the version on the origin of its deck. `delivery` was decided with the same. */
  isolation?: Isolation | null | undefined;
  /** The status of the whole file when it is not 200. */
  status?: 404 | undefined;
  /**
   * Work that starts with the first bytes. The last byte waits up to 250 ms for it, because the platform throttles the
   * CPU after the answer. It never rejects.
   */
  beforeEnd?: (() => Promise<void>) | undefined;
}

/**
 * Answers a file of a deck with 200, 206 or 304, and with back-pressure. A file that is too large for one answer of the
 * platform, and that is not a page, is redirected to the bucket (302).
 */
export async function sendFile(request: Request, response: Response, answer: FileAnswer): Promise<void> {
  const { context, presentationId, file, delivery } = answer;
  const isWhole = delivery.status === 200;
  const isDocument = isPage(file.contentType);
  // At another address a page would lose its sandbox and its relative links, so only other files are redirected.
  if (isWhole && !isDocument && file.size > largestAnswer(answer)) {
    const typed = { ...file, contentType: typeOf(answer) };
    return redirectToBucket(response, await signedBlobUrl(context, presentationId, typed), answer.cacheControl);
  }

  const element = runtimeElement(request, file, answer.runtime, answer.live);
  if (delivery.status === 304) {
    setFileHeaders(response, answer, element);
    await settled(answer.beforeEnd);
    response.statusCode = 304;
    response.end();
    return;
  }
  const { start, end } = delivery;
  const isEmpty = request.method === 'HEAD' || end < start;
  // The first bytes are read before a header is set: a failure until then is answered with its own status. The length
  // of an answer with the runtime depends on them.
  const first =
    isEmpty && !element ? undefined : (cachedBytes(file, start, end) ?? (await firstBytes(answer, start, end)));
  const insertion = element && first && insertionIn(file, first);
  setFileHeaders(response, answer, element);
  response.statusCode = answer.status ?? delivery.status;
  response.setHeader('Content-Type', insertion?.contentType ?? typeOf(answer, start === 0 ? first : undefined));
  // A new version has no page above this limit. An older one is sent in chunks, without a length.
  const isChunked = isWhole && isDocument && file.size > config.maxPageBytes();
  const length = end - start + 1 + (insertion ? element.bytes.length : 0);
  if (!isChunked || request.method === 'HEAD') response.setHeader('Content-Length', length);
  if (delivery.status === 206) response.setHeader('Content-Range', `bytes ${start}-${end}/${file.size}`);
  if (first && !isEmpty) {
    const parts = insertion ? [first.subarray(0, insertion.at), element.bytes, first.subarray(insertion.at)] : [first];
    return sendBytes(response, answer, parts, start + first.length, end);
  }
  await settled(answer.beforeEnd);
  response.end();
}

/**
 * The type of the file. On the origin of its deck a text is UTF-8, unless its first bytes are not. An answer that reads
 * none, such as to a HEAD, takes them for UTF-8.
 */
const typeOf = ({ file, runtime }: FileAnswer, first: Buffer = Buffer.alloc(0)) =>
  hasOwnOrigin(runtime) ? withUtf8(file.contentType, first, first.length === file.size) : file.contentType;

const firstBytes = (answer: FileAnswer, start: number, end: number) =>
  withinCall('Storage', () => readBytes(answer, start, end), answer.context);

/**
 * The largest file that is not redirected to the bucket. Scripts, workers and canvases of a deck that has an origin
 * need its files there, so such a file is sent with its length up to the limit of the platform.
 */
const largestAnswer = ({ runtime }: FileAnswer) =>
  hasOwnOrigin(runtime) ? Math.max(config.maxPageBytes(), config.maxResponseBytes()) : config.maxResponseBytes();

/**
 * Sends the parts, then the bytes of the file from `next` to `end`, and ends the answer. The next block is read while
 * the client takes this one, so a slow client holds two blocks. Throws a failure to read them. A client that closes the
 * connection is not one.
 */
async function sendBytes(
  response: Response,
  answer: FileAnswer,
  parts: readonly Buffer[],
  next: number,
  end: number,
): Promise<void> {
  const isCounted = answer.beforeEnd && settled(answer.beforeEnd);
  const filled = parts.filter((part) => part.length > 0);
  let bytes = filled.at(-1)!;
  for (const part of filled.slice(0, -1)) response.write(part);
  for (; next <= end; next += bytes.length) {
    const ahead = readAhead(answer, next, end);
    if (!response.write(bytes)) await isTaken(response);
    if (response.destroyed) return;
    bytes = ahead.bytes ?? (await readBytes(answer, next, end));
  }
  if (isCounted) {
    response.write(bytes.subarray(0, -1));
    await isCounted;
    bytes = bytes.subarray(-1);
  }
  response.end(bytes);
}

/** The policies by the base URL of the functions, which is the same for all requests of a deployment. */
const policies = new Map<string, string>();

function policyFor(baseUrl: string): string {
  const policy = policies.get(baseUrl) ?? deckPolicy(new URL(baseUrl).origin);
  policies.set(baseUrl, policy);
  return policy;
}

function setFileHeaders(response: Response, answer: FileAnswer, element: RuntimeElement | undefined): void {
  const { file, cacheControl, runtime, isolation } = answer;
  const isStored = !element || element.version !== undefined;
  if (isStored) response.setHeader('ETag', etagFor(file, element, isolation));
  response.setHeader('Cache-Control', isStored ? cacheControl : 'private, no-store');
  if (!element) response.setHeader('Accept-Ranges', 'bytes');
  if (runtime && takesRuntime(file)) response.setHeader('Vary', 'Sec-Fetch-Mode');
  // Every active file gets the policy, not only the entry: a viewer can open each page of the deck directly, and none
  // may run on the origin of the service.
  if (!hasOwnOrigin(runtime) && isActive(file.contentType)) {
    response.setHeader('Content-Security-Policy', policyFor(config.baseUrl()));
  }
}

/**
 * Redirects to a signed address of the file. A public answer may be cached until 60 seconds before the address expires.
 */
function redirectToBucket(response: Response, location: string, ofFile: string): void {
  const isPublic = ofFile.startsWith('public');
  const cacheControl = isPublic ? `public, max-age=${SIGNED_URL_SECONDS - 60}` : 'private, no-store';
  redirect(response, { status: 302, location, cacheControl });
}

/** Resolves when the work is done, or when it has taken the time that a view may delay its last byte. */
function settled(work: FileAnswer['beforeEnd']): Promise<void> | undefined {
  return (
    work &&
    new Promise((resolve) => {
      const late = setTimeout(resolve, config.viewPatienceMs());
      void work().then(() => {
        clearTimeout(late);
        resolve();
      });
    })
  );
}
