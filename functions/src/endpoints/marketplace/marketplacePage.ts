import { pageAnswer, pageErrorTypes } from '../../contract/file-answers';
import { listQuery } from '../../contract/listings';
import { fail, type ServiceError } from '../../errors';
import type { RawCall } from '../../http/definition';
import { rawEndpoint } from '../../http/endpoint';
import { failInput } from '../../http/envelope';
import { sendMarketplaceError } from '../../http/marketplace-errors';
import { pageSegments, query, type Request } from '../../http/request';
import { sendErrorPage, sendPage } from '../../http/send-page';
import { searchListings } from '../../marketplace/listing-search';
import { publicAnswer, rowsOf } from '../../marketplace/listings';
import type { Browsed } from '../../pages/listing-card';
import { browsePolicy, isFront, marketplacePage as render, type Shown } from '../../pages/marketplace-page';
import { unknownListPage } from '../../pages/unknown-list-page';
import { defaultSort } from '../../policy/listing-search';
import { read } from '../../records/database';
import { emptyState, marketplaceStateRef } from '../../records/marketplace-state';

const PAGE_SIZE = 24;
const WEEK_SIZE = 4;
const Input = listQuery.omit({ limit: true }).extend({
  previous: listQuery.shape.cursor.meta({ description: 'Cursor of the page before this one, for a link to it.' }),
});

export const marketplacePage = rawEndpoint({
  name: 'marketplacePage',
  about:
    'The page of the marketplace at `{marketplace_url}/marketplace`: the lists of listMarketplaceListings as HTML, ' +
    '24 listings a page. The lists of an author are at `{marketplace_url}/marketplace/by/{author}`.',
  input: Input,
  paths: { '': '', ByAuthor: '/by/{author}' },
  answers: pageAnswer('The page.'),
  errorTypes: pageErrorTypes,
  method: ['GET', 'HEAD'],
  caller: 'anyone',
  errors: ['invalid-argument', 'not-found'],
  runtime: { class: 'page' },
  cost: { roundTrips: 4, reads: 18, writes: 0 },

  async handle({ request, response }) {
    const segments = pageSegments(request, 'marketplace');
    if (segments.length > 0 && (segments[0] !== 'by' || segments.length !== 2)) return fail('not-found');
    const parsed = Input.safeParse(readFilters(request));
    if (!parsed.success) return failInput(parsed.error, 'query');
    const { previous, ...list } = parsed.data;
    const shown = await shownOn(list);
    // The address of an author without listings is mistyped, or the listings are gone.
    if (list.author !== undefined && shown.listings.length === 0 && isOnlyBy(list)) return fail('not-found');
    sendPage(response, request.method, {
      status: 200,
      html: render({ ...list, previous }, shown),
      policy: browsePolicy(),
      cacheControl: publicAnswer['Cache-Control'],
    });
  },

  handleError: sendListError,
});

const isOnlyBy = ({ author, sort, ...others }: Browsed) => isFront(others);

/** Reads the page. The first page of all listings also shows the decks of the week, and the words to browse. */
async function shownOn({ sort: wanted, cursor, ...search }: Browsed): Promise<Shown> {
  const sort = wanted ?? defaultSort(search);
  const isFirst = isFront({ ...search, sort, cursor });
  const [{ listings, nextCursor }, ofWeek, [state = emptyState]] = await Promise.all([
    searchListings(search, sort, PAGE_SIZE, cursor),
    isFirst ? searchListings({}, 'week', WEEK_SIZE, undefined) : undefined,
    isFirst || search.q !== undefined ? read(marketplaceStateRef()) : [],
  ]);
  // Both lists have authors in common: one read serves them.
  const all = await rowsOf([...listings, ...(ofWeek?.listings ?? [])]);
  const [rows, rowsOfWeek] = [all.slice(0, listings.length), all.slice(listings.length)];
  const isOffered = isFirst || rows.length === 0;
  return {
    listings: rows,
    nextCursor,
    authorName: search.author === undefined ? undefined : rows[0]?.author?.displayName,
    words: isOffered ? state : emptyState,
    ofWeek: rowsOfWeek.filter(({ weekRemixerCount }) => weekRemixerCount > 0),
  };
}

/**
 * The filters without the empty fields of the form, and with the author of the path. People write technologies with
 * capitals, so `stack` is converted to lower case.
 */
function readFilters(request: Request): Record<string, string> {
  const filled = [...query(request)].map(([name, value]) => [name, value.trim()] as const).filter(([, value]) => value);
  const filters = Object.fromEntries(filled);
  const [, author] = pageSegments(request, 'marketplace');
  return {
    ...filters,
    ...(filters['stack'] && { stack: filters['stack'].toLowerCase() }),
    ...(author !== undefined && { author }),
  };
}

/** Answers a wrong filter with a page that names it and offers lists. */
function sendListError(error: ServiceError, call: RawCall): void {
  if (error.code !== 'invalid-argument') return sendMarketplaceError(error, call);
  const filters = readFilters(call.request);
  const errors = (error.details?.['errors'] ?? []) as { location: string }[];
  const names = new Set(errors.map(({ location }) => location.replace('query.', '')));
  const wrong = Object.fromEntries(Object.entries(filters).filter(([name]) => names.has(name)));
  const right = Input.safeParse(Object.fromEntries(Object.entries(filters).filter(([name]) => !names.has(name))));
  sendErrorPage(call, error, {
    html: unknownListPage(
      wrong,
      right.success ? { ...right.data, cursor: undefined, previous: undefined } : {},
      call.requestId,
    ),
    policy: browsePolicy(),
    robots: 'noindex',
  });
}
