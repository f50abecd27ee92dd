import type { ServiceError } from '../errors';
import { noticePage } from '../pages/notice-page';
import { noticeOf } from '../pages/notice-words';
import type { RawCall } from './definition';
import { setErrorHeaders } from './envelope';
import { isPart } from './request';
import { setViewerHeaders } from './send-file';
import { lineOf, pageOf } from './send-page';

/**
 * Answers an error to a viewer of files: a page when the address is that of a page that somebody opens, otherwise a
 * line of text. Neither tells more than the status.
 */
export function sendViewerError(
  error: ServiceError,
  { request, response, requestId }: RawCall,
  assetPath: string,
): void {
  setViewerHeaders(response);
  for (const name of ['ETag', 'Accept-Ranges', 'Content-Security-Policy']) response.removeHeader(name);
  setErrorHeaders(response, error);
  response.statusCode = error.status;
  response.setHeader('Cache-Control', 'no-store');
  // The form depends on the request alone, so the answer does not tell which files exist.
  const isPage = !isPart(request) && (assetPath === '' || /\.x?html?$/i.test(assetPath));
  const { type, body } = isPage ? pageOf(noticePage.html(noticeOf('file', error), requestId)) : lineOf(error);
  response.setHeader('Content-Type', `${type}; charset=utf-8`);
  response.setHeader('Content-Length', Buffer.byteLength(body));
  if (isPage) response.setHeader('Content-Security-Policy', noticePage.policy('sandbox'));
  response.end(request.method === 'HEAD' ? undefined : body);
}
