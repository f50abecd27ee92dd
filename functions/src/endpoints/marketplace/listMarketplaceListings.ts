import { z } from 'zod';
import { nextCursor } from '../../contract/fields';
import { listingRow, listQuery } from '../../contract/listings';
import { endpoint } from '../../http/endpoint';
import { searchPage } from '../../marketplace/listing-search';
import { publicAnswer } from '../../marketplace/listings';

export const Input = listQuery;

export const Answer = z.object({
  listings: z.array(listingRow).meta({ description: 'The listings of the page, in the requested order.' }),
  nextCursor,
});

export const listMarketplaceListings = endpoint({
  name: 'listMarketplaceListings',
  about:
    'Lists the public listings that match the words of `q` and all filters. With several words, or with words and ' +
    'filters, a page may have fewer listings than `limit`, or none, although others follow: `nextCursor` continues. ' +
    'An answer may be 60 seconds old.',
  command: 'deck search revenue --kind presentation',
  method: 'GET',
  caller: 'anyone',
  input: Input,
  answer: Answer,
  errors: [],
  runtime: { class: 'hot' },
  cost: { roundTrips: 2, reads: 4, writes: 0 },

  async handle({ input: { sort, limit, cursor, ...search }, answerHeaders }) {
    const { rows, nextCursor } = await searchPage(search, sort, limit, cursor);
    Object.assign(answerHeaders, publicAnswer);
    return { listings: rows, nextCursor };
  },
});
