import { GRACE_MS } from '../../../functions/src/records/deletions';
import { SESSION_TTL_SECONDS } from '../../../functions/src/records/upload-sessions';
import { startBucketGateway, type BucketGateway, type HeldSide } from '../../support/bucket-gateway';
import { passSeconds } from '../../support/clock';
import { runJob } from '../../support/jobs';
import { bucket, storedObjects } from '../../support/whole-store';
import { blob, page, sha256, succeed, World, type Account, type Answered, type DeckFile } from '../../support/world';

/**
 * Uploads whose deck is deleted, or whose session expires, while the bucket works for them. The gateway holds the call
 * that stores a file under its final name, so that the order of events is the same in every run.
 */

let world: World;
let gateway: BucketGateway;
let owner: Account;
let author: Account;

beforeAll(async () => {
  world = await World.start();
  gateway = await startBucketGateway(world.cloud.storage.url);
  // The functions make their bucket client at their first call, so the variable is set before it.
  process.env['STORAGE_EMULATOR_HOST'] = gateway.url;
  process.env['FIREBASE_STORAGE_EMULATOR_HOST'] = new URL(gateway.url).host;
  [owner, author] = await Promise.all([world.anOwner(), world.aPublisher()]);
});
afterAll(async () => {
  await world.stop();
  await gateway.close();
});

type Target = { presentationId: string } | { sessionId: string };

/**
 * The three ways to upload files. Each one prepares its files and returns a function that starts the call under test.
 */
const ways: Record<string, (target: Target, files: DeckFile[]) => Promise<() => Promise<Answered<unknown>>>> = {
  async uploadPresentationAsset(target, [file]) {
    return () => world.upload(owner, target, file!);
  },
  async uploadPresentationAssets(target, files) {
    const form = new FormData();
    for (const [name, value] of Object.entries(target)) form.append(name, value);
    for (const { bytes, contentType } of files) {
      form.append(sha256(bytes), new Blob([new Uint8Array(bytes)], { type: contentType }), 'file');
    }
    return () => world.call('uploadPresentationAssets', form, { key: owner.key });
  },
  async completeAssetUploads(target, files) {
    const assets = files.map(({ bytes, contentType }) => ({ sha256: sha256(bytes), size: bytes.length, contentType }));
    const granted = world.call<{ uploads: { url: string }[] }>(
      'createAssetUploads',
      { ...target, assets },
      { key: owner.key },
    );
    for (const [i, { url }] of (await granted).data.uploads.entries()) {
      const sent = await fetch(url, { method: 'PUT', body: new Uint8Array(files[i]!.bytes) });
      expect(sent.status).toBe(200);
    }
    const sha256s = assets.map((asset) => asset.sha256);
    return () => world.call('completeAssetUploads', { ...target, sha256s }, { key: owner.key });
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

/** The blob records and upload counters of a deck. */
async function recordsOf(presentationId: string): Promise<string[]> {
  const deck = world.database.doc(`presentations/${presentationId}`);
  const [blobs, counters] = await Promise.all([
    deck.collection('blobs').get(),
    deck.collection('uploadCounters').get(),
  ]);
  const stored = counters.docs.filter(({ id }) => id === 'stored');
  return [...blobs.docs, ...stored].map(({ ref }) => ref.path);
}
const objectsOf = async (presentationId: string) => [
  ...(await storedObjects(`presentations/${presentationId}/`)),
  ...(await storedObjects(`quarantine/${presentationId}/`)),
];

/** Runs the scheduled functions at a time at which every earlier call has ended. */
async function cleanUp(): Promise<void> {
  passSeconds(GRACE_MS / 1000 + 1);
  await runJob('removeExpiredSessions');
  await runJob('finishDeletions');
}

const files = () => [blob(100), blob(2000), blob(30)];
const heldAt: HeldSide[] = ['request', 'answer'];

const ofSession = async () => {
  const { sessionId, presentationId } = await world.aSession(owner);
  return { target: { sessionId }, presentationId };
};
const ofDeck = async () => {
  const { presentationId } = await world.aDeck(owner);
  return { target: { presentationId }, presentationId };
};
interface End {
  prepare: () => Promise<{ target: Target; presentationId: string }>;
  happen: (presentationId: string) => unknown;
}
/** How a session or a deck ends while the bucket works. */
const ends: Record<string, End> = {
  'when the session expires': { prepare: ofSession, happen: () => passSeconds(SESSION_TTL_SECONDS + 1) },
  'when the session is removed': {
    prepare: ofSession,
    happen() {
      passSeconds(SESSION_TTL_SECONDS);
      return cleanUp();
    },
  },
  'when the deck is deleted': {
    prepare: ofDeck,
    happen: (presentationId) => succeed(world.call('deletePresentation', { presentationId }, { key: owner.key })),
  },
};

describe.each(Object.keys(ways))('%s', (way) => {
  test.each(heldAt.flatMap((side) => Object.keys(ends).map((end) => [end, side] as const)))(
    'answers 404 and records nothing %s while the bucket works: held %s',
    async (end, side) => {
      const { prepare, happen } = ends[end]!;
      const { target, presentationId } = await prepare();
      const start = await ways[way]!(target, files());
      const held = holdPlacing(side, presentationId);
      const pending = start();
      await held.until(pending);
      await happen(presentationId);
      held.release();
      const isExpiry = end === 'when the session expires';
      // The end has removed the quarantined file that completeAssetUploads was about to move.
      if (way === 'completeAssetUploads' && side === 'request' && !isExpiry) {
        const failed = Array.from({ length: 3 }, () => ({ code: 'not-uploaded' }));
        expect((await pending).data).toMatchObject({ verified: [], failed });
      } else {
        const { status, error } = await pending;
        expect([status, error.code]).toEqual([404, 'not-found']);
      }
      expect(await recordsOf(presentationId)).toEqual([]);
      if (end === 'when the session is removed') return;
      // Another call may have recorded the same bytes, so the objects stay until the scheduled functions run.
      const left = way === 'uploadPresentationAsset' ? 1 : 3;
      if (isExpiry) expect(await objectsOf(presentationId)).toHaveLength(left);
      await cleanUp();
      expect([...(await objectsOf(presentationId)), ...(await recordsOf(presentationId))]).toEqual([]);
    },
  );

  test('records the uploaded files when a commit turns the session into a deck meanwhile', async () => {
    const { sessionId, presentationId } = await world.aSession(owner);
    await world.uploadAll(owner, { sessionId }, [page()]);
    const sent = files();
    const start = await ways[way]!({ sessionId }, sent);
    const held = holdPlacing('request', presentationId);
    const pending = start();
    await held.until(pending);
    await succeed(world.commit(owner, { sessionId, title: 'x' }, [page()]));
    held.release();
    await succeed(pending);
    const hashes = (way === 'uploadPresentationAsset' ? sent.slice(0, 1) : sent).map(({ bytes }) => sha256(bytes));
    const query = { presentationId, hashes };
    expect((await world.call('precheckAssets', query, { key: owner.key })).data).toEqual({ missing: [] });
  });
});

describe('remixMarketplaceListing', () => {
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
  const openRemixId = async () => {
    const sessions = await world.database.collection('uploadSessions').get();
    const [remixSession] = sessions.docs.filter(({ id }) => id.startsWith('remix-'));
    return remixSession!.get('presentationId') as string;
  };

  test.each(heldAt)(
    'answers 409 and records nothing when its session expires while the bucket copies: held %s',
    async (side) => {
      const listing = await world.aListing(author, {}, await world.aDeck(author, [page(), blob(40)]));
      const held = holdCopies(side, listing.presentationId);
      const pending = remix(listing.slug);
      await held.until(pending);
      const presentationId = await openRemixId();
      passSeconds(SESSION_TTL_SECONDS + 1);
      held.release();
      const { status, error } = await pending;
      expect([status, error.code]).toEqual([409, 'conflict']);
      expect(await recordsOf(presentationId)).toEqual([]);
      await cleanUp();
      expect([...(await objectsOf(presentationId)), ...(await recordsOf(presentationId))]).toEqual([]);
      const deck = await world.database.doc(`presentations/${presentationId}`).get();
      expect(deck.exists).toBe(false);
    },
  );

  test('answers 409 and records nothing when a faster call made the deck and the deck was deleted', async () => {
    const listing = await world.aListing(author, {}, await world.aDeck(author, [page(), blob(40)]));
    // Both copies of the slower call wait while the faster call makes its copies.
    const held = holdCopies('request', listing.presentationId, 2);
    const slower = remix(listing.slug);
    await held.until(slower);
    const { presentationId } = await succeed(remix(listing.slug));
    await succeed(world.call('deletePresentation', { presentationId }, { key: owner.key }));
    held.release();
    const { status, error } = await slower;
    expect([status, error.code]).toEqual([409, 'conflict']);
    expect(await recordsOf(presentationId)).toEqual([]);
    expect(await objectsOf(presentationId)).toHaveLength(2);
    await cleanUp();
    expect([...(await objectsOf(presentationId)), ...(await recordsOf(presentationId))]).toEqual([]);
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
  const running = runJob('removeAbandonedUploads');
  await held.until(running);
  expect((await send('new')).status).toBe(200);
  held.release();
  await running;
  const kept = await direct(`/download/storage/v1/b/${bucket().name}/o/${name}?alt=media`);
  expect([kept.status, await kept.text()]).toEqual([200, 'new']);
  await runJob('removeAbandonedUploads');
});
