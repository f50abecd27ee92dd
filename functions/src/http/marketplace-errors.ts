import type { ErrorCode, ServiceError } from '../errors';
import { siteNotice, sitePolicy } from '../pages/site-page';
import type { RawCall } from './definition';
import { setErrorHeaders } from './envelope';
import { sendPage } from './send-page';

/** Answers an error of a marketplace page with a page. */
export function sendMarketplaceError(error: ServiceError, { request, response }: RawCall): void {
  const [heading, text] = notices[error.code] ?? [error.message, error.nextAction];
  const errors = (error.details?.['errors'] ?? []) as { location: string; message: string }[];
  const problems = errors.map(({ location, message }) => `${location.replace(/^(query|body)\./, '')}: ${message}`);
  setErrorHeaders(response, error);
  sendPage(response, request.method, {
    status: error.status,
    html: siteNotice(heading, text, { problems }),
    policy: sitePolicy(),
    cacheControl: 'no-store',
    robots: 'noindex',
  });
}

const notices: Partial<Record<ErrorCode, readonly [string, string]>> = {
  'invalid-argument': ['The request is not valid', 'Correct this and try again:'],
  'not-found': ['Page not found', 'No listing has this address. The address may be mistyped.'],
  expired: ['This listing was removed', 'It is no longer in the marketplace.'],
  'method-not-allowed': ['This page can only be read', 'Open its address in a browser.'],
  'rate-limited': ['Too many reports', 'Your network has sent too many reports. Try again in an hour.'],
  internal: ['Something went wrong', 'The error is on our side. Try again in a minute.'],
};
