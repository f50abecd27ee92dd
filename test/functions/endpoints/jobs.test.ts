import { readIn } from '../../../functions/src/records/database';
import { beginDeletion } from '../../../functions/src/records/deletions';
import { presentationRef } from '../../../functions/src/records/presentations';
import { transact } from '../../../functions/src/records/transact';
import { startSchedules } from '../../../local/schedules';
import { passSeconds } from '../../support/clock';
import { runJob } from '../../support/jobs';
import { bucket, everythingStored, storedObjects } from '../../support/whole-store';
import { blob, page, succeed, World, type Account } from '../../support/world';

const HOUR = 3600;
const GRACE = 15 * 60;

let world: World;
let owner: Account;
let before: string[];

beforeAll(async () => {
  world = await World.start();
  owner = await world.anOwner();
});
beforeEach(async () => {
  before = await everythingStored(world);
});
afterAll(() => world.stop());

/** What the jobs left. The job of the marketplace keeps its state. */
const leftovers = async () => {
  const known = new Set([...before, 'marketplaceStates/current']);
  return (await everythingStored(world)).filter((name) => !known.has(name));
};
const cleanUp = async () => {
  await runJob('removeExpiredSessions');
  await runJob('finishDeletions');
};

describe('an upload session that was never committed', () => {
  test('is removed with all its uploads after its hour and the longest running time of a call', async () => {
    const { sessionId } = await world.aSession(owner);
    await world.uploadAll(owner, { sessionId }, [page(), blob(10), blob(2000)]);
    const stored = await leftovers();
    expect(stored.filter((name) => !name.includes('/uploadCounters/'))).toHaveLength(7);
    passSeconds(HOUR + GRACE - 60);
    await cleanUp();
    expect(await leftovers()).toEqual(stored);
    passSeconds(120);
    await cleanUp();
    expect(await leftovers()).toEqual([]);
  });

  test('is gone within 2 hours by the schedules of the jobs, and so is a deletion that was cut off', async () => {
    const deck = await world.aDeck(owner);
    const { sessionId } = await world.aSession(owner);
    await world.uploadAll(owner, { sessionId }, [page(), blob(10)]);
    const { presentationId } = deck;
    // The call was killed after its first write.
    await transact(async (tx) => {
      const [record] = await readIn(tx, presentationRef(presentationId));
      beginDeletion(tx, record!, owner.userId, new Date());
    });
    passSeconds(HOUR);
    const { functions, cloud } = world;
    const schedules = startSchedules({ functions, baseUrl: cloud.baseUrl, log: () => {} });
    try {
      for (let minutes = 0; minutes < 120; minutes += 10) {
        passSeconds(600);
        await schedules.runDue();
      }
    } finally {
      await schedules.close();
    }
    expect(await leftovers()).toEqual([]);
  });

  test('is removed completely by overlapping runs', async () => {
    const { sessionId } = await world.aSession(owner);
    await world.uploadAll(owner, { sessionId }, [page()]);
    passSeconds(HOUR + GRACE);
    await Promise.all([runJob('removeExpiredSessions'), runJob('removeExpiredSessions')]);
    await Promise.all([runJob('finishDeletions'), runJob('finishDeletions')]);
    expect(await leftovers()).toEqual([]);
  });

  test('cannot be deleted by its user as a deck', async () => {
    const { presentationId } = await world.aSession(owner);
    passSeconds(HOUR + GRACE);
    await runJob('removeExpiredSessions');
    const { status } = await world.call('deletePresentation', { presentationId }, { key: owner.key });
    expect(status).toBe(404);
    await runJob('finishDeletions');
  });

  test('does not block other sessions when its record is damaged', async () => {
    await world.database.doc('uploadSessions/damaged').set({ expiresAt: new Date(0) });
    await world.database.doc('deletions/damaged').set({ sweepAt: new Date(0) });
    const { sessionId } = await world.aSession(owner);
    await world.uploadAll(owner, { sessionId }, [page()]);
    passSeconds(HOUR + GRACE);
    await cleanUp();
    expect(await leftovers()).toEqual(['uploadSessions/damaged']);
    for (const name of await leftovers()) await world.database.doc(name).delete();
  });
});

describe('the jobs keep', () => {
  test('an open session and its uploads', async () => {
    const { sessionId } = await world.aSession(owner);
    await world.uploadAll(owner, { sessionId }, [page()]);
    const stored = await everythingStored(world);
    passSeconds(HOUR - 60);
    await cleanUp();
    expect(await everythingStored(world)).toEqual(stored);
    await succeed(world.commit(owner, { sessionId, title: 'x' }, [page()]));
  });

  test('a committed deck, long after its session', async () => {
    const deck = await world.aDeck(owner, [page(), blob(10)]);
    const stored = await everythingStored(world);
    passSeconds(24 * HOUR);
    await cleanUp();
    expect(await everythingStored(world)).toEqual(stored);
    expect(await world.visit(world.viewUrl(deck))).toBe(200);
  });

  test('a deck that a wrong deletion record names', async () => {
    const deck = await world.aDeck(owner, [page()]);
    const record = world.database.doc(`deletions/${deck.presentationId}`);
    const times = { deletedAt: new Date(0), sweepAt: new Date(0) };
    await record.set({
      presentationId: deck.presentationId,
      ownerId: 'x',
      listingSlug: null,
      deletedBy: 'x',
      ...times,
    });
    const stored = await everythingStored(world);
    await runJob('finishDeletions');
    expect(await everythingStored(world)).toEqual(stored);
    await record.delete();
  });
});

/** The library retries an upload after a lost connection only when the upload has a precondition. */
const onceOnly = { resumable: false, preconditionOpts: { ifGenerationMatch: 0 } };

describe('uploads straight to the bucket', () => {
  test('are removed when they are older than two hours, and no other objects are', async () => {
    const store = bucket();
    const names = Array.from({ length: 60 }, (_, i) => `quarantine/deck-${i % 7}/${i}`);
    for (const name of [...names, 'quarantined/other', 'logos/other']) await store.file(name).save('x', onceOnly);
    passSeconds(2 * HOUR - 60);
    await store.file('quarantine/young').save('x', onceOnly);
    // This object was uploaded again less than two hours ago.
    await store.file(names[0]!).save('y');
    await runJob('removeAbandonedUploads');
    expect(await storedObjects('quarantine/')).toHaveLength(61);
    passSeconds(120);
    await Promise.all([runJob('removeAbandonedUploads'), runJob('removeAbandonedUploads')]);
    expect(await storedObjects('quarantine/')).toEqual([`bucket:${names[0]!}`, 'bucket:quarantine/young']);
    expect(await storedObjects('quarantined/')).toHaveLength(1);
    expect(await storedObjects('logos/other')).toHaveLength(1);
  });

  test('that cannot be removed do not block others, and are removed later', async () => {
    const store = bucket();
    const names = ['a', 'b', 'c'].map((name) => `quarantine/held/${name}`);
    for (const name of names) await store.file(name).save('x', onceOnly);
    await store.file(names[0]!).setMetadata({ temporaryHold: true });
    passSeconds(2 * HOUR + 60);
    await runJob('removeAbandonedUploads');
    expect(await storedObjects('quarantine/held/')).toEqual([`bucket:${names[0]!}`]);
    await store.file(names[0]!).setMetadata({ temporaryHold: false });
    await runJob('removeAbandonedUploads');
    expect(await storedObjects('quarantine/held/')).toEqual([]);
  });
});
