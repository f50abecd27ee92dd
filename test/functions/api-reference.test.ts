import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { areas } from '../../functions/reference/areas';
import { exampleOf, resolve, type Schema } from '../../functions/reference/examples';
import { apiReference } from '../../functions/reference/index';
import { projectRoot } from '../../local/project';
import { document, validatorOf } from '../support/documented';
import { endpoints } from '../support/endpoints';
import { operationOf, operations, type Operation } from '../support/operations';
import { words } from '../support/words';

type AnySchema = Parameters<typeof resolve>[1];

const named = Object.keys(endpoints).map((name) => [name, operationOf(name)] as const);

test('docs/ has the current reference of the endpoints: run `npm run docs` when this fails', () => {
  const { openapi, markdown } = apiReference();
  expect(readFileSync(join(projectRoot, 'docs/api.md'), 'utf8')).toBe(markdown);
  expect(readFileSync(join(projectRoot, 'docs/openapi.json'), 'utf8')).toBe(openapi);
});

test('docs/openapi.json is a valid OpenAPI document', async () => {
  const validator = require.resolve('@seriousme/openapi-schema-validator/bin/validate-api-cli.js');
  const run = promisify(execFile)(process.execPath, [validator, join(projectRoot, 'docs/openapi.json')]);
  await expect(run).resolves.toMatchObject({ stderr: '' });
});

test('every folder of endpoints is an area of the reference, and every operation id is unique', () => {
  expect(areas.flatMap((area) => area.endpoints).toSorted()).toEqual(Object.keys(endpoints).toSorted());
  expect(new Set(operations.map(({ id }) => id)).size).toBe(operations.length);
});

test.each(Object.entries(endpoints))('%s says in one to four sentences what it does', (_name, { definition }) => {
  expect(definition.about).toMatch(/^[A-Z].*\.$/);
  expect(definition.about.split(/\. /).length).toBeLessThanOrEqual(4);
  expect(definition.about).not.toMatch(/decision|round trip/i);
});

test.each([
  ['cliCompleteSignup', 3 * 1024 * 1024],
  ['publishMarketplaceListing', 1024 * 1024],
])('a body of %s has at most %i bytes', (name, limit) => expect(endpoints[name]!.definition.limit).toBe(limit));

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
    const { parameters, body, answers } = operation;
    const ofParameters = parameters.flatMap(({ shared, name, description, schema }) =>
      shared ? [] : [...(description ? [] : [`${name} has no description`]), ...gaps(schema, name)],
    );
    // The introduction describes the envelope around the data.
    const data = answers['200']?.content?.['application/json']?.schema?.properties?.['data'];
    const ofBody = body ? gaps(body.schema, 'body') : [];
    expect([...ofParameters, ...ofBody, ...(data ? gaps(data, 'data') : [])]).toEqual([]);
  });

  test('every shared schema is described', () => {
    const undescribed = Object.entries(document.components!.schemas!).flatMap(([name, schema]) => [
      ...((schema as Schema).description ? [] : [`${name} has no description`]),
      ...gaps(schema as Schema, name),
    ]);
    expect(undescribed).toEqual([]);
  });

  const fileEndpoints = words('downloadPresentationAsset getSharedPresentation getMarketplaceListingContent');
  test.each(fileEndpoints)('%s documents its parameters, its range requests and its answers', (name) => {
    const { parameters, answers } = operationOf(name);
    expect(parameters.filter(({ shared }) => !shared).length).toBeGreaterThan(0);
    expect(parameters.flatMap(({ shared = [] }) => shared)).toEqual(['IfNoneMatch', 'Range', 'IfRange']);
    expect(Object.keys(answers)).toEqual(expect.arrayContaining(['200', '206', '302', '304', '404', '416']));
  });
});

describe('inputs', () => {
  /** Parameters that another one of the call excludes. */
  const EXCLUDED = new Set(['getPresentationInsights version']);
  /** The documented input of an endpoint, and its example. */
  function inputOf({ endpoint, body, parameters }: Operation): { schema: Schema; example: object; isQuery: boolean } {
    if (body) return { schema: body.schema, example: body.example as object, isQuery: false };
    const own = parameters.filter(({ shared }) => !shared);
    const properties = Object.fromEntries(own.map(({ name, schema }) => [name, schema]));
    const required = own.flatMap((parameter) => (parameter.required ? parameter.name : []));
    const example = own.flatMap(({ name, schema }) =>
      EXCLUDED.has(`${endpoint} ${name}`) ? [] : [[name, String(exampleOf(document, schema, true))]],
    );
    const schema = { type: 'object', properties, required } as const;
    return { schema, example: Object.fromEntries(example) as object, isQuery: true };
  }

  const withCode = words(
    'cliCompleteSignup cliCompleteLogin createDashboardSession completeDashboardSignup exportAccount changeEmail deleteAccount',
  );

  /** Inputs that match the documented schema and that only the service can refuse. */
  const CHECKED_LATER = new Set([
    // The code's shape is checked with the record, because the answer has the remaining attempts.
    ...withCode.map((name) => `${name} code`),
    'changeEmail newCode',
    // The bytes must be an image.
    ...['cliCompleteSignup logo', 'cliCompleteSignup logo.data'],
    // The entry path must be the path of one of the files.
    'commitPresentationVersion entryPath',
    ...EXCLUDED,
    // A passcode has at least two different characters, which no pattern of a schema says.
    ...['addPresentationToken', 'updateShareToken', 'sharePresentationViaEmail'].map((name) => `${name} passcode`),
    // A cursor is opaque.
    ...words(`listMyPresentations listAccessRequests listEvents listWebhookDeliveries listPresentationViews
      listEmailSends listDashboardSessions`).map((name) => `${name} cursor`),
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

  const ofForms = /^upload(PresentationAssets?|SlidePictures)$/;
  const parsed = named.filter(
    ([name, operation]) => endpoints[name]!.definition.input && inputOf(operation).example && !ofForms.test(name),
  );

  test.each(parsed)('the document and %s agree on which inputs are valid, and the example is', (name, operation) => {
    const { schema, example, isQuery } = inputOf(operation);
    const validate = validatorOf(schema, isQuery ? 'texts' : 'values');
    validate({ ...example });
    expect(validate.errors).toBeNull();
    const { input } = endpoints[name]!.definition;
    // A cursor belongs to one list, and the example cursor to no list.
    const { cursor: _, ...base } = example as Record<string, unknown>;
    expect(input.safeParse(base).error).toBeUndefined();
    const disagreements = places(schema).flatMap(({ at, schema: field }) => {
      const place = `${name} ${spell(at)}`;
      if (CHECKED_LATER.has(place)) return [];
      return [undefined, ...values(field, isQuery)].flatMap((value) => {
        const equal = EQUAL[place];
        const sent = changed(equal ? changed(base, [equal], value) : base, at, value);
        const isValid = input.safeParse(sent).success;
        if (isValid === validate(structuredClone(sent))) return [];
        const shown = JSON.stringify(value)?.slice(0, 40);
        return `${spell(at)} = ${shown}: the endpoint ${isValid ? 'accepts' : 'refuses'} it, the document does not`;
      });
    });
    expect(disagreements).toEqual([]);
  });
});

test.each(named)('the example answer of %s is valid', (name, { answers }) => {
  const { answer } = endpoints[name]!.definition;
  const example = (answers['200'] ?? answers['202'])?.content?.['application/json']?.example as
    { data: unknown } | undefined;
  if (answer) expect(answer.parse(example!.data)).toEqual(example!.data);
  else expect(example).toBeUndefined();
});

test('the document names only the parts that the forms have', () => {
  const partsOf = (name: string) => {
    const { properties, patternProperties } = resolve(document, operationOf(name).body!.schema);
    return [...Object.keys(properties ?? {}), ...Object.keys(patternProperties ?? {})];
  };
  const target = ['presentationId', 'sessionId'];
  expect(partsOf('uploadPresentationAsset')).toEqual([...target, 'sha256', 'contentType', 'file']);
  expect(partsOf('uploadPresentationAssets')).toEqual([...target, '^[0-9a-f]{64}$']);
  expect(partsOf('uploadSlidePictures')).toEqual(['version', 'titles', '^(?!version$)(?!titles$).{1,100}$']);
});
