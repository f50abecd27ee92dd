import { codeOf, firestoreFixture } from './fixture';

const fixture = firestoreFixture();

test('a document may have 39 000 index entries', async () => {
  const n = Array.from({ length: 39_000 }, (_, i) => i);
  expect(await codeOf(fixture.db.doc('documents/entries').set({ n }))).toBeUndefined();
});
