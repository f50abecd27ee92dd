import type { oas31 } from 'zod-openapi';
import { errorTable } from '../src/errors';
import { exampleOf, resolve, type Schema } from './examples';

type Document = oas31.OpenAPIObject;

/** One operation of an endpoint: a method at an address. */
interface Address {
  method: string;
  path: string;
  operation: oas31.OperationObject;
}

/** The text of docs/api.md, made from the OpenAPI document. */
export function markdownOf(document: Document): string {
  const endpoints = endpointsOf(document);
  const areas = (document.tags ?? []).map((tag) => ({
    ...tag,
    endpoints: endpoints.filter(([first]) => first!.operation.tags?.includes(tag.name)),
  }));
  return `# API reference

\`npm run docs\` writes this file and [openapi.json](openapi.json) from the endpoints.

${document.info.description}

## Contents

${areas
  .map(({ name, endpoints: inArea }) => `- **${name}**: ${inArea.map(([first]) => linkTo(first!)).join(', ')}`)
  .join('\n')}
- **[Errors](#errors)**

${areas
  .map(({ name, description, endpoints: inArea }) =>
    [`## ${name}`, description, ...inArea.map((addresses) => section(document, addresses))].join('\n\n'),
  )
  .join('\n\n')}

## Errors

| Code | Status | Message | Next action | Fields of \`details\` |
|---|---|---|---|---|
${Object.entries(errorTable)
  .map(
    ([code, { status, message, nextAction }]) =>
      `| <a id="${anchorOf(code)}"></a>\`${code}\` | ${status} | ${message} | ${cell(nextAction)} | ${detailsOf(document, code)} |`,
  )
  .join('\n')}
`;
}

/** The names of the fields that the details of an error may have. */
function detailsOf(document: Document, code: string): string {
  const schema = document.components?.schemas?.[`Error.${code}`];
  const details = schema && resolve(document, schema).properties?.['details'];
  if (!details) return '';
  const whole = resolve(document, details);
  const forms = [whole, ...(whole.anyOf ?? []).map((form) => resolve(document, form))];
  return forms
    .flatMap(({ properties = {} }) => Object.keys(properties))
    .map((name) => `\`${name}\``)
    .join(', ');
}

/** The operations of the document, one list for each endpoint. */
function endpointsOf(document: Document): Address[][] {
  const byName = new Map<string, Address[]>();
  for (const [path, item] of Object.entries(document.paths ?? {})) {
    for (const [method, operation] of Object.entries(item) as [string, oas31.OperationObject][]) {
      const name = operation['x-endpoint'] as string;
      byName.set(name, [...(byName.get(name) ?? []), { method: method.toUpperCase(), path, operation }]);
    }
  }
  return [...byName.values()];
}

const nameOf = ({ operation }: Address) => operation['x-endpoint'] as string;
const linkTo = (address: Address) => `[${nameOf(address)}](#${nameOf(address).toLowerCase()})`;
const anchorOf = (code: string) => `error-${code}`;

function section(document: Document, addresses: Address[]): string {
  const [first] = addresses as [Address];
  const { operation } = first;
  const caller = `Caller: ${operation['x-caller'] as string}.`;
  return [
    `### ${nameOf(first)}`,
    addressLines(addresses),
    operation.description,
    caller,
    inputTable(document, addresses),
    headerTable(document, operation),
    answers(document, operation),
    errorsTable(document, operation),
    request(document, first),
  ]
    .filter(Boolean)
    .join('\n\n');
}

/** `GET, HEAD /a/{b}`, a line for each address. */
function addressLines(addresses: readonly Address[]): string {
  const byPath = new Map<string, string[]>();
  for (const { method, path, operation } of addresses) {
    const query = parametersOf(operation, 'query').map(({ name }) => `${name}=`);
    const address = path + (query.length > 0 ? `?${query.join('&')}` : '');
    byPath.set(address, [...(byPath.get(address) ?? []), method]);
  }
  return [...byPath].map(([address, methods]) => `\`${methods.join(', ')} ${address}\``).join(' or\n');
}

function parametersOf(operation: oas31.OperationObject, place: string): oas31.ParameterObject[] {
  const all = (operation.parameters ?? []) as oas31.ParameterObject[];
  return all.filter((parameter) => parameter.in === place);
}

// ---- Tables

/** A field of an input or of an answer, with the fields in it. */
interface Row {
  name: string;
  schema: Schema;
  isRequired: boolean;
}

function inputTable(document: Document, [first]: readonly Address[]): string {
  const { operation } = first!;
  const parameters = [...parametersOf(operation, 'path'), ...parametersOf(operation, 'query')].map(
    ({ name, schema, required = false }) => ({ name, schema: resolve(document, schema!), isRequired: required }),
  );
  const [body] = Object.values((operation.requestBody as oas31.RequestBodyObject | undefined)?.content ?? {});
  const rows = body?.schema ? rowsOf(document, resolve(document, body.schema)) : parameters;
  if (rows.length === 0) return '';
  const lines = rows.map(
    ({ name, schema, isRequired }) =>
      `| \`${name}\` | ${typeOf(document, schema)} | ${isRequired ? 'yes' : ''} | ${cell(schema.description)} |`,
  );
  const { description: limit } = (operation.requestBody ?? {}) as oas31.RequestBodyObject;
  const table = `| Input | Type | Required | Description |\n|---|---|---|---|\n${lines.join('\n')}`;
  return limit ? `${table}\n\n${limit}` : table;
}

function headerTable(document: Document, operation: oas31.OperationObject): string {
  const names = ((operation.parameters ?? []) as oas31.ReferenceObject[])
    .map(({ $ref }) => $ref)
    .filter((ref) => ref !== undefined)
    .map((ref) => ref.replace('#/components/parameters/', ''));
  if (names.length === 0) return '';
  const lines = names.map((name) => {
    const header = document.components!.parameters![name] as oas31.ParameterObject;
    return `| \`${header.name}\` | ${cell(header.description)} |`;
  });
  return `| Request header | Description |\n|---|---|\n${lines.join('\n')}`;
}

function answers(document: Document, operation: oas31.OperationObject): string {
  const successes = (Object.entries(operation.responses ?? {}) as [string, oas31.ResponseObject][]).filter(
    ([status]) => Number(status) < 400,
  );
  const json = successes[0]![1].content?.['application/json']?.schema;
  const data = json && resolve(document, json).properties?.['data'];
  const described = successes.filter(([, { description }]) => description !== 'Success.');
  const statuses = described.map(([status, answer]) => {
    const headers = Object.keys(answer.headers ?? {}).filter((name) => name !== 'X-Request-Id');
    const type = Object.keys(answer.content ?? {})
      .filter((each) => each !== '*/*')
      .map((each) => `\`${each}\``);
    return `| ${status} | ${cell(answer.description)} | ${[...type, ...headers.map((name) => `\`${name}\``)].join(', ')} |`;
  });
  return [
    data && answerTables(document, resolve(document, data)),
    statuses.length > 0 && `| Status | Answer | Type and headers |\n|---|---|---|\n${statuses.join('\n')}`,
  ]
    .filter(Boolean)
    .join('\n\n');
}

/** One table, or one for each form of the answer. */
function answerTables(document: Document, data: Schema): string {
  const forms = data.anyOf ?? [data];
  return forms
    .map((form) => {
      const schema = resolve(document, form);
      const lines = rowsOf(document, schema).map(
        (row) =>
          `| \`${row.name}\` | ${typeOf(document, row.schema)}${row.isRequired ? '' : ', optional'} | ${cell(row.schema.description)} |`,
      );
      const heading = forms.length > 1 ? `Answer: ${schema.title ?? ''}` : 'Answer';
      return `| ${heading} | Type | Description |\n|---|---|---|\n${lines.join('\n')}`;
    })
    .join('\n\n');
}

function errorsTable(document: Document, operation: oas31.OperationObject): string {
  const failures = (Object.values(operation.responses ?? {}) as oas31.ReferenceObject[]).flatMap(({ $ref }) => {
    const response = document.components?.responses?.[$ref?.replace('#/components/responses/', '')];
    return (
      ((response as oas31.ResponseObject | undefined)?.['x-codes'] as (keyof typeof errorTable)[] | undefined) ?? []
    );
  });
  const lines = failures.map((code) => {
    const { status, message } = errorTable[code];
    return `| ${status} | [\`${code}\`](#${anchorOf(code)}) | ${message} |`;
  });
  return `| Status | Error | Meaning |\n|---|---|---|\n${lines.join('\n')}`;
}

/** The fields of an object, and those of the objects in them: `a`, `a.b`, `a[].b`. */
function rowsOf(document: Document, schema: Schema, prefix = ''): Row[] {
  const fixed = Object.entries(schema.properties ?? {});
  const named = Object.entries(schema.patternProperties ?? {}).map(
    ([pattern, part]) => [nameOfPattern(pattern), part] as const,
  );
  return [...fixed, ...named].flatMap(([name, field]) => {
    const inner = resolve(document, field);
    const isRequired = Boolean(schema.required?.includes(name));
    return [{ name: prefix + name, schema: inner, isRequired }, ...rowsInside(document, inner, prefix + name)];
  });
}

const nameOfPattern = (pattern: string) => (pattern === '^[0-9a-f]{64}$' ? '<sha256>' : pattern);

function rowsInside(document: Document, schema: Schema, name: string): Row[] {
  const present = withoutNull(document, schema);
  if (present.type === 'array' && present.items)
    return rowsInside(document, resolve(document, present.items), `${name}[]`);
  if (!present.oneOf) return rowsOf(document, present, `${name}.`);
  // A field that several forms have gets one row. It is required when every form requires it.
  const forms = present.oneOf.map((form) => rowsOf(document, resolve(document, form), `${name}.`));
  const rows = new Map(forms.flat().map((row) => [row.name, row]));
  return [...rows.values()].map((row) => {
    const same = forms.flatMap((form) => form.filter((each) => each.name === row.name));
    const isRequired = same.length === forms.length && same.every((each) => each.isRequired);
    const values = same.map((each) => each.schema.const as unknown).filter((value) => value !== undefined);
    const texts = [...new Set(same.map((each) => each.schema.description))];
    const description = texts.join(' ');
    const merged = values.length > 1 ? { ...row.schema, const: undefined, enum: values, description } : row.schema;
    return { ...row, isRequired, schema: merged };
  });
}

/** The schema without the form that is null. */
function withoutNull(document: Document, schema: Schema): Schema {
  const forms = schema.anyOf?.filter((form) => (form as Schema).type !== 'null') ?? [];
  if (forms.length !== 1) return schema;
  const { anyOf: _, ...beside } = schema;
  return { ...resolve(document, forms[0]!), ...beside };
}

const isNullable = (schema: Schema) =>
  [schema.type].flat().includes('null') || Boolean(schema.anyOf?.some((form) => (form as Schema).type === 'null'));

/** The type of a field with its bounds: `string, 1 to 255 characters`. */
function typeOf(document: Document, schema: Schema): string {
  const type = plainTypeOf(document, withoutNull(document, schema));
  const initial =
    schema.default === undefined
      ? ''
      : `, default \`${typeof schema.default === 'string' ? schema.default : JSON.stringify(schema.default)}\``;
  return type + (isNullable(schema) ? ' or null' : '') + initial;
}

function plainTypeOf(document: Document, schema: Schema): string {
  if (schema.anyOf)
    return [...new Set(schema.anyOf.map((form) => typeOf(document, resolve(document, form))))].join(' or ');
  if (schema.enum) return schema.enum.map((value) => `\`${String(value)}\``).join(', ');
  if (schema.const !== undefined) return `\`${String(schema.const)}\``;
  const [type] = [schema.type].flat().filter((each) => each !== 'null');
  if (!type) throw new Error(`A field has no type: ${JSON.stringify(schema)}`);
  if (type === 'array') {
    // The bounds of the items would read as those of the array.
    const items = schema.items ? typeOf(document, { ...resolve(document, schema.items), maxLength: undefined }) : '';
    return `array of ${items === 'object' ? 'objects' : items}${bounds(schema.minItems, schema.maxItems, 'items')}`;
  }
  if (type === 'string') return stringType(schema);
  return type + range(schema.minimum, schema.maximum);
}

const formats: Record<string, string> = { uuid: 'UUID', 'date-time': 'time', uri: 'URL', email: 'email address' };

function stringType({ format, contentMediaType, minLength = 0, maxLength }: Schema): string {
  if (contentMediaType) return 'bytes';
  return (format ? (formats[format] ?? 'string') : 'string') + bounds(minLength, maxLength, 'characters');
}

function bounds(min: number | undefined, max: number | undefined, unit: string): string {
  if (max !== undefined) return min ? `, ${min} to ${max} ${unit}` : `, at most ${max} ${unit}`;
  return '';
}

function range(min: number | undefined, max: number | undefined): string {
  if (min !== undefined && max !== undefined) return `, ${min} to ${max}`;
  return min === undefined ? '' : `, ${min} or more`;
}

/** The text for a cell of a table. Outside of code a `<` would begin an HTML tag. */
const cell = (text = '') =>
  text
    .replaceAll('|', '\\|')
    .replaceAll('\n', ' ')
    .split('`')
    .map((part, i) => (i % 2 === 0 ? part.replaceAll('<', '&lt;') : part))
    .join('`');

// ---- Example requests

function request(document: Document, { method, path, operation }: Address): string {
  const content = (operation.requestBody as oas31.RequestBodyObject | undefined)?.content ?? {};
  const [type, body] = Object.entries(content)[0] ?? [];
  const lines = [
    `curl ${method === 'GET' ? '' : `-X ${method} `}"$BASE_URL${addressOf(document, path, operation)}"`,
    ...authorizationOf(operation),
    ...(type === 'application/json'
      ? [`-H 'Content-Type: ${type}'`, `-d '${shell(JSON.stringify(body!.example))}'`]
      : []),
    ...(type === 'application/x-www-form-urlencoded' ? formOf(body!.example, '--data-urlencode') : []),
    ...(type === 'multipart/form-data' ? formOf(body!.example, '-F') : []),
  ];
  return `\`\`\`sh\n${lines.join(' \\\n  ')}\n\`\`\``;
}

function addressOf(document: Document, path: string, operation: oas31.OperationObject): string {
  const valueOf = ({ schema }: oas31.ParameterObject) =>
    encodeURIComponent(String(exampleOf(document, schema!, false)));
  const filled = parametersOf(operation, 'path').reduce(
    (address, parameter) => address.replace(`{${parameter.name}}`, valueOf(parameter)),
    path,
  );
  const query = parametersOf(operation, 'query').filter(({ required }) => required);
  return filled + (query.length > 0 ? `?${query.map((each) => `${each.name}=${valueOf(each)}`).join('&')}` : '');
}

function authorizationOf({ security = [] }: oas31.OperationObject): string[] {
  const [scheme] = security.flatMap((requirement) => Object.keys(requirement));
  if (!scheme) return [];
  return [`-H "Authorization: Bearer $${scheme === 'dashboardSession' ? 'SESSION_TOKEN' : 'API_KEY'}"`];
}

const formOf = (fields: unknown, option: string) =>
  Object.entries(fields as Record<string, string>).map(([name, value]) => `${option} '${shell(`${name}=${value}`)}'`);

const shell = (text: string) => text.replaceAll("'", `'\\''`);
