import { recordBlobs } from '../../../functions/src/records/new-blobs';
import { startBucketGateway, type BucketGateway } from '../../support/bucket-gateway';
import { passSeconds } from '../../support/clock';
import { blob, page, sha256, succeed, World, type Account, type Answered, type DeckFile } from '../../support/world';

/**
 * Uploads of one deck that are recorded together. The gateway holds the answers of the bucket until it has stored every
 * file, so that the uploads record their files at the same time.
 */

let world: World;
let gateway: BucketGateway;
let owner: Account;

beforeAll(async () => {
  // A group starts when the one before it has ended, however slow the machine is.
  process.env['UPLOAD_GROUP_PATIENCE_MS'] = '100000';
  world = await World.start();
  gateway = await startBucketGateway(world.cloud.storage.url);
  process.env['STORAGE_EMULATOR_HOST'] = gateway.url;
  process.env['FIREBASE_STORAGE_EMULATOR_HOST'] = new URL(gateway.url).host;
});
beforeEach(async () => {
  owner = await world.anOwner();
  passSeconds(0);
  await world.useKey(owner);
});
afterAll(async () => {
  await world.stop();
  await gateway.close();
});

type Target = { presentationId: string } | { sessionId: string };

const upload = (target: Target, file: DeckFile) => world.upload(owner, target, file);
const uploadForm = (target: Target, files: DeckFile[]) => {
  const form = new FormData();
  for (const [name, value] of Object.entries(target)) form.append(name, value);
  for (const { bytes, contentType } of files) {
    form.append(sha256(bytes), new Blob([new Uint8Array(bytes)], { type: contentType }), 'file');
  }
  return world.call('uploadPresentationAssets', form, { key: owner.key });
};
const some = (count: number, size = 100) => Array.from({ length: count }, () => blob(size));

/** Starts one upload for each file, and does `meanwhile` when the bucket has stored all files. */
async function uploadTogether(
  target: Target,
  presentationId: string,
  files: DeckFile[],
  meanwhile: () => Promise<unknown> = () => Promise.resolve(),
): Promise<Answered<unknown>[]> {
  const names = files.map(({ bytes }) => `name=presentations/${presentationId}/blobs/${sha256(bytes)}`);
  const holds = names.map((name) => gateway.hold('answer', ({ address }) => address.includes(name)));
  const pending = files.map((file) => upload(target, file));
  await Promise.all(holds.map((held, i) => held.until(pending[i]!)));
  await meanwhile();
  for (const held of holds) held.release();
  return Promise.all(pending);
}

const deckOf = (presentationId: string) => world.database.doc(`presentations/${presentationId}`);
async function recorded(presentationId: string): Promise<{ files: number; bytes: number; records: number }> {
  const [blobs, counter] = await Promise.all([
    deckOf(presentationId).collection('blobs').get(),
    deckOf(presentationId).collection('uploadCounters').doc('stored').get(),
  ]);
  const { files, bytes } = counter.data() ?? { files: 0, bytes: 0 };
  return { files, bytes, records: blobs.size };
}
const statuses = (answers: { status: number }[]) => answers.map(({ status }) => status);

test('32 uploads of one session make at most 4 commits, and count each file once', async () => {
  const { sessionId, presentationId } = await world.aSession(owner);
  const files = some(32);
  const { calls } = await world.costOf(async () => {
    const answers = await uploadTogether({ sessionId }, presentationId, files);
    expect(statuses(answers)).toEqual(files.map(() => 200));
  });
  expect(calls['Commit']).toBeLessThanOrEqual(4);
  expect(await recorded(presentationId)).toEqual({ files: 32, bytes: 3200, records: 32 });
});

test('the count is exact after uploads with duplicates, and next to uploads that are refused', async () => {
  const { presentationId } = await world.aDeck(owner);
  const before = await recorded(presentationId);
  const target = { presentationId };
  const files = some(12);
  const wrong = world.upload(owner, target, blob(100), { sha256: sha256('other bytes') });
  const answers = await Promise.all([
    ...[...files, ...files, ...files].map((file) => upload(target, file)),
    uploadForm(target, [...files.slice(6), ...some(3, 1000)]),
    uploadForm(target, files),
  ]);
  expect(statuses(answers)).toEqual(answers.map(() => 200));
  expect((await wrong).error.code).toBe('hash-mismatch');
  const added = { files: 15, bytes: 4200, records: 15 };
  expect(await recorded(presentationId)).toEqual({
    files: before.files + added.files,
    bytes: before.bytes + added.bytes,
    records: before.records + added.records,
  });
});

test('equal files of a group are counted once', async () => {
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

test('an upload that exceeds the limit of the deck is refused, and the uploads next to it are recorded', async () => {
  const { presentationId } = await world.aDeck(owner);
  // The free plan stores 50 decks of 250 MB, and this deck has room for 9 600 bytes.
  const bytesStored = 50 * 250 * 1024 * 1024 - 9600;
  await deckOf(presentationId).collection('uploadCounters').doc('stored').set({ files: 0, bytes: bytesStored });
  await deckOf(presentationId).update({ storedBytes: bytesStored });
  const before = await recorded(presentationId);
  const large = blob(20_000);
  const files = [...some(3), large, ...some(3)];
  const answers = await Promise.all(files.map((file) => upload({ presentationId }, file)));
  expect(statuses(answers)).toEqual(files.map((file) => (file === large ? 413 : 200)));
  const { files: count, bytes, records } = await recorded(presentationId);
  expect([count - before.files, bytes - before.bytes, records - before.records]).toEqual([6, 600, 6]);
});

test('uploads whose deck is deleted in the middle answer 404 and record nothing; those of another deck succeed', async () => {
  const [deck, other] = [await world.aDeck(owner), await world.aDeck(owner)];
  const { presentationId } = deck;
  const before = await recorded(other.presentationId);
  const [ended, answers] = await Promise.all([
    uploadTogether({ presentationId }, presentationId, some(8), () =>
      succeed(world.call('deletePresentation', { presentationId }, { key: owner.key })),
    ),
    Promise.all(some(8).map((file) => upload({ presentationId: other.presentationId }, file))),
  ]);
  expect(ended.map(({ status, error }) => [status, error.code])).toEqual(ended.map(() => [404, 'not-found']));
  expect(statuses(answers)).toEqual(answers.map(() => 200));
  expect(await recorded(presentationId)).toEqual({ files: 0, bytes: 0, records: 0 });
  expect((await recorded(other.presentationId)).files).toBe(before.files + 8);
});

test('uploads of a session and of the deck that its commit makes are all recorded', async () => {
  const { sessionId, presentationId } = await world.aSession(owner);
  await world.uploadAll(owner, { sessionId }, [page()]);
  const files = some(8);
  const answers = await uploadTogether({ sessionId }, presentationId, files, async () => {
    await succeed(world.commit(owner, { sessionId, title: 'x' }, [page()]));
    await succeed(upload({ presentationId }, blob(50)));
  });
  expect(statuses(answers)).toEqual(answers.map(() => 200));
  expect(await recorded(presentationId)).toMatchObject({ files: 10, records: 10 });
});

test('a file whose record is malformed fails alone', async () => {
  const { sessionId, presentationId } = await world.aSession(owner);
  const [damaged, ...files] = some(8);
  const record = deckOf(presentationId).collection('blobs').doc(sha256(damaged!.bytes));
  const answers = await uploadTogether({ sessionId }, presentationId, [damaged!, ...files], () =>
    record.set({ sizeBytes: 'many' }),
  );
  expect(statuses(answers)).toEqual([500, ...files.map(() => 200)]);
  expect(await recorded(presentationId)).toEqual({ files: 7, bytes: 700, records: 8 });
});
