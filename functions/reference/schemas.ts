import type { oas31, ZodOpenApiOverrideContext } from 'zod-openapi';
import { exampleOf, resolve } from './examples';

/**
 * Removes keywords that zod adds and a reader does not need: patterns beside a format, the bounds of safe integers,
 * closed objects.
 */
export function simplify({ jsonSchema }: ZodOpenApiOverrideContext): void {
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
 * Adds to every parameter the description of its schema, and to every JSON body and form an example composed of those
 * of its fields.
 */
export function complete(document: oas31.OpenAPIObject): void {
  for (const item of Object.values(document.paths ?? {}) as Record<string, oas31.OperationObject>[]) {
    for (const { parameters = [], requestBody, responses } of Object.values(item)) {
      for (const parameter of parameters) {
        if ('name' in parameter) parameter.description ??= resolve(document, parameter.schema!).description ?? '';
      }
      const answer = ((responses?.['200'] ?? responses?.['202']) as oas31.ResponseObject | undefined)?.content;
      for (const content of [(requestBody as oas31.RequestBodyObject | undefined)?.content, answer]) {
        for (const media of Object.values(content ?? {})) {
          if (media.schema) media.example ??= exampleOf(document, media.schema, content === answer);
        }
      }
    }
  }
  for (const each of Object.values(document.components?.examples ?? {}) as ErrorExample[]) {
    const { 'x-schema': name } = each;
    each.value = { success: false, error: exampleOf(document, { $ref: `#/components/schemas/${name}` }, true) };
    delete each['x-schema'];
  }
  openReferences(document);
}

/** An example that names the schema from which its value is composed. */
type ErrorExample = oas31.ExampleObject & { 'x-schema'?: string };

/** Removes `additionalProperties` beside a `$ref`, which would refuse the fields of the referred schema. */
function openReferences(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  if ('$ref' in value && 'additionalProperties' in value) delete value.additionalProperties;
  Object.values(value).forEach(openReferences);
}
