import { firestoreFixture } from './fixture';
import { indexes, sendRandomQueries } from './random-queries';

const [plain, indexed] = [firestoreFixture(), firestoreFixture(indexes)];

test('a thousand random queries return exactly the matching documents, in order, with indexes and without', async () => {
  expect(await sendRandomQueries(plain, { numRuns: 1000 })).toBe(1000);
  expect(await sendRandomQueries(indexed, { numRuns: 1000 })).toBeGreaterThan(200);
});
