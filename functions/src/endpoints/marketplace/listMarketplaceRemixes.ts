import { listingRow, slug } from '../../contract/listings';
import { z } from 'zod';
import { endpoint } from '../../http/endpoint';
import { assertShown, pageOfListings, publicAnswer } from '../../marketplace/listings';
import { descendantToken } from '../../policy/listings';
import { read } from '../../records/database';
import { listingRef } from '../../records/listings';

/** The public listings that descend from a listing, remixes of remixes too, newest first; 100 a page. */

const PAGE = 100;

export const Input = z.object({ slug, cursor: z.string().optional() });

export const Answer = z.object({ slug: z.string(), remixes: z.array(listingRow), nextCursor: z.string().nullable() });

export const listMarketplaceRemixes = endpoint({
  name: 'listMarketplaceRemixes',
  method: 'GET',
  caller: 'anyone',
  path: ['slug'],
  input: Input,
  answer: Answer,
  errors: ['not-found', 'expired'],

  async handle({ input: { slug: of, cursor }, answerHeaders }) {
    const token = descendantToken(of);
    const [[listing], { rows, nextCursor }] = await Promise.all([
      read(listingRef(of)),
      pageOfListings(token, 'recent', PAGE, cursor),
    ]);
    assertShown(listing);
    Object.assign(answerHeaders, publicAnswer);
    return { slug: of, remixes: rows, nextCursor };
  },
});
