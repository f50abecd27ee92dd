import { z } from 'zod';
import type { ZodOpenApiResponsesObject } from 'zod-openapi';
import type { EndpointDefinition, RawEndpointDefinition } from '../src/http/definition';
import { isInEnvelope } from '../src/http/errors-of';
import { headersOf, isHeaderName } from './headers';
import { textOf } from './media-types';
import type { Method } from './requests';

/** The answers of an operation that are not errors. */
export function successOf(
  definition: EndpointDefinition | RawEndpointDefinition,
  method: Method,
): ZodOpenApiResponsesObject {
  if (!isInEnvelope(definition)) return rawAnswersOf(definition, method);
  const { answer, isIdempotent, isConditional, isAccepted, setsCookies } = definition;
  const more = [
    ...(isIdempotent ? (['Idempotency-Replayed'] as const) : []),
    ...(isConditional ? (['ETag'] as const) : []),
    ...(setsCookies ? (['Set-Cookie'] as const) : []),
  ];
  const data = z.object({
    success: z.literal(true).meta({ description: 'Always true.' }),
    data: answer,
  });
  return {
    [isAccepted ? 202 : 200]: {
      description: isAccepted ? 'Accepted: a job does the work.' : 'Success.',
      headers: headersOf('X-Request-Id', 'Cache-Control', ...more),
      content: { 'application/json': { schema: data } },
    },
    ...(isConditional && {
      304: {
        description: 'The `ETag` in `If-None-Match` is the current `ETag` of the answer.',
        headers: headersOf('X-Request-Id', 'Cache-Control', 'ETag'),
      },
    }),
  };
}

function rawAnswersOf({ answers }: RawEndpointDefinition, method: Method): ZodOpenApiResponsesObject {
  const statuses = Object.entries(answers).filter(([status]) => method !== 'head' || status !== '206');
  return Object.fromEntries(
    statuses.map(([status, { description, contentTypes, headers: names = [] }]) => [
      status,
      {
        description,
        headers: headersOf('X-Request-Id', ...names.filter(isHeaderName)),
        ...(contentTypes && method !== 'head' && { content: textOf(contentTypes) }),
      },
    ]),
  );
}
