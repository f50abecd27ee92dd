import * as functions from '../../../functions/src/index';
import { readIn } from '../../../functions/src/records/database';
import { beginDeletion, GRACE_MS } from '../../../functions/src/records/deletions';
import { presentationRef } from '../../../functions/src/records/presentations';
import { transact } from '../../../functions/src/records/transact';
import { hashKey } from '../../../functions/src/values/keys';
import { startSchedules } from '../../../local/schedules';
import { atOnce } from '../../support/answers';
import { passSeconds } from '../../support/clock';
import { each } from '../../support/each';
import { endpoints } from '../../support/endpoints';
import { runJob } from '../../support/jobs';
import { bucket, everythingStored, storedObjects } from '../../support/whole-store';
import { type Account, blob, type Deck, page, sha256, startWorld, succeed, world } from '../../support/world';

/** The deletion of decks, and the jobs that remove what deletions, sessions and uploads have left. */

type Deleted = Record<'versionsDeleted' | 'assetsDeleted' | 'collaboratorsDeleted', number>;

const HOUR = 3600;
const GRACE = GRACE_MS / 1000;

let owner: Account;
let before: string[];

startWorld();
beforeEach(async () => {
  owner = await world.anOwner('enterprise');
  // The loads of the decks of other tests.
  await runJob('foldInsights');
  before = await everythingStored(world);
});

const remove = (presentationId: string, key = owner.key) =>
  world.call<Deleted>('deletePresentation', { presentationId }, { key });
/** How many versions, files and collaborators a call has deleted. */
const countsOf = (data: Deleted) => [data.versionsDeleted, data.assetsDeleted, data.collaboratorsDeleted];
/** Writes objects. The library retries an upload after a lost connection only when the upload has a precondition. */
const save = async (names: readonly string[]) => {
  const onceOnly = { resumable: false, preconditionOpts: { ifGenerationMatch: 0 } };
  for (const name of names) await bucket().file(name).save('late', onceOnly);
};
const deckPath = (deck: Pick<Deck, 'presentationId'>) => `presentations/${deck.presentationId}`;
const sweepOf = (presentationId: string) => [`deletions/${presentationId}`];
/**
 * The documents and objects that the test added, without the mail window of the organization, the records and keys of
 * recipients, and the state of the marketplace's job. The job of pictures forgets a deck that is gone within a minute.
 */
const leftovers = async () => {
  await runJob('makePictures');
  const known = new Set([...before, `mailWindows/${owner.organizationId}`, 'marketplaceStates/current']);
  return (await everythingStored(world)).filter(
    (name) => !known.has(name) && !/^(mailRecipients|recipientKeys)\//.test(name),
  );
};
const cleanUp = async () => {
  await runJob('removeExpiredSessions');
  await runJob('finishDeletions');
};
const pastTheGrace = async () => {
  passSeconds(GRACE + 1);
  await runJob('finishDeletions');
};

/** A deck with documents in every collection of a deck. */
async function aFullDeck(): Promise<Deck> {
  const deck = await world.aDeck(owner, [page('one'), blob(10)]);
  const { presentationId } = deck;
  await world.uploadAll(owner, { presentationId }, [page('two')]);
  await succeed(world.commit(owner, { presentationId }, [page('two')]));
  await succeed(world.call('addPresentationToken', { presentationId, tokenName: 'x' }, { key: owner.key }));
  const invitation = { presentationId, email: `dev-${presentationId}@example.org` };
  await succeed(world.call('inviteCollaborator', invitation, { key: owner.key }));
  await world.visit(world.viewUrl(deck));
  return deck;
}

/** A deck whose deletion was cut off: the deck is gone, and one of its three blob records. */
async function aHalfDeletedDeck(): Promise<Deck> {
  const deck = await aFullDeck();
  await transact(async (tx) => {
    const [record] = await readIn(tx, presentationRef(deck.presentationId));
    beginDeletion(tx, record!, owner.userId, new Date());
  });
  await world.database.doc(`${deckPath(deck)}/blobs/${sha256(page('two').bytes)}`).delete();
  return deck;
}

describe('deleting a deck', () => {
  test('leaves nothing in the whole store except for the note for the last sweep, and after that sweep nothing', async () => {
    const deck = await aFullDeck();
    const { presentationId } = deck;
    // Collections that the code does not know, and documents whose parent is missing.
    await world.database.doc(`${deckPath(deck)}/novelties/a`).set({ n: 1 });
    await world.database.doc(`${deckPath(deck)}/novelties/none/below/a`).set({ n: 1 });
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
    expect(await succeed(remove(presentationId))).toMatchObject({
      deleted: true,
      versionsDeleted: 0,
      assetsDeleted: 0,
    });
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
    const deck = await aFullDeck();
    const { presentationId } = deck;
    const counter = (await world.database.collection(`${deckPath(deck)}/viewCounters`).listDocuments())[0]!;
    await succeed(remove(presentationId));
    const late = `${deckPath(deck)}/blobs/${sha256('late')}`;
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

/** A session that was never committed, with three uploaded files. */
async function aLeftSession() {
  const session = await world.aSession(owner);
  await world.uploadAll(owner, { sessionId: session.sessionId }, [page(), blob(10), blob(2000)]);
  return session;
}

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

  test('is gone within 2 hours by the schedules of the jobs, and so is a deletion that was cut off', async () => {
    await aHalfDeletedDeck();
    await aLeftSession();
    passSeconds(HOUR);
    const schedules = startSchedules({ functions: world.functions, baseUrl: world.cloud.baseUrl, log: () => {} });
    for (let minutes = 0; minutes < 120; minutes += 10) {
      passSeconds(600);
      await schedules.runDue();
    }
    await schedules.close();
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
