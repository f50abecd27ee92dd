import type { ServiceError } from '../errors';
import { noticePage } from '../pages/notice-page';
import { noticeOf } from '../pages/notice-words';
import type { RawCall } from './definition';
import { setErrorHeaders } from './envelope';
import { sendPage } from './send-page';

/** Answers an error of a page of the marketplace, or of its report form, with a page. */
export function sendMarketplaceError(
  error: ServiceError,
  { request, response, requestId }: RawCall,
  place: 'marketplace' | 'report' = 'marketplace',
): void {
  setErrorHeaders(response, error);
  sendPage(response, request.method, {
    status: error.status,
    html: noticePage.html(noticeOf(place, error), requestId),
    policy: noticePage.policy(),
    cacheControl: 'no-store',
    robots: 'noindex',
  });
}
