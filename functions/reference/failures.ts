import { z } from 'zod';
import type { oas31, ZodOpenApiResponseObject, ZodOpenApiResponsesObject } from 'zod-openapi';
import { example } from '../src/contract/example';
import { errorTable, type ErrorCode } from '../src/errors';
import type { EndpointDefinition, RawEndpointDefinition } from '../src/http/definition';
import { errorsOf, isInEnvelope } from '../src/http/errors-of';
import { errorDetails } from './error-details';
import { headersOf, headersOfStatus, isHeaderName } from './headers';
import { textOf } from './media-types';

export type Responses = Record<string, ZodOpenApiResponseObject>;

/** References to the error responses by status. `errors` collects the responses: many endpoints share them. */
export function failuresOf(
  definition: EndpointDefinition | RawEndpointDefinition,
  isHead: boolean,
  errors: Responses,
): ZodOpenApiResponsesObject {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of errorsOf(definition)) {
    const { status } = errorTable[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  const types = isInEnvelope(definition) ? undefined : definition.errorTypes;
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => {
      const forms = isHead ? ['head'] : (types ?? []).map((type) => type.replace('text/', ''));
      const more = (isInEnvelope(definition) ? undefined : definition.errorHeaders?.[status]) ?? [];
      const name = [...codes, ...forms, ...more].join('.');
      errors[name] ??= {
        description: codes.map((code) => `\`${code}\`: ${errorTable[code].message}`).join(' '),
        headers: headersOf(
          'X-Request-Id',
          'Cache-Control',
          ...(headersOfStatus[status] ?? []),
          ...more.filter(isHeaderName),
        ),
        'x-codes': codes,
        ...(!isHead && { content: types ? textOf(types) : { 'application/json': errorContent(codes) } }),
      };
      return [String(status), { $ref: `#/components/responses/${name}` }];
    }),
  );
}

const schemaName = (code: ErrorCode) => `Error.${code}`;
const referTo = (code: ErrorCode) => ({ $ref: `#/components/schemas/${schemaName(code)}` });

/** The envelope of an error with one of the codes. */
const errorContent = (codes: readonly ErrorCode[]) => ({
  schema: {
    type: 'object' as const,
    required: ['success', 'error'],
    properties: {
      success: { type: 'boolean' as const, const: false, description: 'Always false.' },
      error:
        codes.length === 1
          ? referTo(codes[0]!)
          : {
              description: 'The error. `code` tells which one.',
              oneOf: codes.map(referTo),
              discriminator: {
                propertyName: 'code',
                mapping: Object.fromEntries(codes.map((code) => [code, referTo(code).$ref])),
              },
            },
    },
  },
  examples: Object.fromEntries(codes.map((code) => [code, { $ref: `#/components/examples/${code}` }])),
});

/** The codes that the responses answer as JSON. */
export const codesIn = (errors: Responses): ErrorCode[] => [
  ...new Set(
    Object.values(errors).flatMap(({ content, 'x-codes': codes }) =>
      content?.['application/json'] ? (codes as ErrorCode[]) : [],
    ),
  ),
];

/** The schemas of the errors, by their names in the document. */
export const errorSchemasOf = (codes: readonly ErrorCode[]) =>
  Object.fromEntries(codes.map((code) => [schemaName(code), errorSchemaOf(code)]));

/** An empty example of each code. `complete` composes it of the examples of the fields. */
export const errorExamplesOf = (codes: readonly ErrorCode[]): Record<string, oas31.ExampleObject> =>
  Object.fromEntries(codes.map((code) => [code, { summary: errorTable[code].message, 'x-schema': schemaName(code) }]));

function errorSchemaOf(code: ErrorCode): z.ZodType {
  const { status, message, nextAction } = errorTable[code];
  const isOneTimeCodeFlow = code === code.toUpperCase();
  const details = errorDetails[code];
  return z
    .object({
      code: z.literal(code).meta({ description: 'The code of the error.' }),
      ...(isOneTimeCodeFlow && { status: z.literal(status).meta({ description: 'The HTTP status.' }) }),
      message: z.string().meta({ description: 'The problem, as a sentence.', example: message }),
      nextAction: z.string().meta({ description: 'The next step of the caller.', example: nextAction }),
      ...(details && { details }),
      ...(code === 'conflict' && {
        serverVersion: z
          .int()
          .optional()
          .meta({ description: 'The current version of the deck. Only with a stale base version.', example: 6 }),
      }),
      requestId: z.uuidv7().meta({ description: 'Id of the request.', example: example.requestId }),
    })
    .meta({ description: message });
}
