import { z } from 'zod';
import { config } from '../../config';
import { example } from '../../contract/example';
import { pictureUrlOf } from '../../contract/listings';
import { fail } from '../../errors';
import { rawEndpoint } from '../../http/endpoint';
import { failInput } from '../../http/envelope';
import { query } from '../../http/request';
import { sendDocument } from '../../http/send-document';
import { contentUrl, ownerOf } from '../../marketplace/listings';
import { assertShown } from '../../marketplace/shown-listing';
import { oembedJson, oembedXml } from '../../pages/oembed';
import { authorIdOf } from '../../policy/listings';
import { read } from '../../records/database';
import { listingRef, type Listing } from '../../records/listings';
import { isSlug } from '../../values/slugs';

const pixels = (what: string) =>
  z.coerce
    .number()
    .int()
    .positive()
    .optional()
    .meta({ description: `The largest ${what} of the frame, in pixels.`, example: 640 });

const Input = z.object({
  url: z.string({ error: 'The address of a listing is needed.' }).meta({
    description: 'Address of the page of a public listing.',
    example: `https://decks.example.com/marketplace/${example.slug}`,
  }),
  format: z.enum(['json', 'xml']).default('json').meta({ description: 'Format of the answer.', example: 'json' }),
  maxwidth: pixels('width'),
  maxheight: pixels('height'),
});

const types = { json: 'application/json; charset=utf-8', xml: 'text/xml; charset=utf-8' };

export const oembed = rawEndpoint({
  name: 'oembed',
  about:
    'The oEmbed 1.0 endpoint at `{marketplace_url}/oembed`: the frame with which a page of another site shows the ' +
    'deck of a public listing. The deck has an opaque origin there. The answer has a thumbnail when the listing has a ' +
    'picture that is not larger than the frame may be. The page of the listing names this address.',
  input: Input,
  paths: { '': '' },
  answers: {
    200: {
      description: 'The answer of the type `rich`, without the envelope of other calls.',
      contentTypes: ['application/json', 'text/xml'],
      headers: ['Cache-Control', 'Content-Length'],
    },
  },
  method: ['GET', 'HEAD'],
  caller: 'anyone',
  errors: ['invalid-argument', 'not-found', 'expired'],
  cost: { roundTrips: 2, reads: 3, writes: 0 },

  async handle({ request, response }) {
    const parsed = Input.safeParse(Object.fromEntries(query(request)));
    if (!parsed.success) return failInput(parsed.error, 'query');
    const { url, format, ...limits } = parsed.data;
    const slug = slugIn(url) ?? fail('not-found');
    const [found] = await read(listingRef(slug));
    const listing = assertShown(found);
    if (listing.status !== 'public') return fail('not-found');
    const { displayName } = await ownerOf(listing);
    const embedded = {
      title: listing.title,
      author: { authorId: authorIdOf(listing.ownerId), displayName },
      deckUrl: contentUrl(listing),
      thumbnail: thumbnailOf(listing),
    };
    sendDocument(response, request.method, {
      contentType: types[format],
      text: format === 'json' ? oembedJson(embedded, limits) : oembedXml(embedded, limits),
      cacheControl: 'public, max-age=300',
    });
  },
});

/** The picture of the listing. Undefined when it has none. */
function thumbnailOf({ slug, picture }: Listing) {
  return picture ? { url: pictureUrlOf(slug, picture), ...picture.pixels } : undefined;
}

/** The slug in the address of a listing's page on this site, whatever query and fragment follow it. */
function slugIn(url: string): string | undefined {
  const pages = `${config.marketplaceUrl()}/marketplace/`;
  const { href } = URL.parse(url) ?? {};
  const slug = href?.startsWith(pages) ? href.slice(pages.length).replace(/\/?([?#].*)?$/s, '') : '';
  return isSlug(slug) ? slug : undefined;
}
