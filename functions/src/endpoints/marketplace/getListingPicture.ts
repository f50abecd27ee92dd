import { z } from 'zod';
import { fileAnswers } from '../../contract/file-answers';
import { slug } from '../../contract/listings';
import { rawEndpoint } from '../../http/endpoint';
import { failInput } from '../../http/envelope';
import { pathFields } from '../../http/request';
import { deliveryOf, sendFile, setViewerHeaders } from '../../http/send-file';
import { slideOfListing } from '../../marketplace/listing-slides';
import { assertShown } from '../../marketplace/shown-listing';
import { slideLimits } from '../../policy/slide-pictures';
import { readFor } from '../../records/database';
import { listingRef } from '../../records/listings';

const Input = z.object({
  slug,
  n: z
    .string()
    .regex(/^[1-9]\d?$/, 'A picture has a whole number from 1 on.')
    .transform(Number)
    .meta({
      description: `Number of the picture, from 1 to at most ${slideLimits.listed}.`,
      example: 1,
      override: { type: 'integer', minimum: 1, maximum: 99, pattern: undefined },
    }),
});

export const getListingPicture = rawEndpoint({
  name: 'getListingPicture',
  about:
    'Returns the picture of one of the first slides of a listing: a WebP of at most 640 × 360 pixels. The call needs no ' +
    'key; shared caches may keep an answer for 1 hour.',
  input: Input,
  paths: { '': '/{slug}/{n}' },
  hasNoQuery: true,
  answers: { 200: fileAnswers[200], 206: fileAnswers[206], 304: fileAnswers[304] },
  method: ['GET', 'HEAD'],
  caller: 'anyone',
  errors: ['invalid-argument', 'not-found', 'expired', 'range-not-satisfiable'],
  runtime: { class: 'read' },
  cost: { roundTrips: 2, reads: 2, writes: 0, bucketCalls: 1 },

  async handle({ context, request, response }) {
    const parsed = Input.safeParse(pathFields(request, ['slug', 'n']));
    if (!parsed.success) return failInput(parsed.error, 'query');
    const [found] = await readFor(context, listingRef(parsed.data.slug));
    const listing = assertShown(found);
    const file = await slideOfListing(context, listing, parsed.data.n);
    setViewerHeaders(response);
    await sendFile(request, response, {
      context,
      presentationId: listing.presentationId,
      file,
      place: 'slides',
      delivery: deliveryOf(request, file),
      cacheControl: 'public, max-age=300, s-maxage=3600',
    });
  },
});
