import { passSeconds } from '../../support/clock';
import type { Result } from '../../support/uploads';
import { page, sha256, succeed, world } from '../../support/world';
import type { DeckFile, Target } from '../../support/world';
import { owner, counts, upload, blobs, sizesOf, startUploading } from './uploading';

/** Forms with as many files as a form may have. */

startUploading();

describe('uploadPresentationAssets', () => {
  test('of 200 files costs five round trips for a session, four for a deck, key included, and one bucket call for each file', async () => {
    passSeconds(0);
    await world.useKey(owner);
    const { sessionId, presentationId } = await world.aSession(owner);
    const files = [page(), ...blobs(199)];
    let results!: Result[];
    const costOf = (target: Target, sent: DeckFile[]) =>
      world.costOf(async () => ({ results } = (await upload(target, sent)).data));
    expect(await costOf({ sessionId }, files)).toMatchObject({ roundTrips: 5, storageCalls: 200 });
    const stored = files.map(({ bytes }) => ({ sha256: sha256(bytes), size: bytes.length, status: 'stored' }));
    expect(results).toEqual(stored);
    expect(await counts(presentationId)).toEqual([200, 200]);
    await succeed(world.commit(owner, { sessionId, title: 'x' }, files));
    expect(await costOf({ presentationId }, blobs(200))).toMatchObject({ roundTrips: 4, storageCalls: 200 });
    expect(await costOf({ presentationId }, files)).toMatchObject({ roundTrips: 2, storageCalls: 0 });
    expect(new Set(sizesOf(results))).toEqual(new Set(['exists 0']));
  });
});
