import type { ZodOpenApiMediaTypeObject } from 'zod-openapi';

/** What the body of a media type is, in words, with an example. */
const bodies: Record<string, { description: string; example: string }> = {
  'text/html': { description: 'An HTML page for people.', example: '<!doctype html><title>Sales, Q3</title>' },
  'text/plain': { description: 'A sentence for people.', example: 'This link was revoked.' },
  'text/xml': { description: 'An oEmbed answer.', example: '<oembed><version>1.0</version></oembed>' },
  'application/xml': {
    description: 'A sitemap, or an index of sitemaps.',
    example: '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"></urlset>',
  },
  'application/atom+xml': {
    description: 'An Atom feed.',
    example: '<feed xmlns="http://www.w3.org/2005/Atom"></feed>',
  },
};

/** The contents of an answer that is not JSON. The body of any other type, such as a file, has no schema. */
export const textOf = (types: readonly string[]): Record<string, ZodOpenApiMediaTypeObject> =>
  Object.fromEntries(
    types.map((type) => {
      const body = bodies[type];
      if (!body) return [type, {}];
      const { description, example } = body;
      return [type, { schema: { type: 'string', contentMediaType: type, description }, example }];
    }),
  );
