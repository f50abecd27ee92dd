import type { ServerResponse } from 'node:http';
import type { ServiceError } from '../errors';
import type { RawCall } from './definition';
import { setErrorHeaders } from './envelope';
import { isPart } from './request';

interface PageAnswer {
  status: number;
  html: string;
  /** The Content-Security-Policy. */
  policy: string;
  cacheControl: string;
  /** The X-Robots-Tag. Absent or false, search engines may index the page. */
  robots?: string | false;
}

/** Answers an HTML page. A HEAD request gets the headers only. */
export const sendPage = (response: ServerResponse, method: string, { html, ...page }: PageAnswer): void =>
  send(response, method, { ...page, ...pageOf(html) });

/** Answers an error with a page, or with a line of text where a browser asks for a part of a page. */
export function sendErrorPage(
  { request, response }: Pick<RawCall, 'request' | 'response'>,
  error: ServiceError,
  { html, ...page }: Omit<PageAnswer, 'status' | 'cacheControl'>,
): void {
  setErrorHeaders(response, error);
  const content = isPart(request) ? lineOf(error) : pageOf(html);
  send(response, request.method, { ...page, ...content, status: error.status, cacheControl: 'no-store' });
}

/** An error as a page. */
export const pageOf = (html: string) => ({ type: 'text/html', body: html }) as const;

/** An error as a line of text. */
export const lineOf = (error: ServiceError) => ({ type: 'text/plain', body: `${error.message}\n` }) as const;

interface Sent extends Omit<PageAnswer, 'html'> {
  type: 'text/html' | 'text/plain';
  body: string;
}

function send(response: ServerResponse, method: string, page: Sent): void {
  response.statusCode = page.status;
  response.setHeader('Content-Type', `${page.type}; charset=utf-8`);
  response.setHeader('Content-Length', Buffer.byteLength(page.body));
  response.setHeader('Content-Security-Policy', page.policy);
  response.setHeader('Cache-Control', page.cacheControl);
  // The address of a share page holds the share token. The other pages work with the same policy.
  response.setHeader('Referrer-Policy', 'no-referrer');
  response.setHeader('X-Content-Type-Options', 'nosniff');
  // A page of another site that opens this page in a new window gets no reference to it, and this page gets none to
  // that one.
  response.setHeader('Cross-Origin-Opener-Policy', 'same-origin-allow-popups');
  if (page.robots) response.setHeader('X-Robots-Tag', page.robots);
  response.end(method === 'HEAD' ? undefined : page.body);
}
