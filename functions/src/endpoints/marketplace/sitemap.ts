import { z } from 'zod';
import { fail } from '../../errors';
import { rawEndpoint } from '../../http/endpoint';
import { onlySegments } from '../../http/request';
import { sendDocument } from '../../http/send-document';
import { sitemapIndex, sitemapPart } from '../../pages/sitemap';
import { extendSitemapParts, listingsOfPart, PART_SIZE, readSitemapParts } from '../../records/sitemap-parts';

const INDEX = 'sitemap.xml';

const Input = z.object({
  part: z.coerce
    .number()
    .int()
    .positive()
    .optional()
    .meta({ description: 'Number of a part. The first is 1.', example: 1 }),
});

export const sitemap = rawEndpoint({
  name: 'sitemap',
  about:
    'The sitemap of the site at `{marketplace_url}/sitemap.xml`: an index of parts. ' +
    `\`/sitemap-listings-{part}.xml\` has the pages of about ${PART_SIZE} public listings, in the order of their ` +
    'publication.',
  input: Input,
  paths: { '': `/${INDEX}`, Part: '/sitemap-listings-{part}.xml' },
  hasNoQuery: true,
  answers: {
    200: {
      description: 'The index, or a part.',
      contentTypes: ['application/xml'],
      headers: ['Cache-Control', 'Content-Length'],
    },
  },
  method: ['GET', 'HEAD'],
  caller: 'anyone',
  errors: ['not-found'],
  cost: { roundTrips: 2, reads: 2, writes: 0 },

  async handle({ request, response }) {
    const [file] = onlySegments(request, 1);
    sendDocument(response, request.method, {
      contentType: 'application/xml; charset=utf-8',
      text: file === INDEX ? await index() : await part(file),
      cacheControl: 'public, max-age=3600',
    });
  },
});

async function index(): Promise<string> {
  const starts = await extendSitemapParts(await readSitemapParts());
  return sitemapIndex(starts.length + 1);
}

async function part(file = ''): Promise<string> {
  const number = Number(/^sitemap-listings-([1-9]\d{0,6})\.xml$/.exec(file)?.[1] ?? fail('not-found'));
  const starts = await readSitemapParts();
  if (number > starts.length + 1) fail('not-found');
  return sitemapPart(await listingsOfPart(starts, number - 1), number === 1);
}
