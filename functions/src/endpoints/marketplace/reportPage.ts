import { serviceSecret } from '../../config';
import { pageAnswer, pageErrorTypes } from '../../contract/file-answers';
import { listingReport } from '../../contract/listings';
import { readBody } from '../../http/body';
import { rawEndpoint } from '../../http/endpoint';
import { failInput } from '../../http/envelope';
import { sendMarketplaceError } from '../../http/marketplace-errors';
import { clientAddress, onlySegments } from '../../http/request';
import { sendPage } from '../../http/send-page';
import { reportListing } from '../../marketplace/reports';
import { reporterOf } from '../../policy/listing-reports';
import { noticePage } from '../../pages/notice-page';
import { KB } from '../../values/units';

const LIMIT_BYTES = 32 * KB;

/**
 * The browser sends the form to the address of the function. Requests through Hosting would all have the network
 * address of Hosting, and the rate limit counts by network address.
 */
export const reportPage = rawEndpoint({
  name: 'reportPage',
  about: 'Receives the report form of a listing page and answers with a page. Programs use reportMarketplaceListing.',
  input: listingReport,
  answers: pageAnswer('The page that confirms the report.'),
  errorTypes: pageErrorTypes,
  method: 'POST',
  caller: 'anyone',
  limit: LIMIT_BYTES,
  errors: ['invalid-argument', 'not-found', 'expired', 'rate-limited'],
  runtime: { secrets: [serviceSecret] },
  cost: { roundTrips: 5, reads: 4, writes: 5 },

  async handle({ request, response, now }) {
    onlySegments(request, 0);
    const form = new URLSearchParams((await readBody(request, LIMIT_BYTES)).toString());
    const parsed = listingReport.safeParse(Object.fromEntries(form));
    if (!parsed.success) return failInput(parsed.error, 'body');
    await reportListing(parsed.data, reporterOf(undefined, clientAddress(request)), now);
    sendPage(response, request.method, {
      status: 200,
      html: noticePage.html({
        heading: 'Thank you',
        text: 'Your report has been sent to the operator of the marketplace.',
        action: 'marketplace',
      }),
      policy: noticePage.policy(),
      cacheControl: 'no-store',
      robots: 'noindex',
    });
  },

  handleError: (error, call) => sendMarketplaceError(error, call, 'report'),
});
