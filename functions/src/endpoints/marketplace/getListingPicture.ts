import { z } from 'zod';
import { fileUrlOf, slidePath, slug } from '../../contract/listings';
import { rawEndpoint } from '../../http/endpoint';
import { failInput } from '../../http/envelope';
import { redirect } from '../../http/redirect';
import { pathFields } from '../../http/request';
import { slideLimits } from '../../policy/slide-pictures';

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
    'Leads to the picture of one of the first slides of a listing: a WebP of at most 640 × 360 pixels among the files ' +
    'of getMarketplaceListingContent. That address answers 404 when the listing has no such picture.',
  input: Input,
  paths: { '': '/{slug}/{n}' },
  hasNoQuery: true,
  answers: {
    302: { description: '`Location` is the address of the picture.', headers: ['Location', 'Cache-Control'] },
  },
  method: ['GET', 'HEAD'],
  caller: 'anyone',
  errors: ['invalid-argument', 'not-found'],
  runtime: { class: 'read' },
  cost: { roundTrips: 0, reads: 0, writes: 0 },

  async handle({ request, response }) {
    const parsed = Input.safeParse(pathFields(request, ['slug', 'n']));
    if (!parsed.success) return failInput(parsed.error, 'query');
    redirect(response, {
      status: 302,
      location: fileUrlOf(parsed.data.slug, slidePath(parsed.data.n)),
      cacheControl: 'public, max-age=300, s-maxage=3600',
    });
  },
});
