import { z } from 'zod';
import { nextCursor } from '../../contract/fields';
import { listingRow, listQuery } from '../../contract/listings';
import { endpoint } from '../../http/endpoint';
import { searchPage } from '../../marketplace/listing-search';
import { defaultSort } from '../../policy/listing-search';
import { publicAnswer } from '../../marketplace/listings';

export const Input = listQuery;

export const Answer = z.object({
  listings: z.array(listingRow).meta({ description: 'The listings of the page, in the requested order.' }),
  nextCursor,
});

export const listMarketplaceListings = endpoint({
  name: 'listMarketplaceListings',
  about:
    'Lists the public listings that match the words of `q` and all filters. A page with `q` may be empty although ' +
    'others follow, when the search has not read all listings yet: `nextCursor` continues. An answer may be 60 seconds old.',
  command: 'deck search revenue --kind presentation',
  method: 'GET',
  caller: 'anyone',
  input: Input,
  answer: Answer,
  errors: [],
  runtime: { class: 'hot' },
  cost: { roundTrips: 2, reads: 8, writes: 0 },

  async handle({ input: { sort: wanted, limit, cursor, ...search }, answerHeaders }) {
    const { rows, nextCursor } = await searchPage(search, wanted ?? defaultSort(search), limit, cursor);
    Object.assign(answerHeaders, publicAnswer);
    return { listings: rows, nextCursor };
  },
});
