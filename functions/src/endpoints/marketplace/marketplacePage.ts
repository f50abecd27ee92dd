import { pageAnswer, pageErrorTypes } from '../../contract/file-answers';
import { listQuery } from '../../contract/listings';
import { fail } from '../../errors';
import { rawEndpoint } from '../../http/endpoint';
import { failInput } from '../../http/envelope';
import { sendMarketplaceError } from '../../http/marketplace-errors';
import { pageSegments, query, type Request } from '../../http/request';
import { sendPage } from '../../http/send-page';
import { pageOfListings, publicAnswer } from '../../marketplace/listings';
import { marketplacePage as render } from '../../pages/marketplace-page';
import { sitePolicy } from '../../pages/site-page';
import { filterToken } from '../../policy/listings';

const PAGE_SIZE = 24;
const Input = listQuery.omit({ limit: true });

export const marketplacePage = rawEndpoint({
  name: 'marketplacePage',
  about:
    'The page of the marketplace at `{marketplace_url}/marketplace`: the lists of listMarketplaceListings as HTML, ' +
    '24 listings a page.',
  input: Input,
  answers: pageAnswer('The page.'),
  errorTypes: pageErrorTypes,
  method: ['GET', 'HEAD'],
  caller: 'anyone',
  errors: ['invalid-argument', 'not-found'],
  runtime: { class: 'page' },

  async handle({ request, response }) {
    if (pageSegments(request, 'marketplace').length > 0) return fail('not-found');
    const parsed = Input.safeParse(readFilters(request));
    if (!parsed.success) return failInput(parsed.error, 'query');
    const { sort, cursor, ...filter } = parsed.data;
    const { rows, nextCursor } = await pageOfListings(filterToken(filter), sort, PAGE_SIZE, cursor);
    sendPage(response, request.method, {
      status: 200,
      html: render({ ...filter, sort, cursor }, rows, nextCursor),
      policy: sitePolicy(),
      cacheControl: publicAnswer['Cache-Control'],
    });
  },

  handleError: sendMarketplaceError,
});

/**
 * The filters without the empty fields of the form. People write technologies with capitals, so `stack` is converted to
 * lower case.
 */
function readFilters(request: Request): Record<string, string> {
  const filled = [...query(request)].map(([name, value]) => [name, value.trim()] as const).filter(([, value]) => value);
  const filters = Object.fromEntries(filled);
  return { ...filters, ...(filters['stack'] && { stack: filters['stack'].toLowerCase() }) };
}
