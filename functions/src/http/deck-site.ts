import type { ServerResponse as Response } from 'node:http';
import { config } from '../config';
import type { ServiceError } from '../errors';
import { noticeOf, noticePage } from '../pages/notice-page';
import type { RawCall } from './definition';
import { setErrorHeaders } from './envelope';
import { isNavigation, type Request } from './request';

/** The devices that no deck needs. A viewer must not be asked for them by a page that anybody can publish. */
const DENIED = ['camera', 'microphone', 'geolocation', 'payment', 'usb', 'serial', 'hid'];
const permissions = DENIED.map((feature) => `${feature}=()`).join(', ');

/** The pages that may frame a deck: its own, and those of the site. */
function frameAncestors(): string {
  const sites = [config.viewerUrl(), config.marketplaceUrl()].map((url) => new URL(url).origin);
  return `frame-ancestors 'self' ${[...new Set(sites)].join(' ')}`;
}

/** Sets the headers of every answer on the origin of a deck, errors included (decision 39). */
export function setDeckHeaders(request: Request, response: Response): void {
  response.setHeader('Content-Security-Policy', frameAncestors());
  // Decks are different origins of one site. Browsers then give each a process of its own where they can.
  response.setHeader('Origin-Agent-Cluster', '?1');
  // The pages of other decks get no file of this one, although they are of the same site and cookies are sent with
  // their requests.
  response.setHeader('Cross-Origin-Resource-Policy', 'same-origin');
  response.setHeader('Permissions-Policy', permissions);
  response.setHeader('Referrer-Policy', 'no-referrer');
  response.setHeader('X-Content-Type-Options', 'nosniff');
  response.setHeader('X-Robots-Tag', 'noindex, nofollow');
  // A window that another deck opened gives that deck no reference to this one. The windows of a presenter are of the
  // same origin.
  if (isNavigation(request)) response.setHeader('Cross-Origin-Opener-Policy', 'same-origin-allow-popups');
}

/** Answers an error on the origin of a deck with a page, whatever was asked for. */
export function sendDeckError(error: ServiceError, { request, response }: RawCall): void {
  for (const name of ['ETag', 'Accept-Ranges', 'Vary']) response.removeHeader(name);
  setDeckHeaders(request, response);
  setErrorHeaders(response, error);
  // A 404 says why the address opens nothing, in the words of the error.
  const ownWords = { heading: error.message, text: error.nextAction };
  const html = noticePage.html(error.code === 'not-found' ? ownWords : noticeOf(error));
  response.statusCode = error.status;
  response.setHeader('Content-Security-Policy', `${noticePage.policy}; ${frameAncestors()}`);
  response.setHeader('Cache-Control', 'no-store');
  response.setHeader('Content-Type', 'text/html; charset=utf-8');
  response.setHeader('Content-Length', Buffer.byteLength(html));
  response.end(request.method === 'HEAD' ? undefined : html);
}
