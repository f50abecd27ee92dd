import { GRACE_MS } from '../../../functions/src/records/deletions';
import { recordBlobs } from '../../../functions/src/records/new-blobs';
import { SESSION_TTL_SECONDS } from '../../../functions/src/records/upload-sessions';
import { refusal } from '../../support/answers';
import type { HeldSide } from '../../support/bucket-gateway';
import { passSeconds } from '../../support/clock';
import { gateway, startWorldBehindGateway } from '../../support/gateways';
import { meanwhile } from '../../support/held-calls';
import { runJob } from '../../support/jobs';
import { complete, sendDirectly, uploadForm } from '../../support/uploads';
import { bucket, storedObjects } from '../../support/whole-store';
import { blob, page, sha256, succeed, world } from '../../support/world';
import type { Account, Answered, DeckFile, Target } from '../../support/world';

/**
 * Uploads whose deck is deleted, or whose session expires, while the bucket works for them, and uploads of one deck
 * that are recorded together. The gateway holds the calls that store files under their final names, so that the order
 * of events is the same in every run.
 */

let owner: Account;
let author: Account;

startWorldBehindGateway(async () => {
  // A group starts when the one before it has ended, however slow the machine is.
  process.env['UPLOAD_GROUP_PATIENCE_MS'] = '100000';
  author = await world.aPublisher();
});
beforeEach(async () => {
  owner = await world.anOwner();
});
const upload = (target: Target, file: DeckFile): Promise<Answered<unknown>> => world.upload(owner, target, file);
/** The three ways to upload files. Each prepares its files and returns a function that starts the call under test. */
const ways: Record<string, (target: Target, files: DeckFile[]) => Promise<() => Promise<Answered<unknown>>>> = {
  uploadPresentationAsset: (target, [file]) => Promise.resolve(() => upload(target, file!)),
  uploadPresentationAssets: (target, files) => Promise.resolve(() => uploadForm(world, owner, target, files)),
  async completeAssetUploads(target, files) {
    const hashes = await sendDirectly(world, owner, target, files);
    return () => complete(world, owner, target, hashes);
  },
};

/** Holds the calls that store a file of that deck under its final name. */
const holdPlacing = (side: HeldSide, presentationId: string) =>
  gateway.hold(
    side,
    ({ method, address }) =>
      method === 'POST' &&
      (address.includes(`name=presentations/${presentationId}/blobs/`) ||
        (address.includes('/rewriteTo/') && address.includes(`/presentations/${presentationId}/blobs/`))),
  );

const deckOf = (presentationId: string) => world.database.doc(`presentations/${presentationId}`);
/** The stored amount of a deck, and its blob records. */
async function recorded(presentationId: string): Promise<{ files: number; bytes: number; records: number }> {
  const [blobs, counter] = await Promise.all([
    deckOf(presentationId).collection('blobs').get(),
    deckOf(presentationId).collection('uploadCounters').doc('stored').get(),
  ]);
  const { files, bytes } = counter.data() ?? { files: 0, bytes: 0 };
  return { files, bytes, records: blobs.size };
}
const nothing = { files: 0, bytes: 0, records: 0 };
const objectsOf = async (presentationId: string) => [
  ...(await storedObjects(`presentations/${presentationId}/`)),
  ...(await storedObjects(`quarantine/${presentationId}/`)),
];
const remove = (presentationId: string) =>
  succeed(world.call('deletePresentation', { presentationId }, { key: owner.key }));

/** Runs the scheduled functions at a time at which every earlier call has ended. */
async function cleanUp(): Promise<void> {
  passSeconds(GRACE_MS / 1000 + 1);
  await runJob('removeExpiredSessions');
  await runJob('finishDeletions');
}
async function expectNothingAfterCleanUp(presentationId: string): Promise<void> {
  await cleanUp();
  expect(await objectsOf(presentationId)).toEqual([]);
  expect(await recorded(presentationId)).toEqual(nothing);
}

const files = () => [blob(100), blob(2000), blob(30)];
const sides: HeldSide[] = ['request', 'answer'];
/** How a session or a deck ends while the bucket works. */
const ends: Record<string, (presentationId: string) => unknown> = {
  'when the session expires': () => passSeconds(SESSION_TTL_SECONDS + 1),
  'when the session is removed'() {
    passSeconds(SESSION_TTL_SECONDS);
    return cleanUp();
  },
  'when the deck is deleted': remove,
};

const cases = sides.flatMap((side) => Object.keys(ends).map((end) => [end, side] as const));

describe.each(Object.keys(ways))('%s', (way) => {
  test.each(cases)('answers 404 and records nothing %s while the bucket works: held %s', async (end, side) => {
    const isOfDeck = end === 'when the deck is deleted';
    const { presentationId, ...session } = await (isOfDeck ? world.aDeck(owner) : world.aSession(owner));
    const target = 'sessionId' in session ? { sessionId: session.sessionId } : { presentationId };
    expect((await recorded(presentationId)).files).toBe(isOfDeck ? 1 : 0);
    const start = await ways[way]!(target, files());
    const pending = meanwhile(holdPlacing(side, presentationId), start(), () => ends[end]!(presentationId));
    const isExpiry = end === 'when the session expires';
    // The end has removed the quarantined file that completeAssetUploads was about to move.
    if (way === 'completeAssetUploads' && side === 'request' && !isExpiry) {
      expect((await pending).data).toMatchObject({ verified: [], failed: Array(3).fill({ code: 'not-uploaded' }) });
    } else {
      expect(await refusal(pending)).toEqual([404, 'not-found']);
    }
    expect(await recorded(presentationId)).toEqual(nothing);
    if (end === 'when the session is removed') return;
    // Another call may have recorded the same bytes, so the objects stay until the scheduled functions run.
    const left = way === 'uploadPresentationAsset' ? 1 : 3;
    if (isExpiry) expect(await objectsOf(presentationId)).toHaveLength(left);
    await expectNothingAfterCleanUp(presentationId);
  });

  test('records the uploaded files when a commit turns the session into a deck meanwhile', async () => {
    const { sessionId, presentationId } = await world.aSession(owner);
    await world.uploadAll(owner, { sessionId }, [page()]);
    const sent = files();
    const start = await ways[way]!({ sessionId }, sent);
    const commit = () => succeed(world.commit(owner, { sessionId, title: 'x' }, [page()]));
    await succeed(meanwhile(holdPlacing('request', presentationId), start(), commit));
    const hashes = (way === 'uploadPresentationAsset' ? sent.slice(0, 1) : sent).map(({ bytes }) => sha256(bytes));
    const query = { presentationId, hashes };
    expect((await world.call('precheckAssets', query, { key: owner.key })).data).toEqual({ missing: [] });
  });
});

describe('remixMarketplaceListing', () => {
  const aListing = async () => world.aListing(author, {}, await world.aDeck(author, [page(), blob(40)]));
  const remix = (slug: string) =>
    world.call<{ presentationId: string }>('remixMarketplaceListing', { slug }, { key: owner.key });
  /** The remix does not have an id yet, so the hold chooses every copy that does not come from quarantine. */
  const holdCopies = (side: HeldSide, from: string, count?: number) =>
    gateway.hold(
      side,
      ({ method, address }) =>
        method === 'POST' && address.includes(`/presentations/${from}/blobs/`) && address.includes('/rewriteTo/'),
      count,
    );

  test.each(sides)('answers 409 and records nothing when its session expires: held %s', async (side) => {
    const listing = await aListing();
    let presentationId = '';
    const pending = meanwhile(holdCopies(side, listing.presentationId), remix(listing.slug), async () => {
      const { docs } = await world.database.collection('uploadSessions').get();
      presentationId = docs.find(({ id }) => id.startsWith('remix-'))!.get('presentationId') as string;
      passSeconds(SESSION_TTL_SECONDS + 1);
    });
    expect(await refusal(pending)).toEqual([409, 'conflict']);
    expect(await recorded(presentationId)).toEqual(nothing);
    await expectNothingAfterCleanUp(presentationId);
    expect((await deckOf(presentationId).get()).exists).toBe(false);
  });

  test('answers 409 and records nothing when a faster call made the deck and the deck was deleted', async () => {
    const listing = await aListing();
    let presentationId = '';
    // Both copies of the slower call wait while the faster call makes its copies.
    const slower = meanwhile(holdCopies('request', listing.presentationId, 2), remix(listing.slug), async () => {
      ({ presentationId } = await succeed(remix(listing.slug)));
      await remove(presentationId);
    });
    expect(await refusal(slower)).toEqual([409, 'conflict']);
    expect(await recorded(presentationId)).toEqual(nothing);
    expect(await objectsOf(presentationId)).toHaveLength(2);
    await expectNothingAfterCleanUp(presentationId);
  });
});

test('a job that removes abandoned uploads leaves what was sent anew after it was listed', async () => {
  const direct = (path: string, init?: RequestInit) => fetch(`${world.cloud.storage.url}${path}`, init);
  const name = encodeURIComponent('quarantine/abandoned/file');
  const send = (body: string) =>
    direct(`/upload/storage/v1/b/${bucket().name}/o?uploadType=media&name=${name}`, { method: 'POST', body });
  expect((await send('old')).status).toBe(200);
  passSeconds(3 * SESSION_TTL_SECONDS);
  const held = gateway.hold('request', ({ method }) => method === 'DELETE');
  await meanwhile(held, runJob('removeAbandonedUploads'), async () => expect((await send('new')).status).toBe(200));
  const kept = await direct(`/download/storage/v1/b/${bucket().name}/o/${name}?alt=media`);
  expect([kept.status, await kept.text()]).toEqual([200, 'new']);
  await runJob('removeAbandonedUploads');
});

describe('uploads that are recorded together', () => {
  beforeEach(async () => {
    passSeconds(0);
    await world.useKey(owner);
  });

  const some = (count: number, size = 100) => Array.from({ length: count }, () => blob(size));
  /** The statuses of one upload for each file. `meanwhile` happens when the bucket has stored all files. */
  async function uploadTogether(
    target: Target,
    presentationId: string,
    sent: DeckFile[],
    meanwhile: () => Promise<unknown> = () => Promise.resolve(),
  ): Promise<number[]> {
    const names = sent.map(({ bytes }) => `name=presentations/${presentationId}/blobs/${sha256(bytes)}`);
    const holds = names.map((name) => gateway.hold('answer', ({ address }) => address.includes(name)));
    const pending = sent.map((file) => upload(target, file));
    await Promise.all(holds.map((held, i) => held.until(pending[i]!)));
    await meanwhile();
    for (const held of holds) held.release();
    return (await Promise.all(pending)).map(({ status }) => status);
  }
  /** What `work` adds to the records of a deck. */
  async function added(presentationId: string, work: () => Promise<unknown>) {
    const before = await recorded(presentationId);
    await work();
    const { files, bytes, records } = await recorded(presentationId);
    return { files: files - before.files, bytes: bytes - before.bytes, records: records - before.records };
  }
  const all = (count: number, status = 200) => Array<number>(count).fill(status);

  test('32 uploads of one session make at most 4 commits, and count each file once', async () => {
    const { sessionId, presentationId } = await world.aSession(owner);
    const { calls } = await world.costOf(async () => {
      expect(await uploadTogether({ sessionId }, presentationId, some(32))).toEqual(all(32));
    });
    expect(calls['Commit']).toBeLessThanOrEqual(4);
    expect(await recorded(presentationId)).toEqual({ files: 32, bytes: 3200, records: 32 });
  });

  test('are counted once when files of the group are equal', async () => {
    const { sessionId, presentationId: deckId } = await world.aSession(owner);
    const record = (...hashes: string[]) => {
      const file = { sizeBytes: 100, contentType: 'text/css', isNew: true };
      const target = { organizationId: owner.organizationId, deckId, sessionId };
      return recordBlobs(target, new Map(hashes.map((hash) => [sha256(hash), file])));
    };
    const { calls } = await world.costOf(() => Promise.all([record('a', 'b'), record('c', 'd'), record('a')]));
    expect(calls['Commit']).toBe(1);
    expect(await recorded(deckId)).toEqual({ files: 4, bytes: 400, records: 4 });
  });

  test('are recorded next to one that exceeds the limit of the deck', async () => {
    const { presentationId } = await world.aDeck(owner);
    // The free plan stores 50 decks of 250 MB, and this deck has room for 9 600 bytes.
    const bytes = 50 * 250 * 1024 * 1024 - 9600;
    await deckOf(presentationId).collection('uploadCounters').doc('stored').set({ files: 0, bytes });
    await deckOf(presentationId).update({ storedBytes: bytes });
    const amount = await added(presentationId, async () => {
      const sent = [...some(3), blob(20_000), ...some(3)];
      const answers = await Promise.all(sent.map((file) => upload({ presentationId }, file)));
      expect(answers.map(({ status }) => status)).toEqual([...all(3), 413, ...all(3)]);
    });
    expect(amount).toEqual({ files: 6, bytes: 600, records: 6 });
  });

  test('answer 404 and record nothing when their deck is deleted in the middle; those of another deck succeed', async () => {
    const [{ presentationId }, other] = [await world.aDeck(owner), await world.aDeck(owner)];
    const amount = await added(other.presentationId, async () => {
      const [ended, answers] = await Promise.all([
        uploadTogether({ presentationId }, presentationId, some(8), () => remove(presentationId)),
        Promise.all(some(8).map((file) => upload({ presentationId: other.presentationId }, file))),
      ]);
      expect([ended, answers.map(({ status }) => status)]).toEqual([all(8, 404), all(8)]);
    });
    expect(await recorded(presentationId)).toEqual(nothing);
    expect(amount.files).toBe(8);
  });

  test('are recorded next to a file whose record is malformed: that file fails alone', async () => {
    const { sessionId, presentationId } = await world.aSession(owner);
    const sent = some(8);
    const damaged = deckOf(presentationId).collection('blobs').doc(sha256(sent[0]!.bytes));
    const answers = await uploadTogether({ sessionId }, presentationId, sent, () => damaged.set({ sizeBytes: 'many' }));
    expect(answers).toEqual([500, ...all(7)]);
    expect(await recorded(presentationId)).toEqual({ files: 7, bytes: 700, records: 8 });
  });
});
