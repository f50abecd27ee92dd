import { codeOf, firestoreFixture } from './fixture';
import { indexes, sendRandomQueries } from './random-queries';

const [plain, indexed] = [firestoreFixture(), firestoreFixture(indexes)];

test('a document may have 39 000 index entries', async () => {
  const n = Array.from({ length: 39_000 }, (_, i) => i);
  expect(await codeOf(plain.db.doc('documents/entries').set({ n }))).toBeUndefined();
});

test('a thousand random queries return exactly the matching documents, in order, with indexes and without', async () => {
  expect(await sendRandomQueries(plain, { numRuns: 1000 })).toBe(1000);
  expect(await sendRandomQueries(indexed, { numRuns: 1000 })).toBeGreaterThan(200);
});
