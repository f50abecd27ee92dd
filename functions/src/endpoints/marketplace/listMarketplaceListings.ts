import { z } from 'zod';
import { nextCursor } from '../../contract/fields';
import { listingRow, listQuery } from '../../contract/listings';
import { endpoint } from '../../http/endpoint';
import { pageOfListings, publicAnswer } from '../../marketplace/listings';
import { filterToken } from '../../policy/listings';

export const Input = listQuery;

export const Answer = z.object({
  listings: z.array(listingRow).meta({ description: 'The listings of the page, in the requested order.' }),
  nextCursor,
});

export const listMarketplaceListings = endpoint({
  name: 'listMarketplaceListings',
  about: 'Lists the public listings that match all filters. An answer may be 60 seconds old.',
  method: 'GET',
  caller: 'anyone',
  input: Input,
  answer: Answer,
  errors: [],
  runtime: { class: 'hot' },

  async handle({ input: { sort, limit, cursor, ...filter }, answerHeaders }) {
    const { rows, nextCursor } = await pageOfListings(filterToken(filter), sort, limit, cursor);
    Object.assign(answerHeaders, publicAnswer);
    return { listings: rows, nextCursor };
  },
});
