import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import addFormats from 'ajv-formats';
import Ajv, { type ValidateFunction } from 'ajv/dist/2020';
import { areas } from '../../functions/reference/areas';
import { exampleOf, resolve, type Schema } from '../../functions/reference/examples';
import { apiReference } from '../../functions/reference/index';
import { openApiDocument } from '../../functions/reference/openapi';
import { errorTable } from '../../functions/src/errors';
import { endpoints } from '../support/endpoints';
import { World } from '../support/world';

const root = join(__dirname, '../..');
const document = openApiDocument();

type AnySchema = Parameters<typeof resolve>[1];

interface Operation {
  operationId: string;
  'x-endpoint': string;
  parameters?: { $ref?: string; name: string; in: string; required?: boolean; description?: string; schema: Schema }[];
  requestBody?: { content: Record<string, { schema: Schema; example: unknown }> };
  responses: Record<string, { $ref?: string; content?: Record<string, { schema?: Schema; example?: unknown }> }>;
}

const operations = Object.entries(document.paths!).flatMap(([path, item]) =>
  Object.entries(item as Record<string, Operation>).map(([method, operation]) => ({ path, method, ...operation })),
);
/** The first operation of each endpoint. It has a body or path parameters. */
const byEndpoint = new Map(operations.toReversed().map((operation) => [operation['x-endpoint'], operation]));
const named = [...byEndpoint].map(([name, operation]) => [name, operation] as const);

test('docs/ has the current reference of the endpoints: run `npm run docs` when this fails', () => {
  const { openapi, markdown } = apiReference();
  expect(readFileSync(join(root, 'docs/api.md'), 'utf8')).toBe(markdown);
  expect(readFileSync(join(root, 'docs/openapi.json'), 'utf8')).toBe(openapi);
});

test('docs/openapi.json is a valid OpenAPI document', async () => {
  const validator = require.resolve('@seriousme/openapi-schema-validator/bin/validate-api-cli.js');
  const run = promisify(execFile)(process.execPath, [validator, join(root, 'docs/openapi.json')]);
  await expect(run).resolves.toMatchObject({ stderr: '' });
});

test('every folder of endpoints is an area of the reference, and every operation id is unique', () => {
  expect(areas.flatMap((area) => area.endpoints).toSorted()).toEqual(Object.keys(endpoints).toSorted());
  expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(operations.length);
});

test('every code that an endpoint declares is in the error table', () => {
  for (const { definition } of Object.values(endpoints)) {
    for (const code of definition.errors) expect(errorTable).toHaveProperty(code);
  }
});

test.each(Object.entries(endpoints))('%s says in one to four sentences what it does', (_name, { definition }) => {
  expect(definition.about).toMatch(/^[A-Z].*\.$/);
  expect(definition.about.split(/\. /).length).toBeLessThanOrEqual(4);
  expect(definition.about).not.toMatch(/decision|round trip/i);
});

describe('schemas', () => {
  /** The missing descriptions, types and examples of a schema and its nested schemas. */
  function gaps(schema: AnySchema, where: string, isForm = false): string[] {
    const whole = resolve(document, schema);
    const inside = [
      ...Object.entries({ ...whole.properties, ...whole.patternProperties }).flatMap(([name, field]) => {
        const described = resolve(document, field).description ? [] : [`${where}.${name} has no description`];
        return [...described, ...gaps(field, `${where}.${name}`)];
      }),
      ...[...(whole.anyOf ?? []), ...(whole.oneOf ?? [])].flatMap((form) =>
        // A branch with only `required` declares which fields belong together.
        '$ref' in form || 'type' in form || 'anyOf' in form ? gaps(form, where, Boolean(whole.examples)) : [],
      ),
      ...(whole.items ? gaps(whole.items, `${where}[]`) : []),
    ];
    const hasType = ['type', 'enum', 'const', 'anyOf', 'oneOf', 'allOf'].some((keyword) => keyword in whole);
    const isLeaf = [whole.type].flat().some((type) => type === 'string' || type === 'integer' || type === 'number');
    return [
      ...(hasType ? [] : [`${where} has no type`]),
      ...(whole.type === 'array' && !whole.items ? [`${where} is an array of anything`] : []),
      ...(isLeaf && !isForm && !whole.contentMediaType && exampleOf(document, whole, true) === undefined
        ? [`${where} has no example`]
        : []),
      ...inside,
    ];
  }

  test.each(named)('every field of %s has a description, a type and an example', (_name, operation) => {
    const { parameters = [], requestBody, responses } = operation;
    const ofParameters = parameters.flatMap(({ $ref, name, description, schema }) =>
      $ref ? [] : [...(description ? [] : [`${name} has no description`]), ...gaps(schema, name)],
    );
    const ofBody = Object.values(requestBody?.content ?? {}).flatMap(({ schema }) => gaps(schema, 'body'));
    // The introduction describes the envelope around the data.
    const data = responses['200']?.content?.['application/json']?.schema?.properties?.['data'];
    expect([...ofParameters, ...ofBody, ...(data ? gaps(data, 'data') : [])]).toEqual([]);
  });

  test('every shared schema is described', () => {
    const undescribed = Object.entries(document.components!.schemas!).flatMap(([name, schema]) => [
      ...((schema as Schema).description ? [] : [`${name} has no description`]),
      ...gaps(schema as Schema, name),
    ]);
    expect(undescribed).toEqual([]);
  });

  const fileEndpoints = ['downloadPresentationAsset', 'getSharedPresentation', 'getMarketplaceListingContent'];
  test.each(fileEndpoints)('%s documents its parameters, its range requests and its answers', (name) => {
    const { parameters, responses } = byEndpoint.get(name)!;
    expect(parameters!.filter(({ $ref }) => !$ref).length).toBeGreaterThan(0);
    const headers = parameters!.flatMap(({ $ref }) => $ref?.split('/').at(-1) ?? []);
    expect(headers).toEqual(['IfNoneMatch', 'Range', 'IfRange']);
    expect(Object.keys(responses)).toEqual(expect.arrayContaining(['200', '206', '302', '304', '404', '416']));
  });
});

describe('inputs', () => {
  /** `coerceTypes`, because query values are strings. */
  const validators = [false, true].map((coerceTypes) => {
    const ajv = new Ajv({ strict: false, coerceTypes });
    addFormats(ajv);
    return ajv.addSchema(JSON.parse(JSON.stringify({ $id: 'document', components: document.components })) as object);
  });
  const compile = (schema: Schema, isQuery: boolean): ValidateFunction => {
    const text = JSON.stringify(schema).replaceAll('"#/components/', '"document#/components/');
    return validators[Number(isQuery)]!.compile(JSON.parse(text) as object);
  };

  /** The documented input of an endpoint, and its example. */
  function inputOf(operation: Operation): { schema: Schema; example: Record<string, unknown>; isQuery: boolean } {
    const [body] = Object.values(operation.requestBody?.content ?? {});
    if (body) return { schema: body.schema, example: body.example as Record<string, unknown>, isQuery: false };
    const parameters = (operation.parameters ?? []).filter(({ $ref }) => !$ref);
    const required = parameters.flatMap((parameter) => (parameter.required ? parameter.name : []));
    const example = parameters.map(({ name, schema }) => [name, String(exampleOf(document, schema, true))]);
    return {
      schema: {
        type: 'object',
        properties: Object.fromEntries(parameters.map(({ name, schema }) => [name, schema])),
        required,
      },
      example: Object.fromEntries(example) as Record<string, unknown>,
      isQuery: true,
    };
  }

  /** Inputs that match the documented schema and that only the service can refuse. */
  const CHECKED_LATER = new Set([
    // The code's shape is checked with the record, because the answer has the remaining attempts.
    'cliCompleteSignup code',
    'cliCompleteLogin code',
    'createDashboardSession code',
    'completeDashboardSignup code',
    // The bytes must be an image.
    'cliCompleteSignup logo',
    'cliCompleteSignup logo.data',
    // The entry path must be the path of one of the files.
    'commitPresentationVersion entryPath',
    // A cursor is opaque.
    'listMyPresentations cursor',
    'listEmailSends cursor',
  ]);

  /** Fields that must be equal: the first one is changed together with the second one. */
  const EQUAL: Record<string, string> = { 'commitPresentationVersion files[0].path': 'entryPath' };

  type Place = (string | number)[];
  const spell = (place: Place) =>
    place.reduce<string>((name, key) => name + (typeof key === 'number' ? `[${key}]` : name ? `.${key}` : key), '');

  /** Every field of a schema, with the first item of each array. */
  function places(schema: AnySchema, at: Place = []): { at: Place; schema: Schema }[] {
    const whole = resolve(document, schema);
    const forms = [whole, ...[...(whole.anyOf ?? []), ...(whole.oneOf ?? [])].map((form) => resolve(document, form))];
    return forms.flatMap((form) => [
      ...Object.entries(form.properties ?? {}).flatMap(([name, field]) => {
        // Branches with only `required` repeat the fields.
        if (form !== whole && !('type' in form)) return [];
        return [{ at: [...at, name], schema: resolve(document, field) }, ...places(field, [...at, name])];
      }),
      ...(form.items
        ? [{ at: [...at, 0], schema: resolve(document, form.items) }, ...places(form.items, [...at, 0])]
        : []),
    ]);
  }

  /** Longer than every bound: a bound that the document does not name is noticed, too. */
  const LONG = 20_000;

  /** Values at and beyond the bounds of a field, and values of other types. */
  function values(schema: Schema, isQuery: boolean): unknown[] {
    const { maxLength, maximum, minimum, items } = [schema, ...(schema.anyOf ?? [])].reduce<Schema>(
      (merged, form) => ({ ...resolve(document, form), ...merged }),
      {},
    );
    const example = exampleOf(document, schema, true);
    const lengths = [...(maxLength === undefined ? [] : [maxLength, maxLength + 1]), LONG];
    const bounds: unknown[] = [
      ...(typeof example === 'string'
        ? lengths.flatMap((length) => [example.padEnd(length, 'x'), 'x'.repeat(length)])
        : []),
      ...(maximum === undefined ? [] : [maximum, maximum + 1]),
      ...(minimum === undefined ? [] : [minimum, minimum - 1]),
      ...(items ? [Array<unknown>(LONG).fill(exampleOf(document, items, true))] : []),
    ];
    const others = ['', 'x', 7, -1, 1.5, true, ...(isQuery ? [] : [null, [], {}, [7], { x: 1 }])];
    return [...bounds, ...others].map((value) => (isQuery ? String(value) : value));
  }

  /** A copy with another value at a path. `undefined` removes the field. */
  function changed(input: unknown, [key, ...rest]: Place, value: unknown): unknown {
    if (key === undefined) return value;
    if (typeof input !== 'object' || input === null) return input;
    const copy = (Array.isArray(input) ? [...(input as unknown[])] : { ...input }) as Record<string | number, unknown>;
    if (rest.length === 0 && value === undefined) delete copy[key];
    else copy[key] = changed(copy[key] ?? {}, rest, value);
    return copy;
  }

  const withInput = named.filter(
    ([name, operation]) => endpoints[name]!.definition.input && inputOf(operation).example,
  );
  const ofForms = new Set(['uploadPresentationAsset', 'uploadPresentationAssets']);
  const parsed = withInput.filter(([name]) => !ofForms.has(name));

  test.each(parsed)('the example of %s is valid, for the document and for the endpoint', (name, operation) => {
    const { schema, example, isQuery } = inputOf(operation);
    const validate = compile(schema, isQuery);
    validate({ ...example });
    expect(validate.errors).toBeNull();
    // A cursor belongs to one list, and the example cursor to no list.
    const { cursor: _, ...rest } = example;
    expect(endpoints[name]!.definition.input.safeParse(rest).error).toBeUndefined();
  });

  test.each(parsed)('the document and %s agree on which inputs are valid', (name, operation) => {
    const { schema, example, isQuery } = inputOf(operation);
    const validate = compile(schema, isQuery);
    const { input } = endpoints[name]!.definition;
    const { cursor: _, ...base } = example;
    const disagreements = places(schema).flatMap(({ at, schema: field }) => {
      if (CHECKED_LATER.has(`${name} ${spell(at)}`)) return [];
      return [undefined, ...values(field, isQuery)].flatMap((value) => {
        const equal = EQUAL[`${name} ${spell(at)}`];
        const sent = changed(equal ? changed(base, [equal], value) : base, at, value);
        const isValid = input.safeParse(sent).success;
        const isDocumented = validate(structuredClone(sent));
        const shown = JSON.stringify(value)?.slice(0, 40);
        return isValid === isDocumented
          ? []
          : [`${spell(at)} = ${shown}: the endpoint ${isValid ? 'accepts' : 'refuses'} it, the document does not`];
      });
    });
    expect(disagreements).toEqual([]);
  });

  test('an array above its limit is refused before its items are checked', () => {
    const { input } = endpoints['precheckAssets']!.definition;
    const { error } = input.safeParse({ hashes: Array<string>(2001).fill('no hash') });
    expect(error?.issues.map(({ message }) => message)).toEqual(['At most 2000 hashes in one call.']);
  });
});

test.each(named)('the example answer of %s is valid', (name, { responses }) => {
  const { answer } = endpoints[name]!.definition;
  const example = responses['200']?.content?.['application/json']?.example as { data: unknown } | undefined;
  if (answer) expect(answer.parse(example!.data)).toEqual(example!.data);
  else expect(example).toBeUndefined();
});

describe('forms', () => {
  let world: World;
  beforeAll(async () => {
    world = await World.start();
  });
  afterAll(() => world.stop());

  /** The documented example with the bytes of a file in place of the file's name. */
  async function formOf(name: string): Promise<{ form: FormData; key: string; hash: string }> {
    const owner = await world.anOwner();
    const { sessionId } = await world.aSession(owner);
    const bytes = new TextEncoder().encode('<!doctype html>');
    const hash = createHash('sha256').update(bytes).digest('hex');
    const example = byEndpoint.get(name)!.requestBody!.content['multipart/form-data']!.example as Record<
      string,
      string
    >;
    const form = new FormData();
    for (const [field, value] of Object.entries({ ...example, sessionId })) {
      const [, type = 'application/octet-stream'] = /^@.*;type=(.*)$/.exec(value) ?? [];
      const named = field === exampleHash ? hash : field;
      if (value.startsWith('@')) form.append(named, new Blob([bytes], { type }), 'index.html');
      else form.append(named, value === exampleHash ? hash : value);
    }
    return { form, key: owner.key, hash };
  }
  const exampleHash = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08';

  test('uploadPresentationAsset takes the documented parts', async () => {
    const { form, key, hash } = await formOf('uploadPresentationAsset');
    const { data } = await world.call('uploadPresentationAsset', form, { key });
    expect(data).toEqual({ sha256: hash, size: 15 });
  });

  test('uploadPresentationAssets takes the documented parts, which are named by their hash', async () => {
    const { form, key, hash } = await formOf('uploadPresentationAssets');
    const { data } = await world.call('uploadPresentationAssets', form, { key });
    expect(data).toEqual({ results: [{ sha256: hash, size: 15, status: 'stored' }] });
  });

  test('the document names only parts that the form has', () => {
    const partsOf = (name: string) => {
      const { schema } = byEndpoint.get(name)!.requestBody!.content['multipart/form-data']!;
      const { properties, patternProperties } = resolve(document, schema);
      return [...Object.keys(properties ?? {}), ...Object.keys(patternProperties ?? {})];
    };
    const target = ['presentationId', 'sessionId'];
    expect(partsOf('uploadPresentationAsset')).toEqual([...target, 'sha256', 'contentType', 'file']);
    expect(partsOf('uploadPresentationAssets')).toEqual([...target, '^[0-9a-f]{64}$']);
  });
});
