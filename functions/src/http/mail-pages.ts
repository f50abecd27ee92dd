import type { ServerResponse } from 'node:http';
import type { ServiceError } from '../errors';
import { mailPagePolicy } from '../pages/mail-page';
import { noticePage } from '../pages/notice-page';
import { noticeOf } from '../pages/notice-words';
import type { RawCall } from './definition';
import { setErrorHeaders } from './envelope';
import { sendPage } from './send-page';

/** Answers a page about the mails to a recipient. No cache keeps it: its address opens the recipient's choice. */
export function sendMailPage(response: ServerResponse, method: string, status: number, html: string): void {
  sendPage(response, method, { status, html, policy: mailPagePolicy(), cacheControl: 'no-store', robots: 'noindex' });
}

/** Answers an error of such a page with a page. */
export function sendMailPageError(error: ServiceError, { request, response, requestId }: RawCall): void {
  setErrorHeaders(response, error);
  sendMailPage(response, request.method, error.status, noticePage.html(noticeOf('mail', error), requestId));
}
