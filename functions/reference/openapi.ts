import {
  createDocument,
  type oas31,
  type ZodOpenApiObject,
  type ZodOpenApiOperationObject,
  type ZodOpenApiPathsObject,
} from 'zod-openapi';
import { aboutOf, eventType, webhookBody } from '../src/contract/events';
import { example } from '../src/contract/example';
import type { EndpointDefinition, RawEndpointDefinition } from '../src/http/definition';
import { isInEnvelope } from '../src/http/errors-of';
import * as deployed from '../src/index';
import { successOf } from './answers';
import { areas } from './areas';
import { callerText, securityOf, securitySchemes } from './callers';
import { codesIn, errorExamplesOf, errorSchemasOf, failuresOf, type Responses } from './failures';
import { headers, requestHeaders } from './headers';
import { intro } from './intro';
import { requestOf, type Method } from './requests';
import { complete, simplify } from './schemas';

type Definition = EndpointDefinition | RawEndpointDefinition;

const functions = deployed as unknown as Record<string, { definition: Definition }>;

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
      const { definition } = functions[name]!;
      for (const form of formsOf(definition)) {
        for (const method of methodsOf(definition)) {
          const operation = operationOf(definition, method, form, tag, errors);
          (paths[`/${name}${form.template}`] ??= {})[method] = operation;
        }
      }
    }
  }
  const codes = codesIn(errors);
  const shared = { schemas: errorSchemasOf(codes), examples: errorExamplesOf(codes), responses: errors };
  const components = { headers, parameters: requestHeaders, securitySchemes, ...shared };
  const document = createDocument({ ...frame, components, paths, webhooks: webhooks() }, { override: simplify });
  complete(document);
  return document;
}

const frame = {
  openapi: '3.1.0',
  info: {
    title: 'Presentation hosting service',
    version: '1',
    description: intro,
    contact: { name: 'The operator of the service', url: 'https://decks.example.com/' },
    license: { name: 'MIT', url: 'https://opensource.org/license/mit' },
  },
  externalDocs: { description: 'Guides, and this reference as pages', url: 'https://decks.example.com/docs' },
  servers: [
    {
      url: '{base_url}',
      description: 'The base address of the service. The default is that of the local service.',
      variables: {
        base_url: {
          default: 'http://127.0.0.1:5001/demo-decks/us-central1',
          description: 'The address of the functions. `deck` calls it `--base-url`.',
        },
      },
    },
  ],
  tags: areas.map(({ name, about }) => ({ name, description: about })),
} satisfies Omit<ZodOpenApiObject, 'paths'>;

/** What the service sends to webhooks with `format: standard`, by the types of events. */
function webhooks(): ZodOpenApiPathsObject {
  const operation = (type: (typeof types)[number]): ZodOpenApiOperationObject => ({
    operationId: `webhook.${type}`,
    summary: aboutOf(type).replace(/\.$/, ''),
    description: 'Signed as Standard Webhooks says. `webhook-id` is the id of the event.',
    security: [],
    parameters: webhookHeaders,
    requestBody: { required: true, content: { 'application/json': { schema: webhookBody(type) } } },
    responses: { '2XX': { description: 'The event has arrived. Other answers are tried again.' } },
  });
  const types = [...eventType.options, 'test'] as const;
  return Object.fromEntries(types.map((type) => [type, { post: operation(type) }]));
}

const webhookHeader = (name: string, description: string, example: string) =>
  ({ name, in: 'header', required: true, description, schema: { type: 'string' }, example }) as const;
const webhookHeaders = [
  webhookHeader('webhook-id', 'Id of the event, the same at each try.', example.eventId),
  webhookHeader('webhook-timestamp', 'When the request was sent, in seconds since 1970.', '1773480413'),
  webhookHeader(
    'webhook-signature',
    'One signature, or two on the day after a rotation, with a space between them.',
    'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  ),
];

// ---- Operations

function operationOf(
  definition: Definition,
  method: Method,
  form: Form,
  tag: string,
  errors: Responses,
): ZodOpenApiOperationObject {
  const { name, about, command, caller } = definition;
  return {
    operationId: form.operationId + suffixOf(definition, method),
    summary: summaryOf(definition),
    description: about,
    tags: [tag],
    'x-endpoint': name,
    'x-caller': callerText(caller),
    ...(command && { 'x-codeSamples': [{ lang: 'Shell', label: 'deck', source: command }] }),
    security: securityOf(caller),
    ...requestOf(definition, method, form.names),
    responses: { ...successOf(definition, method), ...failuresOf(definition, method === 'head', errors) },
  };
}

/** The first sentence of the description. */
const summaryOf = ({ about }: Definition) => about.split(/\.(?: |$)/)[0]!;

/** Tells the operations of an endpoint with several methods apart. */
function suffixOf(definition: Definition, method: Method): string {
  if (method === 'head') return 'Head';
  return method === 'post' && methodsOf(definition).includes('get') ? 'Post' : '';
}

const methodsOf = ({ method }: Definition) => [method].flat().map((each) => each.toLowerCase() as Method);

/**
 * An endpoint in the envelope with `path` has two forms: with path parameters, and with all fields in the query or in
 * the body.
 */
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
