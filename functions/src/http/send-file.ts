import type { ServerResponse as Response } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { openBlob, signedBlobUrl } from '../blobs/blobs';
import { config } from '../config';
import { isActive } from '../policy/content-types';
import type { ManifestFile } from '../policy/manifest';
import { deckPolicy } from '../policy/sandbox';
import { conditionsOf, decideDelivery, MAX_RANGE_BYTES, type Delivery } from './delivery';
import type { Request } from './request';

/** How long the end of an answer waits for its bookkeeping. */
const BOOKKEEPING_MS = 1000;

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

const etagOf = (file: ManifestFile) => `"${file.sha256}"`;

interface Answer {
  presentationId: string;
  file: ManifestFile;
  delivery: Delivery;
  cacheControl: string;
  /** Work that should end before the platform takes the CPU away; it never rejects and never holds a byte back. */
  bookkeeping?: Promise<void> | undefined;
}

/** Answers a file of a deck: 200, 206 or 304, with back-pressure, or a redirect when the platform cannot carry it. */
export async function sendFile(request: Request, response: Response, answer: Answer): Promise<void> {
  const { presentationId, file, delivery } = answer;
  response.setHeader('ETag', etagOf(file));
  response.setHeader('Cache-Control', answer.cacheControl);
  response.setHeader('Accept-Ranges', 'bytes');
  response.setHeader('Content-Type', file.contentType);
  // On every active type, not only the entry: another page of the deck opened by itself must not run on our origin either.
  if (isActive(file.contentType))
    response.setHeader('Content-Security-Policy', deckPolicy(new URL(config.baseUrl()).origin));

  // A redirected page would lose its sandbox and its relative links, so only inert files leave by another address.
  if (delivery.status === 200 && file.size > config.maxResponseBytes() && !isActive(file.contentType)) {
    response.statusCode = 302;
    response.setHeader('Cache-Control', 'private, no-store');
    response.setHeader('Location', await signedBlobUrl(presentationId, file));
    response.end();
    return;
  }

  response.statusCode = delivery.status;
  if (delivery.status === 304) {
    response.removeHeader('Content-Type');
    response.flushHeaders();
  } else {
    const { start, end } = delivery;
    response.setHeader('Content-Length', end - start + 1);
    if (delivery.status === 206) response.setHeader('Content-Range', `bytes ${start}-${end}/${file.size}`);
    if (request.method === 'HEAD') response.flushHeaders();
    else if (end >= start) await sendBytes(response, presentationId, file, start, end);
  }
  // The client has every byte by now (Content-Length says so); only the end of the request waits.
  if (answer.bookkeeping) await Promise.race([answer.bookkeeping, delay(BOOKKEEPING_MS, undefined, { ref: false })]);
  response.end();
}

async function sendBytes(
  response: Response,
  presentationId: string,
  file: ManifestFile,
  start: number,
  end: number,
): Promise<void> {
  const bytes = await openBlob(presentationId, file, start, end);
  if (Buffer.isBuffer(bytes)) {
    response.write(bytes);
    return;
  }
  try {
    await pipeline(bytes, response, { end: false });
  } catch (error) {
    // A viewer who closes the page is no fault of ours.
    if (!response.destroyed && !response.closed) throw error;
  }
}
