import type { ServiceError } from '../errors';
import { noticePage } from '../pages/notice-page';
import { noticeOf } from '../pages/notice-words';
import type { RawCall } from './definition';
import { sendErrorPage } from './send-page';

/** Answers an error of a page of the marketplace, or of its report form. */
export function sendMarketplaceError(
  error: ServiceError,
  call: RawCall,
  place: 'marketplace' | 'report' = 'marketplace',
): void {
  sendErrorPage(call, error, {
    html: noticePage.html(noticeOf(place, error), call.requestId),
    policy: noticePage.policy(),
    robots: 'noindex',
  });
}
