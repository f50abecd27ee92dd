import { listingReport } from '../../contract/listings';
import { serviceSecret } from '../../config';
import { rawEndpoint } from '../../http/endpoint';
import { failInput } from '../../http/envelope';
import { reportListing } from '../../marketplace/reports';
import { sendMarketplaceError } from '../../http/marketplace-errors';
import { clientAddress } from '../../http/request';
import { sendPage } from '../../http/send-page';
import { siteNotice, sitePolicy } from '../../pages/site-page';

/**
 * Takes the form of a listing's page as reportMarketplaceListing takes its JSON, and answers a page. The form is sent past Hosting, straight to
 * this address: behind Hosting all clients have Hosting's.
 */
export const reportPage = rawEndpoint({
  name: 'reportPage',
  method: 'POST',
  caller: 'anyone',
  limit: 32 * 1024,
  errors: ['not-found', 'expired', 'rate-limited'],
  runtime: { secrets: [serviceSecret] },

  async handle({ request, response, now }) {
    // The platform reads the body of a form before the function runs.
    const form = new URLSearchParams(request.rawBody?.toString());
    const parsed = listingReport.safeParse(Object.fromEntries(form));
    if (!parsed.success) return failInput(parsed.error, 'body');
    await reportListing(parsed.data, clientAddress(request), now);
    sendPage(response, request.method, {
      status: 200,
      html: siteNotice('Thank you', 'Your report is with the people who run the marketplace.'),
      policy: sitePolicy(),
      cacheControl: 'no-store',
      robots: 'noindex',
    });
  },

  handleError: sendMarketplaceError,
});
