import type { oas31 } from 'zod-openapi';

/** A JSON schema of the document, with a keyword that the types of the library lack. */
export type Schema = oas31.SchemaObject & { patternProperties?: Record<string, Schema> };

/** The schema itself, or the component to which it refers. Keywords beside a `$ref` win. */
export function resolve(document: oas31.OpenAPIObject, schema: Schema | oas31.ReferenceObject): Schema {
  const { $ref, ...beside } = schema as Schema;
  if ($ref === undefined) return beside;
  const name = $ref.replace('#/components/schemas/', '');
  const component = document.components?.schemas?.[name];
  if (!component) throw new Error(`The document has no schema ${name}.`);
  return { ...resolve(document, component), ...beside };
}

/** An example of a schema, composed of the examples of its fields. `isWhole` adds the fields that may be left out. */
export function exampleOf(
  document: oas31.OpenAPIObject,
  schema: Schema | oas31.ReferenceObject,
  isWhole: boolean,
): unknown {
  const whole = resolve(document, schema);
  if (whole.examples) return whole.examples[0];
  if ('const' in whole) return whole.const;
  if (whole.enum) return whole.enum[0];
  if (whole.default !== undefined) return whole.default;
  const [variant] = whole.anyOf ?? whole.oneOf?.filter((each) => '$ref' in each || 'type' in each) ?? [];
  if (variant) return exampleOf(document, variant, isWhole);
  if (whole.type === 'array') return whole.items ? [exampleOf(document, whole.items, isWhole)] : [];
  if (whole.type === 'boolean') return true;
  if (!whole.properties) return whole.type === 'object' ? {} : undefined;
  const fields = Object.entries(whole.properties).filter(([name]) => isWhole || whole.required?.includes(name));
  return Object.fromEntries(fields.map(([name, field]) => [name, exampleOf(document, field, isWhole)]));
}
