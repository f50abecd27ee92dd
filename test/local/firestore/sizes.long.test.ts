import { code, codeOf, firestoreFixture } from './fixture';
import { indexes, sendRandomQueries } from './random-queries';

const [plain, indexed] = [firestoreFixture(), firestoreFixture(indexes)];

test('a document has at most 40 000 index entries', async () => {
  const set = (length: number) =>
    codeOf(plain.db.doc('documents/entries').set({ n: Array.from({ length }, (_, i) => i) }));
  expect(await set(39_000)).toBeUndefined();
  expect(await set(40_001)).toBe(code.invalidArgument);
});

test('a thousand random queries return exactly the matching documents, in order, with indexes and without', async () => {
  expect(await sendRandomQueries(plain, { numRuns: 1000 })).toBe(1000);
  expect(await sendRandomQueries(indexed, { numRuns: 1000 })).toBeGreaterThan(200);
});
