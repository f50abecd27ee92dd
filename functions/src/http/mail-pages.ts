import type { ServerResponse } from 'node:http';
import type { ServiceError } from '../errors';
import { mailPagePolicy } from '../pages/mail-page';
import { noticePage } from '../pages/notice-page';
import { noticeOf } from '../pages/notice-words';
import type { RawCall } from './definition';
import { sendErrorPage, sendPage } from './send-page';

/** Answers a page about the mails to a recipient. No cache keeps it: its address opens the recipient's choice. */
export function sendMailPage(response: ServerResponse, method: string, status: number, html: string): void {
  sendPage(response, method, { status, html, policy: mailPagePolicy(), cacheControl: 'no-store', robots: 'noindex' });
}

/** Answers an error of such a page. */
export function sendMailPageError(error: ServiceError, call: RawCall): void {
  const html = noticePage.html(noticeOf('mail', error), call.requestId);
  sendErrorPage(call, error, { html, policy: mailPagePolicy(), robots: 'noindex' });
}
