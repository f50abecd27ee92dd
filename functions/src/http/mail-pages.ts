import type { ServerResponse } from 'node:http';
import type { ErrorCode, ServiceError } from '../errors';
import { config } from '../config';
import { siteNotice, sitePolicy } from '../pages/site-page';
import type { RawCall } from './definition';
import { setErrorHeaders } from './envelope';
import { sendPage } from './send-page';

/** Answers a page about the mails to a recipient. No cache keeps it: its address opens the recipient's choice. */
export function sendMailPage(response: ServerResponse, method: string, status: number, html: string): void {
  const policy = sitePolicy(config.viewerUrl());
  sendPage(response, method, { status, html, policy, cacheControl: 'no-store', robots: 'noindex' });
}

/** Answers an error of such a page with a page. */
export function sendMailPageError(error: ServiceError, { request, response }: RawCall): void {
  const [heading, text] = notices[error.code] ?? [error.message, error.nextAction];
  setErrorHeaders(response, error);
  sendMailPage(response, request.method, error.status, siteNotice(heading, text, { isLinked: false }));
}

const notices: Partial<Record<ErrorCode, readonly [string, string]>> = {
  'invalid-argument': ['This link is not valid', 'Open the link in the mail again.'],
  'not-found': ['This link is not valid', 'Copy the whole link from the mail. A mail program may have cut it.'],
  internal: ['Something went wrong', 'The error is on our side. Try again in a minute.'],
};
