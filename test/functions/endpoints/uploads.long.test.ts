import { passSeconds } from '../../support/clock';
import { uploadForm, type Result } from '../../support/uploads';
import { storedFiles } from '../../support/whole-store';
import { blob, page, sha256, startWorld, succeed, world, type DeckFile, type Target } from '../../support/world';

/** Forms with as many files as a form may have. */

startWorld();

test('a form of 200 files costs five round trips for a session, four for a deck, key included, and one bucket call for each file', async () => {
  passSeconds(0);
  const owner = await world.anOwner();
  await world.useKey(owner);
  const { sessionId, presentationId } = await world.aSession(owner);
  const blobs = (count: number) => Array.from({ length: count }, () => blob(100));
  const files = [page(), ...blobs(199)];
  let results!: Result[];
  const costOf = (target: Target, sent: DeckFile[]) =>
    world.costOf(async () => ({ results } = (await uploadForm(world, owner, target, sent)).data));
  expect(await costOf({ sessionId }, files)).toMatchObject({ roundTrips: 5, storageCalls: 200 });
  const rows = (status: string) => files.map(({ bytes }) => ({ sha256: sha256(bytes), size: bytes.length, status }));
  expect(results).toEqual(rows('stored'));
  const records = await world.database.collection(`presentations/${presentationId}/blobs`).get();
  expect([(await storedFiles(`presentations/${presentationId}/`)).length, records.size]).toEqual([200, 200]);
  await succeed(world.commit(owner, { sessionId, title: 'x' }, files));
  expect(await costOf({ presentationId }, blobs(200))).toMatchObject({ roundTrips: 4, storageCalls: 200 });
  expect(await costOf({ presentationId }, files)).toMatchObject({ roundTrips: 2, storageCalls: 0 });
  expect(results).toEqual(rows('exists').map((row) => ({ ...row, size: 0 })));
});
