import type { ZodOpenApiObject } from 'zod-openapi';
import { example } from '../src/contract/example';

type Components = NonNullable<ZodOpenApiObject['components']>;

const text = (description: string, ...examples: string[]) =>
  ({ description, schema: { type: 'string', examples } }) as const;

/** A header that every answer has which names it. */
const always = (description: string, ...examples: string[]) =>
  ({ ...text(description, ...examples), required: true }) as const;

/** The headers of answers. */
export const headers = {
  'X-Request-Id': {
    description: 'Id of the request, a UUIDv7. The log of the service contains the same id.',
    required: true,
    schema: { type: 'string', format: 'uuid', examples: [example.requestId] },
  },
  'Accept-Ranges': text('`bytes`: the file can be requested in ranges.', 'bytes'),
  Allow: always('The methods that the address allows.', 'POST, OPTIONS'),
  'Cache-Control': always('How long caches may keep the answer.', 'private, max-age=300, must-revalidate'),
  'Content-Disposition': text('The name under which a browser saves the file.', 'attachment; filename="views.csv"'),
  'Content-Length': {
    description: 'Number of bytes of the body. Left out when the platform sends the body in chunks.',
    schema: { type: 'integer', examples: [1834] },
  },
  'Content-Range': always(
    'The range of the body in the file, or `bytes */<size>` with the status 416.',
    'bytes 0-99/1834',
  ),
  'Content-Security-Policy': text(
    'The sandbox of the page. Only on types that a browser could run as a page: HTML, SVG, XML and unknown types.',
    'sandbox allow-scripts',
  ),
  'Deck-Live': text('The ticket for followLiveSession. Only while a live session of the link runs.', 'eyJ…'),
  ETag: text('Validator of the answer, for `If-None-Match`.', `"${example.hash}"`),
  'Idempotency-Replayed': text(
    '`true` when the answer is the stored answer of an earlier call with the same Idempotency-Key.',
    'true',
  ),
  Location: always('Address to request instead.', `${example.slug}/`),
  'Retry-After': {
    description: 'Seconds to wait before the next try. Equal to `details.retryInSeconds`.',
    schema: { type: 'integer', minimum: 1, examples: [17] },
  },
  RateLimit: text(
    'Remaining requests and seconds until the limit resets (IETF RateLimit fields).',
    '"default";r=0;t=17',
  ),
  'RateLimit-Policy': text('Requests and seconds of the limit (IETF RateLimit fields).', '"default";q=1;w=30'),
  'Set-Cookie': text(
    'A cookie of this host that scripts cannot read: the grant that opens the deck on its origin, or the session of ' +
      'the dashboard.',
    '__Host-deck=…; Secure; HttpOnly; SameSite=Lax; Path=/; Max-Age=2592000',
  ),
  'WWW-Authenticate': always('How to authenticate.', 'Bearer'),
  'X-Service-Sha256': text('The requested hash.', example.hash),
} as const satisfies Components['headers'];

export type HeaderName = keyof typeof headers;

export const isHeaderName = (name: string): name is HeaderName => Object.hasOwn(headers, name);

/** References to the described headers. */
export const headersOf = (...names: readonly HeaderName[]) =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

/** The headers that an error of a status carries. */
export const headersOfStatus: Partial<Record<number, readonly HeaderName[]>> = {
  401: ['WWW-Authenticate'],
  405: ['Allow'],
  416: ['Content-Range'],
  429: ['Retry-After', 'RateLimit', 'RateLimit-Policy'],
};

/** The headers of requests, by the names under which operations refer to them. */
export const requestHeaders = {
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'Makes the call idempotent. Within 24 hours the same caller, key and body get the stored success answer, ' +
      'without the secrets that the service returns once. The same key with another body answers 409 `conflict`.',
    schema: {
      type: 'string',
      minLength: 1,
      maxLength: 256,
      pattern: '^[\\x21-\\x7e]+$',
      examples: ['push-2026-03-14-1'],
    },
  },
  IfNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    description: 'The `ETag` of an earlier answer. When it is the current one, the answer is 304 without a body.',
    schema: { type: 'string', examples: [`"${example.hash}"`] },
  },
  Range: {
    name: 'Range',
    in: 'header',
    description:
      'One range of bytes: `bytes=a-b`, `bytes=a-` or `bytes=-n`. Several ranges or another unit are ignored.',
    schema: { type: 'string', examples: ['bytes=0-99'] },
  },
  IfRange: {
    name: 'If-Range',
    in: 'header',
    description:
      'The `ETag` of the file to which `Range` applies. When the file has another `ETag`, the answer is the whole ' +
      'file.',
    schema: { type: 'string', examples: [`"${example.hash}"`] },
  },
} as const satisfies Components['parameters'];

export const requestHeadersOf = (...names: readonly (keyof typeof requestHeaders)[]) =>
  names.map((name) => ({ $ref: `#/components/parameters/${name}` }));
