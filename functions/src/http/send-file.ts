import type { ServerResponse as Response } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { openBlob, SIGNED_URL_SECONDS, signedBlobUrl } from '../blobs/blobs';
import { config } from '../config';
import { isActive } from '../values/content-types';
import type { ManifestFile } from '../policy/manifest';
import { deckPolicy } from '../policy/sandbox';
import { decideDelivery, MAX_RANGE_BYTES, type Conditions, type Delivery } from '../policy/delivery';
import { header, type Request } from './request';

/** How long the end of an answer waits for its bookkeeping, at most. */
const BOOKKEEPING_MS = 250;

/** Headers of every answer to whoever views a deck, errors too. */
export function setViewerHeaders(response: Response): void {
  // What a deck's owner calls an image is never run as a script.
  response.setHeader('X-Content-Type-Options', 'nosniff');
  // The address carries the secret: it must not leave with a link that is followed.
  response.setHeader('Referrer-Policy', 'no-referrer');
  response.setHeader('X-Robots-Tag', 'noindex, nofollow');
  // A deck has an origin of its own, so its fonts and modules are cross-origin even to itself.
  response.setHeader('Cross-Origin-Resource-Policy', 'cross-origin');
  response.setHeader('Access-Control-Allow-Origin', '*');
}

/** Which bytes of the file answer the request; a range is cut to what the platform lets out. */
export function deliveryOf(request: Request, file: ManifestFile): Delivery {
  const maxRangeBytes = Math.min(MAX_RANGE_BYTES, config.maxResponseBytes());
  return decideDelivery(conditionsOf(request), { etag: etagOf(file), size: file.size }, maxRangeBytes);
}

function conditionsOf(request: Request): Conditions {
  return {
    method: request.method,
    range: header(request, 'range'),
    ifRange: header(request, 'if-range'),
    ifNoneMatch: header(request, 'if-none-match'),
  };
}

const etagOf = (file: ManifestFile) => `"${file.sha256}"`;

interface Answer {
  presentationId: string;
  file: ManifestFile;
  delivery: Delivery;
  cacheControl: string;
  /**
   * Work that should end before the platform takes the CPU away, begun when the bytes are at hand. The last byte waits for it, but not long:
   * to the client, and to the platform, an answer is over with it. It never rejects.
   */
  bookkeeping?: (() => Promise<void>) | undefined;
}

/** Answers a file of a deck: 200, 206 or 304, with back-pressure, or a redirect when the platform cannot carry it. */
export async function sendFile(request: Request, response: Response, answer: Answer): Promise<void> {
  const { presentationId, file, delivery } = answer;
  const isPage = isActive(file.contentType);
  const isTooLong = delivery.status === 200 && file.size > config.maxResponseBytes();
  // A redirected page would lose its sandbox and its relative links, so only inert files leave by another address.
  if (isTooLong && !isPage) return redirect(response, await signedBlobUrl(presentationId, file), answer.cacheControl);

  response.setHeader('ETag', etagOf(file));
  response.setHeader('Cache-Control', answer.cacheControl);
  response.setHeader('Accept-Ranges', 'bytes');
  // On every active type, not only the entry: another page of the deck opened by itself must not run on our origin either.
  if (isPage) response.setHeader('Content-Security-Policy', deckPolicy(new URL(config.baseUrl()).origin));
  if (delivery.status === 304) {
    await settled(answer.bookkeeping);
    response.statusCode = 304;
    response.end();
    return;
  }
  const { start, end } = delivery;
  const bytes = request.method === 'HEAD' || end < start ? [] : await openBlob(presentationId, file, start, end);
  response.statusCode = delivery.status;
  response.setHeader('Content-Type', file.contentType);
  // Without a length the answer leaves in chunks, and of those the platform takes any number.
  if (!isTooLong || request.method === 'HEAD') response.setHeader('Content-Length', end - start + 1);
  if (delivery.status === 206) response.setHeader('Content-Range', `bytes ${start}-${end}/${file.size}`);
  try {
    await pipeline(answer.bookkeeping ? holdLastByte(bytes, answer.bookkeeping) : bytes, response);
  } catch (error) {
    // A viewer who closes the page is no fault of ours.
    if (!response.destroyed && !response.closed) throw error;
  }
}

/** To an address that opens the file by itself. What is public anyway may be kept until shortly before the address ends. */
function redirect(response: Response, address: string, cacheControl: string): void {
  const isPublic = cacheControl.startsWith('public');
  response.statusCode = 302;
  response.setHeader('Cache-Control', isPublic ? `public, max-age=${SIGNED_URL_SECONDS - 60}` : 'private, no-store');
  response.setHeader('Location', address);
  response.end();
}

/** Passes bytes on as they come, but the very last one only when the work is done, or has taken too long. */
async function* holdLastByte(bytes: AsyncIterable<Buffer> | Iterable<Buffer>, work: () => Promise<void>) {
  let last: Buffer | undefined;
  let done: Promise<void> | undefined;
  for await (const chunk of bytes) {
    done ??= settled(work);
    if (last) yield last;
    yield chunk.subarray(0, -1);
    last = chunk.subarray(-1);
  }
  await (done ?? settled(work));
  if (last) yield last;
}

async function settled(work?: () => Promise<void>): Promise<void> {
  if (work) await Promise.race([work(), delay(BOOKKEEPING_MS, undefined, { ref: false })]);
}
