import { z } from 'zod';
import {
  createDocument,
  type oas31,
  type ZodOpenApiObject,
  type ZodOpenApiPathsObject,
  type ZodOpenApiOperationObject,
  type ZodOpenApiOverrideContext,
  type ZodOpenApiResponseObject,
  type ZodOpenApiResponsesObject,
} from 'zod-openapi';
import { example } from '../src/contract/example';
import { errorTable, type ErrorCode } from '../src/errors';
import { bodyLimitOf } from '../src/http/body';
import type { CallerRule, EndpointDefinition, RawEndpointDefinition } from '../src/http/definition';
import { errorsOf, isInEnvelope } from '../src/http/errors-of';
import * as functions from '../src/index';
import { KB, MB } from '../src/values/units';
import { areas } from './areas';
import { exampleOf, resolve } from './examples';
import { headers, headersOf, headersOfStatus, isHeaderName, requestHeaders, requestHeadersOf } from './headers';
import { intro } from './intro';

type Definition = EndpointDefinition | RawEndpointDefinition;

type Responses = Record<string, ZodOpenApiResponseObject>;

/** One address of an endpoint. The fields of `input` that `names` lists are in the path, the others in the query. */
interface Form {
  template: string;
  names: string[];
  operationId: string;
}

/** The OpenAPI document of all endpoints, in the order of `areas`. */
export function openApiDocument(): oas31.OpenAPIObject {
  const paths: ZodOpenApiPathsObject = {};
  const errors: Responses = {};
  for (const { name: tag, endpoints } of areas) {
    for (const name of endpoints) {
      const definition = functions[name].definition as unknown as Definition;
      for (const form of formsOf(definition)) {
        for (const method of methodsOf(definition)) {
          const operation = operationOf(definition, method, form, tag, errors);
          (paths[`/${name}${form.template}`] ??= {})[method] = operation;
        }
      }
    }
  }
  const components = { ...frame.components, responses: errors };
  const document = createDocument({ ...frame, components, paths }, { override: simplify });
  complete(document);
  return document;
}

const frame = {
  openapi: '3.1.0',
  info: { title: 'Presentation hosting service', version: '1', description: intro },
  servers: [
    {
      url: '{base_url}',
      description: 'The base address of the service. The default is that of the local service.',
      variables: { base_url: { default: 'http://127.0.0.1:5001/demo-decks/us-central1' } },
    },
  ],
  tags: areas.map(({ name, about }) => ({ name, description: about })),
  components: {
    headers,
    parameters: requestHeaders,
    securitySchemes: {
      apiKey: { type: 'http', scheme: 'bearer', description: 'An API key: `cko_…`.' },
      dashboardSession: {
        type: 'http',
        scheme: 'bearer',
        description: 'The token of a dashboard session: `cks_…`, from createDashboardSession.',
      },
    },
    schemas: { Error: errorSchema() },
    examples: Object.fromEntries(Object.keys(errorTable).map((code) => [code, errorExample(code as ErrorCode)])),
  },
} satisfies ZodOpenApiObject;

// ---- Operations

function operationOf(
  definition: Definition,
  method: 'get' | 'post' | 'head',
  form: Form,
  tag: string,
  errors: Responses,
): ZodOpenApiOperationObject {
  const { name, about, caller } = definition;
  return {
    operationId: form.operationId + suffixOf(definition, method),
    summary: name,
    description: about,
    tags: [tag],
    'x-endpoint': name,
    'x-caller': callerText(caller),
    security: securityOf(caller),
    ...requestOf(definition, method, form),
    responses: { ...successOf(definition, method), ...failuresOf(definition, errors) },
  };
}

/** Tells the operations of an endpoint with several methods apart. */
function suffixOf(definition: Definition, method: 'get' | 'post' | 'head'): string {
  if (method === 'head') return 'Head';
  return method === 'post' && methodsOf(definition).includes('get') ? 'Post' : '';
}

const methodsOf = ({ method }: Definition) =>
  [method].flat().map((each) => each.toLowerCase() as 'get' | 'post' | 'head');

/** An endpoint in the envelope with `path` has two forms: with path parameters, and with all fields in the query. */
function formsOf(definition: Definition): Form[] {
  const { name } = definition;
  const ofPath = ({ path }: { path?: readonly string[] | undefined }): Readonly<Record<string, string>> =>
    path ? { '': path.map((each) => `/{${each}}`).join(''), ByQuery: '' } : { '': '' };
  const templates = isInEnvelope(definition) ? ofPath(definition) : (definition.paths ?? { '': '' });
  return Object.entries(templates).map(([suffix, template]) => ({
    template,
    names: [...template.matchAll(/\{(\w+)\}/g)].map(([, each]) => each!),
    operationId: name + suffix,
  }));
}

function requestOf(definition: Definition, method: 'get' | 'post' | 'head', { names }: Form) {
  const { input } = definition;
  // A raw endpoint with paths reads everything from the address, whatever the method is.
  if (method === 'post' && (isInEnvelope(definition) || !definition.paths)) {
    const parameters = isInEnvelope(definition) && definition.isIdempotent ? requestHeadersOf('IdempotencyKey') : [];
    const hasFields = !(input instanceof z.ZodObject) || Object.keys(input.shape).length > 0;
    return {
      ...(parameters.length > 0 && { parameters }),
      ...(input &&
        hasFields && {
          requestBody: {
            description: `The body has at most ${readableSize(bodyLimitOf(definition))}.`,
            required: true,
            content: { [bodyTypeOf(definition)]: { schema: input } },
          },
        }),
    };
  }
  const fields = Object.entries(input instanceof z.ZodObject ? input.shape : {});
  const pick = (isInPath: boolean) =>
    z.object(Object.fromEntries(fields.filter(([name]) => names.includes(name) === isInPath)));
  return {
    requestParams: { path: pick(true), query: pick(false) },
    parameters: method === 'post' ? [] : conditionsOf(definition, method),
  };
}

const readableSize = (bytes: number) => (bytes < MB ? `${bytes / KB} KB` : `${bytes / MB} MB`);

function bodyTypeOf(definition: Definition): string {
  if (!isInEnvelope(definition)) return 'application/x-www-form-urlencoded';
  return definition.read ? 'multipart/form-data' : 'application/json';
}

/** The headers that make a request conditional, or ask for a range. */
function conditionsOf(definition: Definition, method: 'get' | 'head') {
  if (isInEnvelope(definition)) return definition.isConditional ? requestHeadersOf('IfNoneMatch') : [];
  if (!definition.answers[206]) return [];
  return requestHeadersOf('IfNoneMatch', ...(method === 'get' ? (['Range', 'IfRange'] as const) : []));
}

function successOf(definition: Definition, method: 'get' | 'post' | 'head'): ZodOpenApiResponsesObject {
  if (!isInEnvelope(definition)) return rawAnswersOf(definition, method);
  const { answer, isIdempotent, isConditional } = definition;
  const more = [
    ...(isIdempotent ? (['Idempotency-Replayed'] as const) : []),
    ...(isConditional ? (['ETag', 'Cache-Control'] as const) : []),
  ];
  const data = z.object({
    success: z.literal(true).meta({ description: 'Always true.' }),
    data: answer,
  });
  return {
    200: {
      description: 'Success.',
      headers: headersOf('X-Request-Id', ...more),
      content: { 'application/json': { schema: data } },
    },
    ...(isConditional && {
      304: {
        description: 'The `ETag` in `If-None-Match` is the current `ETag` of the answer.',
        headers: headersOf('X-Request-Id', 'ETag'),
      },
    }),
  };
}

function rawAnswersOf({ answers }: RawEndpointDefinition, method: 'get' | 'post' | 'head'): ZodOpenApiResponsesObject {
  const statuses = Object.entries(answers).filter(([status]) => method !== 'head' || status !== '206');
  return Object.fromEntries(
    statuses.map(([status, { description, contentType, headers: names = [] }]) => [
      status,
      {
        description,
        headers: headersOf('X-Request-Id', ...names.filter(isHeaderName)),
        ...(contentType && method !== 'head' && { content: { [contentType]: {} } }),
      },
    ]),
  );
}

// ---- Errors

/** References to the error responses by status. `errors` collects the responses: many endpoints share them. */
function failuresOf(definition: Definition, errors: Responses): ZodOpenApiResponsesObject {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of errorsOf(definition)) {
    const { status } = errorTable[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  const types = isInEnvelope(definition) ? undefined : definition.errorTypes;
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => {
      const name = [...codes, ...(types ?? []).map((type) => type.replace('text/', ''))].join('.');
      errors[name] ??= {
        description: codes.map((code) => `\`${code}\`: ${errorTable[code].message}`).join(' '),
        headers: headersOf('X-Request-Id', ...(headersOfStatus[status] ?? [])),
        'x-codes': codes,
        content: types
          ? Object.fromEntries(types.map((type) => [type, {}]))
          : { 'application/json': errorContent(codes) },
      };
      return [String(status), { $ref: `#/components/responses/${name}` }];
    }),
  );
}

const errorContent = (codes: readonly ErrorCode[]) => ({
  schema: {
    allOf: [{ $ref: '#/components/schemas/Error' }],
    properties: { error: { type: 'object' as const, properties: { code: { enum: [...codes] } } } },
  },
  examples: Object.fromEntries(codes.map((code) => [code, { $ref: `#/components/examples/${code}` }])),
});

function errorExample(code: ErrorCode) {
  const { status, message, nextAction } = errorTable[code];
  const isOneTimeCodeFlow = code === code.toUpperCase();
  return {
    summary: message,
    value: {
      success: false,
      error: { code, ...(isOneTimeCodeFlow && { status }), message, nextAction, requestId: example.requestId },
    },
  };
}

function errorSchema() {
  return z
    .object({
      success: z.literal(false).meta({ description: 'Always false.' }),
      error: z
        .object({
          code: z.string().meta({ description: 'Code of the error, see the table of errors.', example: 'not-found' }),
          status: z
            .int()
            .optional()
            .meta({ description: 'The HTTP status. Only with upper-case codes.', example: 400 }),
          message: z.string().meta({ description: 'The problem, as a sentence.', example: 'Not found.' }),
          nextAction: z
            .string()
            .meta({ description: 'The next step of the caller.', example: 'Check the identifier.' }),
          details: z
            .looseObject({
              errors: z
                .array(
                  z.object({
                    location: z.string().meta({ description: 'Where the problem is.', example: 'body.files[3].path' }),
                    message: z
                      .string()
                      .meta({ description: 'The problem of this field.', example: 'A path must not be empty.' }),
                  }),
                )
                .optional()
                .meta({ description: 'The problems of the input, at most 200. Only with validation errors.' }),
              moreErrors: z.int().optional().meta({ description: 'Number of further problems.', example: 12 }),
              retryInSeconds: z
                .int()
                .optional()
                .meta({ description: 'Seconds to wait. Only with the status 429.', example: 17 }),
              attemptsRemaining: z
                .int()
                .optional()
                .meta({ description: 'Remaining tries. Only with `OTP_INVALID`.', example: 4 }),
              missing: z
                .array(z.string().meta({ description: 'A hash.', example: example.hash }))
                .optional()
                .meta({ description: 'Hashes that were not uploaded. Only with `blobs-missing`.' }),
              limit: z.number().optional().meta({ description: 'The limit that was exceeded.', example: 52428800 }),
              actual: z
                .number()
                .optional()
                .meta({ description: 'The value that exceeds the limit.', example: 73400320 }),
              plan: z.string().optional().meta({ description: 'The plan that sets the limit.', example: 'free' }),
              path: z
                .string()
                .optional()
                .meta({ description: 'The file that exceeds the limit.', example: 'index.html' }),
              serverVersion: z
                .int()
                .optional()
                .meta({ description: 'The current version. Only with a stale base version.', example: 6 }),
              requiredScope: z
                .string()
                .optional()
                .meta({ description: 'The scope that the key lacks.', example: 'presentations:write' }),
            })
            .optional()
            .meta({ description: 'Context of the error. Its fields depend on the code.' }),
          serverVersion: z
            .int()
            .optional()
            .meta({ description: 'The current version of the deck. Only with a stale base version.', example: 6 }),
          requestId: z.uuidv7().meta({ description: 'Id of the request.', example: example.requestId }),
        })
        .meta({ description: 'The error.' }),
    })
    .meta({
      id: 'Error',
      description: 'The body of every error in JSON.',
      example: errorExample('not-found').value,
    });
}

// ---- Callers

const callerTexts = {
  anyone: 'anyone',
  'optional-key': 'anyone; a live key or session tells who calls',
  'any-key': 'an API key',
  session: 'a dashboard session',
  'any-key-or-session': 'an API key, or a dashboard session',
} as const;

const roleTexts = { owner: ' of the owner of the deck', member: ' of the owner or a dev of the deck' } as const;

function callerText(caller: CallerRule): string {
  if (typeof caller === 'string') return callerTexts[caller];
  const role = caller.deck ? roleTexts[caller.deck] : '';
  return `an API key${role} with the scope \`${caller.scope}\`${caller.orSession ? ', or a dashboard session' : ''}`;
}

/** For HTTP schemes OpenAPI 3.1 lists the needed roles: here the scope of the key. An empty object means no key. */
function securityOf(caller: CallerRule): oas31.SecurityRequirementObject[] {
  const session = { dashboardSession: [] };
  if (typeof caller === 'object') return [{ apiKey: [caller.scope] }, ...(caller.orSession ? [session] : [])];
  switch (caller) {
    case 'anyone':
      return [];
    case 'optional-key':
      return [{}, { apiKey: [] }, session];
    case 'any-key':
      return [{ apiKey: [] }];
    case 'session':
      return [session];
    case 'any-key-or-session':
      return [{ apiKey: [] }, session];
  }
}

// ---- Schemas

/**
 * Removes keywords that zod adds and a reader does not need: patterns beside a format, the bounds of safe integers,
 * closed objects.
 */
function simplify({ jsonSchema }: ZodOpenApiOverrideContext): void {
  if (jsonSchema.format === 'date-time' || jsonSchema.format === 'uuid') delete jsonSchema.pattern;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.type === 'integer' && jsonSchema.exclusiveMinimum === 0) {
    delete jsonSchema.exclusiveMinimum;
    jsonSchema.minimum = 1;
  }
  if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
  // The schemas say `example`, because zod drops the examples of a schema that transforms its input.
  if ('example' in jsonSchema) {
    Object.assign(jsonSchema, { examples: [jsonSchema['example']] });
    delete jsonSchema['example'];
  }
}

/**
 * Adds to every parameter the description of its schema, and to every body an example composed of those of its fields.
 */
function complete(document: oas31.OpenAPIObject): void {
  for (const item of Object.values(document.paths ?? {}) as Record<string, oas31.OperationObject>[]) {
    for (const { parameters = [], requestBody, responses } of Object.values(item)) {
      for (const parameter of parameters) {
        if ('name' in parameter) parameter.description ??= resolve(document, parameter.schema!).description ?? '';
      }
      const answer = (responses?.['200'] as oas31.ResponseObject).content;
      for (const content of [(requestBody as oas31.RequestBodyObject | undefined)?.content, answer]) {
        for (const media of Object.values(content ?? {})) {
          if (media.schema) media.example = exampleOf(document, media.schema, content === answer);
        }
      }
    }
  }
}
