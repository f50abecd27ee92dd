import type { ServerResponse as Response } from 'node:http';
import { config } from '../config';
import type { ServiceError } from '../errors';
import { noticePage } from '../pages/notice-page';
import { noticeOf } from '../pages/notice-words';
import { deckHeaders } from '../policy/deck-headers';
import { askUrl, labelOfHost } from '../values/deck-origins';
import type { Isolation } from '../values/host-rules';
import type { RawCall } from './definition';
import { setErrorHeaders } from './envelope';
import { header, isNavigation, isPart, type Request } from './request';
import { lineOf, pageOf } from './send-page';

/** The pages that may frame a deck: its own, and those of the site. */
const frameAncestors = () => `frame-ancestors 'self' ${config.siteOrigins().join(' ')}`;

/** Sets the headers of every answer on the origin of a deck, errors included. */
export function setDeckHeaders(request: Request, response: Response, isolation: Isolation | null = null): void {
  const headers = deckHeaders(isNavigation(request), isolation);
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  response.setHeader('Content-Security-Policy', frameAncestors());
}

/** The label of the host that was asked. No forwarded host is believed: a client can write it. */
export function labelOf(request: Request): string | undefined {
  const deckOrigin = config.deckOrigin();
  return deckOrigin && labelOfHost(deckOrigin, header(request, 'host') ?? '');
}

/** The details of the error for a request that may open nothing on the origin, whether the origin exists or not. */
export const CLOSED = { isClosed: true };

/**
 * Answers an error on the origin of a deck: a page to a browser that opens an address, a line of text to all other
 * requests. The form depends on the headers of the request alone, so it does not tell which files and decks exist.
 */
export function sendDeckError(error: ServiceError, { request, response, requestId }: RawCall): void {
  for (const name of ['ETag', 'Accept-Ranges', 'Vary']) response.removeHeader(name);
  // An error about a version has its isolation. One that comes before the origin is known has no headers yet.
  if (!response.hasHeader('Origin-Agent-Cluster')) setDeckHeaders(request, response);
  setErrorHeaders(response, error);
  // A 404 says why the address opens nothing, in the words of the error.
  const label = error.details?.['isClosed'] ? labelOf(request) : undefined;
  const action = label && { url: askUrl(config.viewerUrl(), label), label: 'Ask for access' };
  const ownWords = { heading: error.message.replace(/\.$/, ''), text: error.nextAction, ...(action && { action }) };
  const notice = error.code === 'not-found' ? ownWords : noticeOf('deck', error);
  const isPage = !isPart(request) && (header(request, 'sec-fetch-dest') !== undefined || isNavigation(request));
  const { type, body } = isPage ? pageOf(noticePage.html(notice, requestId)) : lineOf(error);
  response.statusCode = error.status;
  if (isPage) response.setHeader('Content-Security-Policy', noticePage.policy(frameAncestors()));
  response.setHeader('Cache-Control', 'no-store');
  response.setHeader('Content-Type', `${type}; charset=utf-8`);
  response.setHeader('Content-Length', Buffer.byteLength(body));
  response.end(request.method === 'HEAD' ? undefined : body);
}
