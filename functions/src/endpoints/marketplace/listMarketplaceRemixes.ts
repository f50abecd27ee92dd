import { z } from 'zod';
import { example } from '../../contract/example';
import { nextCursor } from '../../contract/fields';
import { answeredSlug, listingCursor, listingRow, slug } from '../../contract/listings';
import { endpoint } from '../../http/endpoint';
import { pageOfListings, publicAnswer } from '../../marketplace/listings';
import { assertShown } from '../../marketplace/shown-listing';
import { descendantToken } from '../../policy/listings';
import { read } from '../../records/database';
import { listingRef } from '../../records/listings';

const PAGE_SIZE = 100;

export const Input = z.object({ slug, cursor: listingCursor.optional() });

export const Answer = z.object({
  slug: answeredSlug,
  remixes: z.array(listingRow).meta({ description: 'The remixes of the page, newest first.' }),
  nextCursor,
});

export const listMarketplaceRemixes = endpoint({
  name: 'listMarketplaceRemixes',
  about:
    'Lists the public listings that were remixed from a listing, directly or through other listings. A page has ' +
    '100 listings.',
  command: `deck remixes ${example.slug}`,
  method: 'GET',
  caller: 'anyone',
  path: ['slug'],
  input: Input,
  answer: Answer,
  errors: ['not-found', 'expired'],
  cost: { roundTrips: 2, reads: 2, writes: 0 },

  async handle({ input: { slug: of, cursor }, answerHeaders }) {
    const [found] = await read(listingRef(of));
    const token = descendantToken(of, assertShown(found).generation);
    const { rows, nextCursor } = await pageOfListings(token, 'recent', PAGE_SIZE, cursor);
    Object.assign(answerHeaders, publicAnswer);
    return { slug: of, remixes: rows, nextCursor };
  },
});
