import fc from 'fast-check';
import { findFirestoreEmulator } from '../../../emulators/installed';
import { type GoogleFirestore, startGoogleFirestore } from '../../support/google-firestore';
import { type Answer, DOCUMENTS, RawFirestore, ROOT } from '../../support/raw-firestore';
import { code, firestoreFixture } from './fixture';

/** Requests that the SDK does not send, and the answers of Google's emulator to them. */

const fixture = firestoreFixture();
let ours: RawFirestore;
beforeAll(() => {
  ours = new RawFirestore(fixture.server.port);
});
afterAll(() => ours.close());

type Value = Record<string, unknown>;
const integer = (value: number): Value => ({ integerValue: String(value) });
const double = (value: number): Value => ({ doubleValue: value });
const text = (value: string): Value => ({ stringValue: value });
const array = (...values: Value[]): Value => ({ arrayValue: { values } });
const map = (fields: Record<string, Value>): Value => ({ mapValue: { fields } });
const nothing: Value = { nullValue: 'NULL_VALUE' };

const put = (path: string, fields: object, extra: object = {}): [string, object] => [
  'Commit',
  { database: ROOT, writes: [{ update: { name: `${DOCUMENTS}/${path}`, fields }, ...extra }] },
];
const transform = (...fieldTransforms: object[]): [string, object] => [
  'Commit',
  { database: ROOT, writes: [{ transform: { document: `${DOCUMENTS}/writes/x`, fieldTransforms } }] },
];
const remove = (currentDocument: object): [string, object] => [
  'Commit',
  { database: ROOT, writes: [{ delete: `${DOCUMENTS}/writes/missing`, currentDocument }] },
];
const query = (structuredQuery: object): [string, object] => [
  'RunQuery',
  { parent: DOCUMENTS, structuredQuery: { from: [{ collectionId: 'values' }], ...structuredQuery } },
];
const aggregate = (...aggregations: object[]): [string, object] => [
  'RunAggregationQuery',
  {
    parent: DOCUMENTS,
    structuredAggregationQuery: { structuredQuery: { from: [{ collectionId: 'values' }] }, aggregations },
  },
];
const field = (fieldPath: string) => ({ field: { fieldPath } });
const where = (op: string, value: Value, fieldPath = 'v') => ({ fieldFilter: { ...field(fieldPath), op, value } });
const unary = (op: string) => ({ unaryFilter: { ...field('v'), op } });
const both = (op: string, ...filters: object[]) => ({ compositeFilter: { op, filters } });
const orderBy = (...paths: string[]) => ({
  orderBy: paths.map((path) => ({ ...field(path), direction: 'ASCENDING' })),
});

/** Values of every type in their order. The integer and the double with the same value are equal. */
const values: Value[] = [
  nothing,
  { booleanValue: false },
  { booleanValue: true },
  double(NaN),
  double(-Infinity),
  integer(-1),
  integer(0),
  double(0.5),
  integer(1),
  double(1),
  double(Infinity),
  { timestampValue: { seconds: '1', nanos: 5000 } },
  text(''),
  text('a'),
  { bytesValue: Buffer.from('a') },
  { referenceValue: `${DOCUMENTS}/values/d00` },
  { geoPointValue: { latitude: 1, longitude: 2 } },
  array(),
  array(integer(1)),
  array(double(NaN), nothing),
  map({ __type__: text('__vector__'), value: array(double(1), double(2)) }),
  map({}),
  map({ a: nothing }),
  map({ a: double(NaN) }),
  map({ a: integer(1) }),
];
const idOf = (i: number) => `d${String(i).padStart(2, '0')}`;
const fill = async (server: RawFirestore) => {
  for (const [i, v] of values.entries()) await server.call(...put(`values/${idOf(i)}`, { v, k: integer(i % 5) }));
  await server.call(...put('values/without', { k: integer(1) }));
};

describe('comparisons with null and NaN', () => {
  beforeAll(() => fill(ours));
  const find = async (filter: object): Promise<number[]> => {
    const answer = await ours.call(...query({ where: filter }));
    if ('failure' in answer) throw new Error(answer.failure.message);
    const names = answer.responses.flatMap(({ document }: { document?: { name: string } }) => document?.name ?? []);
    return names.map((name) => Number(name.slice(-2)));
  };
  const all = values.map((_, i) => i);
  const notNull = all.slice(1);

  test.each([
    ['EQUAL', nothing, []],
    ['NOT_EQUAL', nothing, []],
    ['EQUAL', double(NaN), []],
    ['NOT_EQUAL', double(NaN), notNull],
    ['LESS_THAN', double(NaN), []],
    ['LESS_THAN_OR_EQUAL', double(NaN), []],
    ['GREATER_THAN', double(NaN), []],
    ['GREATER_THAN_OR_EQUAL', double(NaN), []],
    ['LESS_THAN', integer(0), [4, 5]],
    ['LESS_THAN_OR_EQUAL', double(-Infinity), [4]],
    ['LESS_THAN', double(-Infinity), []],
    ['LESS_THAN_OR_EQUAL', double(Infinity), [4, 5, 6, 7, 8, 9, 10]],
    ['GREATER_THAN', double(-Infinity), [5, 6, 7, 8, 9, 10]],
    ['LESS_THAN_OR_EQUAL', nothing, []],
    ['GREATER_THAN_OR_EQUAL', nothing, []],
    ['IN', array(double(NaN), nothing, integer(1)), [8, 9]],
    ['NOT_IN', array(double(NaN), integer(1)), notNull.filter((i) => i !== 8 && i !== 9)],
    ['NOT_IN', array(nothing), []],
    ['ARRAY_CONTAINS', double(NaN), []],
    ['ARRAY_CONTAINS_ANY', array(double(NaN), nothing), []],
    ['EQUAL', map({ a: double(NaN) }), [23]],
    ['EQUAL', array(double(NaN), nothing), [19]],
  ])('%s %j', async (op, value, expected) => {
    expect((await find(where(op, value))).sort((a, b) => a - b)).toEqual(expected);
  });

  test.each([
    ['IS_NULL', [0]],
    ['IS_NAN', [3]],
    ['IS_NOT_NULL', notNull],
    ['IS_NOT_NAN', notNull.filter((i) => i !== 3)],
  ])('%s', async (op, expected) => {
    expect((await find(unary(op))).sort((a, b) => a - b)).toEqual(expected);
  });
});

const path = `"a b". Unquoted property paths must match regex ([a-zA-Z_][a-zA-Z_0-9]*), and quoted property paths must match`;
const [LATE, EARLY] = [253402300800, -62135596801].map((seconds) => ({
  timestampValue: { seconds: String(seconds), nanos: 0 },
}));
const geo = (latitude: number, longitude: number) => put('writes/x', { v: { geoPointValue: { latitude, longitude } } });
const count = { alias: 'a', count: {} };
const notIn = where('NOT_IN', array(integer(1)));
const notInAlone = "'NOT_IN' cannot be used in the same query with 'IN', 'ARRAY_CONTAINS_ANY' or 'OR'.";

/** Requests that fail, with the messages of Google's emulator. */
const refused: [string, [string, object], string][] = [
  ['a reserved id', put('ids/_____', {}), 'Resource id "_____" is invalid because it is reserved.'],
  ['a reserved collection', put('__id7__/x', {}), 'Collection id "__id7__" is invalid because it is reserved.'],
  ['an id of 20 digits', put('ids/__id99999999999999999999__', {}), 'because it is not a 64 bit integer.'],
  ['a reserved field', put('writes/x', { _____: nothing }), 'field name _____ is reserved'],
  [
    'a reserved field of a mask',
    put('writes/x', {}, { updateMask: { fieldPaths: ['__a__'] } }),
    'Invalid reserved name in field path __a__',
  ],
  [
    'a filter on a reserved field',
    query({ where: where('EQUAL', nothing, '__a__') }),
    'Invalid reserved name in field',
  ],
  ['an order by a reserved field', query(orderBy('__a__')), 'Invalid reserved name in field path __a__'],
  ['a field path with a space', query(orderBy('a b')), `Invalid property path ${path}`],
  ['a late timestamp', put('writes/x', { v: LATE! }), 'Timestamp seconds exceeds limit for field.'],
  ['an early timestamp', put('writes/x', { v: EARLY! }), 'Timestamp seconds exceeds limit for field.'],
  ['a latitude of 91', geo(91, 0), "Geo point latitude '91.0' outside permitted range -90.0 to 90.0."],
  ['a longitude of NaN', geo(0, NaN), "Geo point longitude 'NaN' outside permitted range -180.0 to 180.0."],
  [
    'a reference to a collection',
    put('writes/x', { v: { referenceValue: `${DOCUMENTS}/a` } }),
    'lacks "/" at index 51.',
  ],
  ['a transform without fields', transform(), 'The list of FieldTransform must not be empty.'],
  [
    'an unspecified server value',
    transform({ fieldPath: 'a', setToServerValue: 'SERVER_VALUE_UNSPECIFIED' }),
    'ServerValue type must be specified for set_to_server_value transformation.',
  ],
  ['an increment by a text', transform({ fieldPath: 'a', increment: text('1') }), 'Input must be int64 or double.'],
  [
    'transforms of a field and of its part',
    transform({ fieldPath: 'a', increment: integer(1) }, { fieldPath: 'a.b', increment: integer(1) }),
    'Cannot transform property a and its nested property at the same time.',
  ],
  ['a disjunction of nothing', query({ where: both('OR') }), 'Composite filter must have at least one sub-filter.'],
  ['NOT_IN beside IN', query({ where: both('AND', notIn, where('IN', array(integer(1)), 'k')) }), notInAlone],
  [
    'NOT_IN beside OR',
    query({ where: both('AND', notIn, both('OR', where('EQUAL', text('a'), 'k'), where('EQUAL', text('b'), 'k'))) }),
    notInAlone,
  ],
  [
    'two negations',
    query({ where: both('OR', unary('IS_NOT_NULL'), where('NOT_EQUAL', integer(1))) }),
    "Only a single 'NOT_EQUAL', 'NOT_IN', 'IS_NOT_NAN', or 'IS_NOT_NULL' filter allowed per query.",
  ],
  [
    'an order after the name',
    query(orderBy('__name__', 'v')),
    'order by clause cannot contain more fields after the key',
  ],
  ['a cursor without an order', query({ startAt: { values: [integer(1)] } }), 'Cursor has too many values.'],
  ['no aggregation', aggregate(), 'Aggregations can not be empty.'],
  ['an aggregation without an operator', aggregate({ alias: 'a' }), 'Operator field in Aggregation is not set.'],
  ['two aggregations of one name', aggregate(count, count), 'Aggregation aliases contain duplicate alias: a.'],
  ['an aggregation with a reserved name', aggregate({ alias: '__a__', count: {} }), '"__a__" is reserved.'],
  ['a sum of names', aggregate({ alias: 'a', sum: field('__name__') }), 'not supported for the property: __key__'],
  [
    'a count up to a negative number',
    aggregate({ alias: 'a', count: { upTo: { value: '-1' } } }),
    'The `up_to` value in a COUNT aggregation must be greater than or equal to zero.',
  ],
  ['a negative page', ['ListDocuments', { parent: DOCUMENTS, collectionId: 'v', pageSize: -1 }], 'Page size must be'],
];

test.each(refused)('%s is an INVALID_ARGUMENT', async (_name, request, message) => {
  expect(await ours.call(...request)).toEqual({
    failure: { code: code.invalidArgument, message: expect.stringContaining(message) },
  });
});

/** The messages of the cloud, which differ from those of its emulator. */
test.each([
  ['a delete of a missing document', remove({ exists: true }), code.notFound, 'No document to update: '],
  [
    'a delete of a missing document with an update time',
    remove({ updateTime: { seconds: '1', nanos: 0 } }),
    code.failedPrecondition,
    'the stored version (0) does not match the required base version (1000000)',
  ],
  [
    'six aggregations',
    aggregate(...Array.from({ length: 6 }, (_, i) => ({ alias: `a${i}`, count: {} }))),
    code.invalidArgument,
    'maximum number of aggregations',
  ],
])('%s fails with the message of the cloud', async (_name, request, expected, message) => {
  expect(await ours.call(...request)).toEqual({
    failure: { code: expected, message: expect.stringContaining(message) },
  });
});

test('ids, collections and fields of four underscores are not reserved', async () => {
  expect(await ours.call(...put('____/____', { ____: nothing }))).toHaveProperty('responses');
  expect(await ours.call('GetDocument', { name: `${DOCUMENTS}/____/____` })).toMatchObject({
    responses: [{ fields: { ____: nothing } }],
  });
});

describe('a transaction', () => {
  const begin = async (): Promise<Buffer> => {
    const answer = await ours.call('BeginTransaction', { database: ROOT });
    if ('failure' in answer) throw new Error(answer.failure.message);
    return (answer.responses[0] as { transaction: Buffer }).transaction;
  };
  const inside = (transaction: Buffer, [method, request]: [string, object]) =>
    ours.call(method, { ...request, transaction });
  const codeIn = (answer: Answer) => ('failure' in answer ? answer.failure.code : 0);

  test('that lists a collection sees no phantoms', async () => {
    const list: [string, object] = ['ListDocuments', { parent: DOCUMENTS, collectionId: 'listed' }];
    const ids = [await begin(), await begin()];
    for (const id of ids) expect(await inside(id, list)).toEqual({ responses: [{}] });
    const answers = await Promise.all(ids.map((id, i) => inside(id, put(`listed/${i}`, {}))));
    expect(answers.map(codeIn).sort()).toEqual([0, code.aborted]);

    // Another write of the collection waits for the transaction.
    const delaying = await begin();
    await inside(delaying, list);
    const write = ours.call(...put('listed/later', {}));
    expect(codeIn(await inside(delaying, put('writes/listed', {})))).toBe(0);
    expect(codeIn(await write)).toBe(0);
  });

  test('that lists a collection with missing documents is aborted when another missing document appears', async () => {
    const id = await begin();
    await inside(id, ['ListDocuments', { parent: DOCUMENTS, collectionId: 'parents', showMissing: true }]);
    await ours.call(...put('parents/missing/children/x', {}));
    expect(codeIn(await inside(id, put('writes/parents', {})))).toBe(code.aborted);
  });

  test('delays a write that changes its query, after another transaction read a query for another infinity', async () => {
    const [id, other] = [await begin(), await begin()];
    await inside(id, query({ where: where('EQUAL', double(Infinity), 'infinite') }));
    await inside(other, query({ where: where('EQUAL', double(-Infinity), 'infinite') }));
    const write = ours.call(...put('values/infinite', { infinite: double(Infinity) }));
    expect(codeIn(await inside(id, put('writes/infinite', {})))).toBe(0);
    expect(codeIn(await write)).toBe(0);
    await ours.call('Rollback', { database: ROOT, transaction: other });
    await ours.call('Commit', { database: ROOT, writes: [{ delete: `${DOCUMENTS}/values/infinite` }] });
  });

  test('ends with a commit that is refused before its writes are read', async () => {
    const id = await begin();
    const read: [string, object] = [
      'BatchGetDocuments',
      { database: ROOT, documents: [`${DOCUMENTS}/writes/refused`] },
    ];
    expect(codeIn(await inside(id, read))).toBe(0);
    const malformed: [string, object] = ['Commit', { database: ROOT, writes: [{ delete: 'malformed' }] }];
    expect(codeIn(await inside(id, malformed))).toBe(code.invalidArgument);
    expect(await inside(id, read)).toEqual({
      failure: {
        code: code.invalidArgument,
        message: 'The referenced transaction has expired or is no longer valid.',
      },
    });
    // The SDK rolls back a transaction after a failed commit.
    expect(codeIn(await ours.call('Rollback', { database: ROOT, transaction: id }))).toBe(0);
  });
});

const emulator = findFirestoreEmulator();
if (!emulator) console.warn("Google's Firestore emulator or Java is missing: the comparison with it is skipped.");
const describeIfFound = emulator ? describe : describe.skip;
/** An answer without times, ids of transactions and the marks of the end of a stream. */
function comparable(answer: Answer): unknown {
  if ('failure' in answer) return answer.failure.code;
  const ignored = new Set([
    'readTime',
    'commitTime',
    'updateTime',
    'createTime',
    'done',
    'transaction',
    'skippedResults',
  ]);
  const json = JSON.stringify(answer.responses, (key, value: unknown) => {
    if (ignored.has(key) || (value === 0 && (key === 'nanos' || key === 'code'))) return undefined;
    return typeof value === 'number' ? String(value) : value;
  });
  return (JSON.parse(json) as object[]).filter((response) => Object.keys(response).length > 0);
}

describeIfFound("Google's emulator gives the same answers", () => {
  let google: GoogleFirestore;
  let theirs: RawFirestore;
  const seed = 20261122;
  beforeAll(async () => {
    google = await startGoogleFirestore(emulator!);
    theirs = new RawFirestore(google.port);
    await Promise.all([fill(ours), fill(theirs)]);
  });
  afterAll(async () => {
    theirs.close();
    await google.close();
  });
  const same = async ([method, request]: [string, object]) => {
    const [expected, actual] = await Promise.all([theirs.call(method, request), ours.call(method, request)]);
    expect({ method, request, answer: comparable(actual) }).toEqual({ method, request, answer: comparable(expected) });
  };

  test.each(refused)('%s', async (_name, request, message) => {
    const answer = await theirs.call(...request);
    expect(answer).toEqual({ failure: { code: code.invalidArgument, message: expect.stringContaining(message) } });
  });

  const value = fc.constantFrom(...values);
  const path = fc.constantFrom('v', 'k', 'v.a', '__name__', 'none');
  const simple = ['EQUAL', 'NOT_EQUAL', 'LESS_THAN', 'LESS_THAN_OR_EQUAL', 'GREATER_THAN', 'GREATER_THAN_OR_EQUAL'];
  const several = fc.array(value, { minLength: 1, maxLength: 3 }).map((each) => array(...each));
  const filter = fc.oneof(
    fc.tuple(fc.constantFrom(...simple, 'ARRAY_CONTAINS'), value, path).map((each) => where(...each)),
    fc.tuple(fc.constantFrom('IN', 'NOT_IN', 'ARRAY_CONTAINS_ANY'), several, path).map((each) => where(...each)),
    fc.constantFrom('IS_NULL', 'IS_NAN', 'IS_NOT_NULL', 'IS_NOT_NAN').map(unary),
  );
  const composite = fc
    .tuple(fc.constantFrom('AND', 'AND', 'OR'), fc.array(filter, { minLength: 1, maxLength: 3 }))
    .map(([op, filters]) => both(op, ...filters));
  const order = fc.record({
    field: path.map((fieldPath) => ({ fieldPath })),
    direction: fc.constantFrom('ASCENDING', 'DESCENDING'),
  });
  const cursor = fc.record({ values: fc.array(value, { minLength: 1, maxLength: 2 }), before: fc.boolean() });
  const anyQuery = fc.record(
    {
      where: fc.oneof(filter, composite),
      orderBy: fc.array(order, { minLength: 1, maxLength: 2 }),
      startAt: cursor,
      endAt: cursor,
      limit: fc.record({ value: fc.integer({ min: -1, max: 8 }) }),
      offset: fc.integer({ min: 0, max: 4 }),
      select: fc.record({
        fields: fc.array(
          path.map((fieldPath) => ({ fieldPath })),
          { minLength: 1, maxLength: 2 },
        ),
      }),
    },
    { requiredKeys: [] },
  );

  /** The emulator reads no names in descending order, and sorts by name only what has no inequality. */
  type Ordered = { orderBy?: { field: { fieldPath: string }; direction: string }[]; where?: object };
  const isServed = ({ orderBy: orders = [], where: filters }: Ordered) =>
    orders.every((each) => each.field.fieldPath !== '__name__' || (each.direction === 'ASCENDING' && !filters));

  test('to random queries', async () => {
    await fc.assert(
      fc.asyncProperty(anyQuery.filter(isServed), (given) => same(query(given))),
      { seed, numRuns: 600 },
    );
  });

  test('to random aggregations', async () => {
    const kind = fc.constantFrom({ count: {} }, { sum: field('v') }, { avg: field('v') }, { sum: field('k') });
    const aggregations = fc.array(kind, { minLength: 1, maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(fc.tuple(aggregations, fc.option(filter)), async ([kinds, given]) => {
        const structuredQuery = { from: [{ collectionId: 'values' }], ...(given ? { where: given } : {}) };
        await same([
          'RunAggregationQuery',
          { parent: DOCUMENTS, structuredAggregationQuery: { structuredQuery, aggregations: kinds } },
        ]);
      }),
      { seed, numRuns: 200 },
    );
  });

  test('to random writes with preconditions, masks and transforms', async () => {
    const id = fc.constantFrom('a', 'b', 'c');
    const fieldPath = fc.constantFrom('x', 'y', 'y.a');
    const change = fc.oneof(
      fc.tuple(fc.constantFrom('increment', 'maximum', 'minimum'), fieldPath, value),
      fc.tuple(fc.constantFrom('appendMissingElements', 'removeAllFromArray'), fieldPath, flatValues()),
    );
    const write = fc.record(
      {
        fields: fc.record({ x: value, y: value }, { requiredKeys: [] }),
        mask: fc.array(fieldPath, { maxLength: 2 }),
        changes: fc.array(change, { maxLength: 2 }),
        exists: fc.boolean(),
        isDelete: fc.boolean(),
      },
      { requiredKeys: [] },
    );
    await fc.assert(
      fc.asyncProperty(id, write, async (of, { fields = {}, mask, changes = [], exists, isDelete }) => {
        const name = `${DOCUMENTS}/random/${of}`;
        const currentDocument = exists === undefined ? {} : { currentDocument: { exists } };
        const updateTransforms = changes.map(([kind, at, operand]) => ({ fieldPath: at, [kind]: operand }));
        const updateMask = mask ? { updateMask: { fieldPaths: mask } } : {};
        const given = isDelete ? { delete: name } : { update: { name, fields }, updateTransforms, ...updateMask };
        await same(['Commit', { database: ROOT, writes: [{ ...given, ...currentDocument }] }]);
        await same(['GetDocument', { name }]);
      }),
      { seed, numRuns: 400 },
    );
  });

  /** Elements of arrays. The emulator stores an array in an array; the cloud refuses it. */
  function flatValues() {
    const flat = values.filter((each) => !('arrayValue' in each));
    return fc.array(fc.constantFrom(...flat), { maxLength: 3 }).map((each) => ({ values: each }));
  }
});
