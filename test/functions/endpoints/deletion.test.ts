import * as functions from '../../../functions/src/index';
import { GRACE_MS } from '../../../functions/src/records/deletions';
import { hashKey } from '../../../functions/src/values/keys';
import { atOnce } from '../../support/answers';
import { passSeconds } from '../../support/clock';
import { each } from '../../support/each';
import { endpoints } from '../../support/endpoints';
import { runJob } from '../../support/jobs';
import { bucket, everythingStored, storedObjects } from '../../support/whole-store';
import { blob, page, sha256, succeed, world } from '../../support/world';
import { HOUR, owner, leftovers, aFullDeck, aHalfDeletedDeck, aLeftSession, startDeleting } from './left-decks';

/** The deletion of decks, and the jobs that remove what deletions, sessions and uploads have left. */

startDeleting();

type Deleted = Record<'versionsDeleted' | 'assetsDeleted' | 'collaboratorsDeleted', number>;
const GRACE = GRACE_MS / 1000;

const remove = (presentationId: string, key = owner.key) =>
  world.call<Deleted>('deletePresentation', { presentationId }, { key });
/** How many versions, files and collaborators a call has deleted. */
const countsOf = (data: Deleted) => [data.versionsDeleted, data.assetsDeleted, data.collaboratorsDeleted];
/** Writes objects. The library retries an upload after a lost connection only when the upload has a precondition. */
const save = async (names: readonly string[]) => {
  const onceOnly = { resumable: false, preconditionOpts: { ifGenerationMatch: 0 } };
  for (const name of names) await bucket().file(name).save('late', onceOnly);
};
const sweepOf = (presentationId: string) => [`deletions/${presentationId}`];
const cleanUp = async () => {
  await runJob('removeExpiredSessions');
  await runJob('finishDeletions');
};
const pastTheGrace = async () => {
  passSeconds(GRACE + 1);
  await runJob('finishDeletions');
};

describe('deleting a deck', () => {
  test('leaves nothing in the whole store except for the note for the last sweep, and after that sweep nothing', async () => {
    const { presentationId } = await aFullDeck();
    // Collections that the code does not know, and documents whose parent is missing.
    await world.database.doc(`presentations/${presentationId}/novelties/a`).set({ n: 1 });
    await world.database.doc(`presentations/${presentationId}/novelties/none/below/a`).set({ n: 1 });
    const counts = { versionsDeleted: 2, assetsDeleted: 3, collaboratorsDeleted: 1 };
    const deleted = { presentationId, deleted: true, ...counts, listingSlug: null };
    expect(await succeed(remove(presentationId))).toEqual(deleted);
    expect(await leftovers()).toEqual(sweepOf(presentationId));
    await runJob('finishDeletions');
    expect(await leftovers()).toEqual(sweepOf(presentationId));
    await pastTheGrace();
    expect(await leftovers()).toEqual([]);
  });

  test('touches no other deck, even one whose id has the same prefix', async () => {
    const [{ presentationId }, other] = [await aFullDeck(), await aFullDeck()];
    const sibling = `presentations/${presentationId}0/blobs/${'a'.repeat(64)}`;
    await save([sibling]);
    const others = (await everythingStored(world)).filter((name) => !`${name}/`.includes(`${presentationId}/`));
    await succeed(remove(presentationId));
    await pastTheGrace();
    expect(await everythingStored(world)).toEqual(others);
    expect(await world.visit(world.viewUrl(other))).toBe(200);
    await bucket().file(sibling).delete();
  });

  test('that was cut off hides the deck, and is finished by another call, which counts the rest', async () => {
    const deck = await aHalfDeletedDeck();
    const { presentationId } = deck;
    for (const path of ['', 'index.html']) expect(await world.visit(world.viewUrl(deck, path))).toBe(404);
    expect((await world.upload(owner, { presentationId }, page('two'))).status).toBe(404);
    const { data } = await world.call('listMyPresentations', undefined, { key: owner.key });
    expect(data).toMatchObject({ presentations: [] });
    expect(countsOf(await succeed(remove(presentationId)))).toEqual([2, 2, 1]);
    expect(await leftovers()).toEqual(sweepOf(presentationId));
  });

  test('gives the owner the same answer again until the last sweep, and a stranger 404', async () => {
    const { presentationId } = await aFullDeck();
    const stranger = await world.anOwner();
    expect((await remove(presentationId, stranger.key)).status).toBe(403);
    await succeed(remove(presentationId));
    const nothing = { deleted: true, versionsDeleted: 0, assetsDeleted: 0 };
    expect(await succeed(remove(presentationId))).toMatchObject(nothing);
    expect((await remove(presentationId, stranger.key)).status).toBe(404);
    await pastTheGrace();
    expect((await remove(presentationId)).status).toBe(404);
  });

  test('is allowed to an admin key and records that key', async () => {
    const { presentationId } = await aFullDeck();
    const admin = await world.anAdmin();
    const keyId = (await world.database.doc(`apiKeys/${hashKey(admin)}`).get()).get('keyId') as string;
    expect((await succeed(remove(presentationId, admin))).versionsDeleted).toBe(2);
    expect((await world.database.doc(`deletions/${presentationId}`).get()).get('deletedBy')).toBe(keyId);
    expect((await succeed(remove(presentationId, admin))).versionsDeleted).toBe(0);
  });

  test('by two parallel calls succeeds in both, and together they count everything once', async () => {
    const { presentationId } = await aFullDeck();
    const [one, other] = (await atOnce(2, () => succeed(remove(presentationId)))).map(countsOf);
    expect(one!.map((count, i) => count + other![i]!)).toEqual([2, 3, 1]);
    await pastTheGrace();
    expect(await leftovers()).toEqual([]);
  });
});

// In ended-uploads and ended-commits, the order of a call and the deletion of its deck is fixed.
describe('a call that races with a deletion', () => {
  test('and writes after everything was removed leaves nothing after the last sweep', async () => {
    const { presentationId } = await aFullDeck();
    const counter = (
      await world.database.collection(`presentations/${presentationId}/viewCounters`).listDocuments()
    )[0]!;
    await succeed(remove(presentationId));
    const late = `presentations/${presentationId}/blobs/${sha256('late')}`;
    await save([late, `quarantine/${presentationId}/late`]);
    await world.database.doc(late).create({ sizeBytes: 4 });
    await counter.set({ views: 1 }, { merge: true });
    expect(await leftovers()).toHaveLength(5);
    await pastTheGrace();
    expect(await leftovers()).toEqual([]);
  });

  test('must end before the last sweep: every function times out earlier', () => {
    // A stream looks at its deck every few seconds, and ends with it.
    for (const name of each(Object.keys(endpoints).filter((one) => one !== 'followLiveSession'))) {
      const deployed = functions[name as 'precheckAssets'] as unknown as { __endpoint: { timeoutSeconds: number } };
      expect(deployed.__endpoint.timeoutSeconds).toBeLessThan(GRACE - 60);
    }
  });
});

describe('an upload session that was never committed', () => {
  test('is removed with all its uploads after its hour and the longest running time of a call', async () => {
    await aLeftSession();
    const stored = await leftovers();
    expect(stored.filter((name) => !name.includes('/uploadCounters/'))).toHaveLength(7);
    passSeconds(HOUR + GRACE - 60);
    await cleanUp();
    expect(await leftovers()).toEqual(stored);
    passSeconds(120);
    await cleanUp();
    expect(await leftovers()).toEqual([]);
  });

  test('is no deck that its user can delete, and is removed completely by overlapping runs', async () => {
    const { presentationId } = await aLeftSession();
    passSeconds(HOUR + GRACE);
    await atOnce(2, () => runJob('removeExpiredSessions'));
    expect((await remove(presentationId)).status).toBe(404);
    await atOnce(2, () => runJob('finishDeletions'));
    expect(await leftovers()).toEqual([]);
  });

  test('does not block other sessions when its record is damaged', async () => {
    await world.database.doc('uploadSessions/damaged').set({ expiresAt: new Date(0) });
    await world.database.doc('deletions/damaged').set({ sweepAt: new Date(0) });
    await aLeftSession();
    passSeconds(HOUR + GRACE);
    await cleanUp();
    expect(await leftovers()).toEqual(['uploadSessions/damaged']);
    await world.database.doc('uploadSessions/damaged').delete();
  });
});

describe('the jobs keep', () => {
  test('an open session and its uploads, and a committed deck long after its session', async () => {
    const deck = await world.aDeck(owner, [page(), blob(10)]);
    const { sessionId } = await world.aSession(owner);
    await world.uploadAll(owner, { sessionId }, [page()]);
    const stored = await everythingStored(world);
    passSeconds(HOUR - 60);
    await cleanUp();
    expect(await everythingStored(world)).toEqual(stored);
    await succeed(world.commit(owner, { sessionId, title: 'x' }, [page()]));
    const committed = await everythingStored(world);
    passSeconds(24 * HOUR);
    await cleanUp();
    expect(await everythingStored(world)).toEqual(committed);
    expect(await world.visit(world.viewUrl(deck))).toBe(200);
  });

  test('a deck that a wrong deletion record names', async () => {
    const { presentationId } = await world.aDeck(owner, [page()]);
    const record = world.database.doc(`deletions/${presentationId}`);
    const deletion = { ownerId: 'x', listingSlug: null, deletedBy: 'x', deletedAt: new Date(0), sweepAt: new Date(0) };
    await record.set({ presentationId, ...deletion });
    const stored = await everythingStored(world);
    await runJob('finishDeletions');
    expect(await everythingStored(world)).toEqual(stored);
    await record.delete();
  });
});

describe('uploads straight to the bucket', () => {
  test('are removed when they are older than two hours, and no other objects are', async () => {
    const names = Array.from({ length: 12 }, (_, i) => `quarantine/deck-${i % 7}/${i}`);
    await save([...names, 'quarantined/other', 'logos/other']);
    passSeconds(2 * HOUR - 60);
    await save(['quarantine/young']);
    // This object was uploaded again less than two hours ago.
    await bucket().file(names[0]!).save('y');
    await runJob('removeAbandonedUploads');
    expect(await storedObjects('quarantine/')).toHaveLength(13);
    passSeconds(120);
    await atOnce(2, () => runJob('removeAbandonedUploads'));
    expect(await storedObjects('quarantine/')).toEqual([`bucket:${names[0]!}`, 'bucket:quarantine/young']);
    for (const kept of ['quarantined/', 'logos/other']) expect(await storedObjects(kept)).toHaveLength(1);
  });

  test('that cannot be removed do not block others, and are removed later', async () => {
    const [held, ...others] = ['a', 'b', 'c'].map((name) => `quarantine/held/${name}`);
    await save([held!, ...others]);
    await bucket().file(held!).setMetadata({ temporaryHold: true });
    passSeconds(2 * HOUR + 60);
    await runJob('removeAbandonedUploads');
    expect(await storedObjects('quarantine/held/')).toEqual([`bucket:${held!}`]);
    await bucket().file(held!).setMetadata({ temporaryHold: false });
    await runJob('removeAbandonedUploads');
    expect(await storedObjects('quarantine/held/')).toEqual([]);
  });
});
