import { z } from 'zod';
import { bodyLimitOf } from '../src/http/body';
import type { EndpointDefinition, RawEndpointDefinition } from '../src/http/definition';
import { hasFields, isInEnvelope } from '../src/http/errors-of';
import { KB, MB } from '../src/values/units';
import { requestHeadersOf } from './headers';

type Definition = EndpointDefinition | RawEndpointDefinition;

export type Method = 'get' | 'post' | 'head';

/** Parameters, headers and body of an operation. `names` are the fields of the input that the path holds. */
export function requestOf(definition: Definition, method: Method, names: readonly string[]) {
  const { input } = definition;
  // A raw endpoint with paths reads everything from the address, whatever the method is.
  if (method === 'post' && (isInEnvelope(definition) || !definition.paths)) {
    const parameters = isInEnvelope(definition) && definition.isIdempotent ? requestHeadersOf('IdempotencyKey') : [];
    return {
      ...(parameters.length > 0 && { parameters }),
      ...(names.length > 0 && { requestParams: { path: fieldsOf(input, (name) => names.includes(name)).required() } }),
      ...(input &&
        hasFields(definition) && {
          requestBody: {
            description: `The body has at most ${readableSize(bodyLimitOf(definition))}.`,
            required: true,
            content: { [bodyTypeOf(definition)]: { schema: inBody(input, names), ...encodingOf(definition, names) } },
          },
        }),
    };
  }
  const pick = (isInPath: boolean) => fieldsOf(input, (name) => names.includes(name) === isInPath);
  const hasQuery = isInEnvelope(definition) || !definition.hasNoQuery;
  // A field that is optional in the query is always in the path that names it.
  return {
    requestParams: { path: pick(true).required(), ...(hasQuery && { query: pick(false) }) },
    parameters: method === 'post' ? [] : conditionsOf(definition, method),
  };
}

/** An object of those fields of an input that are chosen. */
const fieldsOf = (input: z.ZodType | undefined, isChosen: (name: string) => boolean) =>
  z.object(
    Object.fromEntries(
      Object.entries(input instanceof z.ZodObject ? input.shape : {}).filter(([name]) => isChosen(name)),
    ),
  );

/** The fields of a body of which the path holds others. */
function inBody(input: z.ZodType, inPath: readonly string[]): z.ZodType {
  if (inPath.length === 0 || !(input instanceof z.ZodObject)) return input;
  const { example, ...meta } = input.meta() ?? {};
  const fields = Object.entries(example ?? {}).filter(([name]) => !inPath.includes(name));
  return fieldsOf(input, (name) => !inPath.includes(name)).meta({ ...meta, example: Object.fromEntries(fields) });
}

const readableSize = (bytes: number) => (bytes < MB ? `${bytes / KB} KB` : `${bytes / MB} MB`);

function bodyTypeOf(definition: Definition): string {
  if (!isInEnvelope(definition)) return definition.bodyType ?? 'application/x-www-form-urlencoded';
  return definition.read ? 'multipart/form-data' : 'application/json';
}

/** The media types of the parts of a form. The bytes of a file have the type that the part names. */
function encodingOf(definition: Definition, inPath: readonly string[]) {
  if (!isInEnvelope(definition) || !definition.read || !(definition.input instanceof z.ZodObject)) return {};
  const parts = Object.keys(definition.input.shape).filter((name) => name !== 'files' && !inPath.includes(name));
  const typeOf = (name: string) => (name === 'file' ? 'application/octet-stream' : 'text/plain');
  return { encoding: Object.fromEntries(parts.map((name) => [name, { contentType: typeOf(name) }])) };
}

/** The headers that make a request conditional, or ask for a range. */
function conditionsOf(definition: Definition, method: 'get' | 'head') {
  if (isInEnvelope(definition)) return definition.isConditional ? requestHeadersOf('IfNoneMatch') : [];
  if (!definition.answers[206]) return [];
  return requestHeadersOf('IfNoneMatch', ...(method === 'get' ? (['Range', 'IfRange'] as const) : []));
}
