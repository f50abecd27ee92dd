import fc from 'fast-check';
import { findFirestoreEmulator } from '../../../emulators/installed';
import { type GoogleFirestore, startGoogleFirestore } from '../../support/google-firestore';
import { type Answer, DOCUMENTS, RawFirestore, ROOT } from '../../support/raw-firestore';
import { words } from '../../support/words';
import { code, firestoreFixture, codeOf } from './fixture';
import { indexes, sendRandomQueries } from './random-queries';
import { array, both, field, fill, query, refused, unary, values, where } from './raw-requests';

/** Google's emulator gets the same requests as the local server. Both give the same answers. */

const fixture = firestoreFixture();
const indexed = firestoreFixture(indexes);
let ours: RawFirestore;
beforeAll(() => void (ours = new RawFirestore(fixture.server.port)));
afterAll(() => ours.close());

const emulator = findFirestoreEmulator();
if (!emulator) console.warn("Google's Firestore emulator or Java is missing: the comparison with it is skipped.");
const describeIfFound = emulator ? describe : describe.skip;
/** An answer without times, ids of transactions and the marks of the end of a stream. */
function comparable(answer: Answer): unknown {
  if ('failure' in answer) return answer.failure.code;
  const ignored = new Set(words('readTime commitTime updateTime createTime done transaction skippedResults'));
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
  const oneField = path.map((fieldPath) => ({ fieldPath }));
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
      select: fc.record({ fields: fc.array(oneField, { minLength: 1, maxLength: 2 }) }),
    },
    { requiredKeys: [] },
  );

  /** The emulator reads no names in descending order, and sorts by name only what has no inequality. */
  type Ordered = { orderBy?: { field: { fieldPath: string }; direction: string }[]; where?: object };
  const isServed = ({ orderBy: orders = [], where: filters }: Ordered) =>
    orders.every((each) => each.field.fieldPath !== '__name__' || (each.direction === 'ASCENDING' && !filters));

  test('to random queries', async () => {
    const property = fc.asyncProperty(anyQuery.filter(isServed), (given) => same(query(given)));
    await fc.assert(property, { seed, numRuns: 600 });
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

test('a document has at most 40 000 index entries', async () => {
  const set = (length: number) => codeOf(fixture.db.doc('documents/entries').set({ n: [...Array(length).keys()] }));
  expect(await set(39_000)).toBeUndefined();
  expect(await set(40_001)).toBe(code.invalidArgument);
});

test('a thousand random queries return exactly the matching documents, in order, with indexes and without', async () => {
  expect(await sendRandomQueries(fixture, { numRuns: 1000 })).toBe(1000);
  expect(await sendRandomQueries(indexed, { numRuns: 1000 })).toBeGreaterThan(200);
});
