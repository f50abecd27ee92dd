import { listingRow, listQuery } from '../../contract/listings';
import { z } from 'zod';
import { endpoint } from '../../http/endpoint';
import { pageOfListings, publicAnswer } from '../../marketplace/listings';
import { filterToken } from '../../policy/listings';

/** A page of the public listings that pass every filter. One query that reads a document more than the page has. */

export const Input = listQuery;

export const Answer = z.object({ listings: z.array(listingRow), nextCursor: z.string().nullable() });

export const listMarketplaceListings = endpoint({
  name: 'listMarketplaceListings',
  method: 'GET',
  caller: 'anyone',
  input: Input,
  answer: Answer,
  errors: [],

  async handle({ input: { sort, limit, cursor, ...filter }, answerHeaders }) {
    const { rows, nextCursor } = await pageOfListings(filterToken(filter), sort, limit, cursor);
    Object.assign(answerHeaders, publicAnswer);
    return { listings: rows, nextCursor };
  },
});
