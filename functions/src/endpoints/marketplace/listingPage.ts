import { listingView } from '../../contract/listings';
import type { ServerResponse } from 'node:http';
import { rawEndpoint } from '../../http/endpoint';
import { assertShown, contentUrl, ownerOf, pageOfListings, publicAnswer } from '../../marketplace/listings';
import { sendMarketplaceError } from '../../http/marketplace-errors';
import { pageSegments, query } from '../../http/request';
import { sendPage } from '../../http/send-page';
import { browseAddress } from '../../pages/listing-card';
import { listingPage as render, listingPagePolicy } from '../../pages/listing-page';
import { fail } from '../../errors';
import { descendantToken } from '../../policy/listings';
import { isSlug } from '../../values/slugs';
import { readListing } from '../../records/listing-counters';

/**
 * The page of one listing (Hosting sends `/marketplace/**` here), with the deck in a sandboxed frame and its title for link previews. Fetching
 * the page counts no view; a script in it does, once for each browser session.
 */
export const listingPage = rawEndpoint({
  name: 'listingPage',
  method: ['GET', 'HEAD'],
  caller: 'anyone',
  errors: ['not-found', 'expired'],

  async handle({ request, response }) {
    const [slug, ...rest] = pageSegments(request, 'marketplace');
    // `/marketplace/`
    if (slug === undefined) return redirect(response, browseAddress());
    if (!isSlug(slug) || rest.length > 0) return fail('not-found');
    const cursor = query(request).get('remixes') ?? undefined;
    const [found, remixes] = await Promise.all([
      readListing(slug),
      pageOfListings(descendantToken(slug), 'recent', REMIXES, cursor),
    ]);
    const listing = assertShown(found);
    const view = listingView(listing);
    const html = render({
      ...view,
      owner: await ownerOf(listing),
      lineage: listing.lineage,
      contentUrl: contentUrl(listing),
      remixes: remixes.rows,
      moreRemixesUrl: remixes.nextCursor ? `${view.marketplaceUrl}?remixes=${remixes.nextCursor}#remixes` : undefined,
    });
    sendPage(response, request.method, {
      status: 200,
      html,
      policy: listingPagePolicy(),
      cacheControl: publicAnswer['Cache-Control'],
      robots: view.status === 'unlisted' && 'noindex',
    });
  },

  handleError: sendMarketplaceError,
});

const REMIXES = 12;

function redirect(response: ServerResponse, address: string): void {
  response.statusCode = 308;
  response.setHeader('Location', address);
  response.setHeader('Cache-Control', publicAnswer['Cache-Control']);
  response.end();
}
