import { z } from 'zod';
import { endpoint } from '../../http/endpoint';
import { category, listingRow, pageOfListings, PUBLIC_ANSWER, tag, technology } from '../../http/listings';
import { filterToken, listingKinds, listingSorts } from '../../policy/listings';

/** A page of the public listings that pass every filter. One query that reads a document more than the page has. */

export const Input = z.object({
  kind: z.enum(listingKinds).optional(),
  interactive: z
    .enum(['true', 'false'])
    .transform((text) => text === 'true')
    .optional(),
  category: category.optional(),
  tag: tag.optional(),
  stack: technology.optional(),
  sort: z.enum(listingSorts).default('recent'),
  limit: z.coerce.number().int().min(1).max(100).default(20),
  cursor: z.string().optional(),
});

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
    Object.assign(answerHeaders, PUBLIC_ANSWER);
    return { listings: rows, nextCursor };
  },
});
