import type { RawCall } from './definition';
import { siteNotice, sitePolicy } from '../pages/site-page';
import type { ErrorCode, ServiceError } from '../errors';
import { setErrorHeaders } from './envelope';
import { sendPage } from './send-page';

/** Answers an error of the marketplace's pages as one of them. */
export function sendMarketplaceError(error: ServiceError, { request, response }: RawCall): void {
  const [heading, text] = notices[error.code] ?? [error.message, error.nextAction];
  const errors = (error.details?.['errors'] ?? []) as { location: string; message: string }[];
  const problems = errors.map(({ location, message }) => `${location.replace(/^(query|body)\./, '')}: ${message}`);
  setErrorHeaders(response, error);
  sendPage(response, request.method, {
    status: error.status,
    html: siteNotice(heading, text, problems),
    policy: sitePolicy(),
    cacheControl: 'no-store',
    robots: 'noindex',
  });
}

const notices: Partial<Record<ErrorCode, readonly [string, string]>> = {
  'invalid-argument': ['This cannot be understood', 'Something in it is not as it should be.'],
  'not-found': ['There is nothing here', 'The address may be mistyped, or it was never that of a listing.'],
  expired: ['This listing is gone', 'It was taken out of the marketplace.'],
  'method-not-allowed': ['This address is only for looking', 'Open it in a browser.'],
  'rate-limited': ['That is a lot at once', 'Try again in an hour.'],
  internal: ['Something went wrong', 'It is our fault, not yours. Try again in a moment.'],
};
