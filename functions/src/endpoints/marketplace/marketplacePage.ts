import { listQuery } from '../../contract/listings';
import { failInput } from '../../http/envelope';
import { rawEndpoint } from '../../http/endpoint';
import { pageOfListings, publicAnswer } from '../../marketplace/listings';
import { sendMarketplaceError } from '../../http/marketplace-errors';
import { pageSegments, query, type Request } from '../../http/request';
import { sendPage } from '../../http/send-page';
import { marketplacePage as render } from '../../pages/marketplace-page';
import { sitePolicy } from '../../pages/site-page';
import { fail } from '../../errors';
import { filterToken } from '../../policy/listings';

/** The page that lists the marketplace (Hosting sends `/marketplace` here): the lists of listMarketplaceListings, for people and search engines. */
export const marketplacePage = rawEndpoint({
  name: 'marketplacePage',
  method: ['GET', 'HEAD'],
  caller: 'anyone',
  errors: ['not-found'],

  async handle({ request, response }) {
    if (pageSegments(request, 'marketplace').length > 0) return fail('not-found');
    const parsed = Input.safeParse(readFilters(request));
    if (!parsed.success) return failInput(parsed.error, 'query');
    const { sort, cursor, ...filter } = parsed.data;
    const { rows, nextCursor } = await pageOfListings(filterToken(filter), sort, PAGE, cursor);
    sendPage(response, request.method, {
      status: 200,
      html: render({ ...filter, sort, cursor }, rows, nextCursor),
      policy: sitePolicy(),
      cacheControl: publicAnswer['Cache-Control'],
    });
  },

  handleError: sendMarketplaceError,
});

const PAGE = 24;
const Input = listQuery.omit({ limit: true });

/** What a form leaves empty is not meant; and a person writes a technology as it is written. */
function readFilters(request: Request): Record<string, string> {
  const filled = [...query(request)].map(([name, value]) => [name, value.trim()] as const).filter(([, value]) => value);
  const filters = Object.fromEntries(filled);
  return { ...filters, ...(filters['stack'] && { stack: filters['stack'].toLowerCase() }) };
}
