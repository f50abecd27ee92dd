import { type Answer, DOCUMENTS, RawFirestore, ROOT } from '../../support/raw-firestore';
import { code, firestoreFixture } from './fixture';
import {
  aggregate,
  array,
  double,
  fill,
  integer,
  map,
  nothing,
  put,
  query,
  refused,
  remove,
  unary,
  values,
  where,
} from './raw-requests';

/** Requests that the SDK does not send, and the answers of Google's emulator to them. */

const fixture = firestoreFixture();
let ours: RawFirestore;
beforeAll(() => void (ours = new RawFirestore(fixture.server.port)));
afterAll(() => ours.close());

const failed = (of: number, message: string) => ({ failure: { code: of, message } });

describe('comparisons with null and NaN', () => {
  beforeAll(() => fill(ours));
  const find = async (filter: object): Promise<number[]> => {
    const answer = await ours.call(...query({ where: filter }));
    if ('failure' in answer) throw new Error(answer.failure.message);
    const names = answer.responses.flatMap(({ document }: { document?: { name: string } }) => document?.name ?? []);
    return names.map((name) => Number(name.slice(-2)));
  };
  const notNull = values.map((_, i) => i).slice(1);

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
  ])('%s', async (op, expected) => expect((await find(unary(op))).sort((a, b) => a - b)).toEqual(expected));
});

test.each(refused)('%s is an INVALID_ARGUMENT', async (_name, request, message) => {
  expect(await ours.call(...request)).toEqual(failed(code.invalidArgument, expect.stringContaining(message)));
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
  expect(await ours.call(...request)).toEqual(failed(expected, expect.stringContaining(message)));
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
    expect([codeIn(await inside(delaying, put('writes/listed', {}))), codeIn(await write)]).toEqual([0, 0]);
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
    expect([codeIn(await inside(id, put('writes/infinite', {}))), codeIn(await write)]).toEqual([0, 0]);
    await ours.call('Rollback', { database: ROOT, transaction: other });
    await ours.call('Commit', { database: ROOT, writes: [{ delete: `${DOCUMENTS}/values/infinite` }] });
  });

  test('ends with a commit that is refused before its writes are read', async () => {
    const id = await begin();
    const documents = [`${DOCUMENTS}/writes/refused`];
    const read: [string, object] = ['BatchGetDocuments', { database: ROOT, documents }];
    expect(codeIn(await inside(id, read))).toBe(0);
    const malformed: [string, object] = ['Commit', { database: ROOT, writes: [{ delete: 'malformed' }] }];
    expect(codeIn(await inside(id, malformed))).toBe(code.invalidArgument);
    const expired = 'The referenced transaction has expired or is no longer valid.';
    expect(await inside(id, read)).toEqual(failed(code.invalidArgument, expired));
    // The SDK rolls back a transaction after a failed commit.
    expect(codeIn(await ours.call('Rollback', { database: ROOT, transaction: id }))).toBe(0);
  });
});
