import { randomBytes } from 'node:crypto';
import { newId } from '../../../functions/src/values/ids';
import { passSeconds } from '../../support/clock';
import { bucket, storedFiles } from '../../support/whole-store';
import { blob, page, sha256, World, type Account, type Answered, type DeckFile } from '../../support/world';

const MB = 1024 * 1024;
let world: World;
let owner: Account;
let stranger: Account;

beforeAll(async () => {
  world = await World.start();
  [owner, stranger] = await Promise.all([world.anOwner('starter'), world.anOwner()]);
});
afterAll(() => world.stop());

type Target = { presentationId: string } | { sessionId: string };
interface Upload {
  sha256: string;
  status: 'exists' | 'upload';
  url: string;
  headers: Record<string, string>;
  expiresAt: string;
}
interface Completed {
  verified: string[];
  failed: { sha256: string; code: string }[];
}

const assetOf = ({ bytes, contentType }: DeckFile) => ({ sha256: sha256(bytes), size: bytes.length, contentType });
const create = (target: object, assets: unknown[], account = owner) =>
  world.call<{ uploads: Upload[] }>('createAssetUploads', { ...target, assets }, { key: account.key });
const complete = (target: object, sha256s: unknown[], account = owner): Promise<Answered<Completed>> =>
  world.call<Completed>('completeAssetUploads', { ...target, sha256s }, { key: account.key });
const put = async ({ url, headers }: Upload, bytes: Buffer) =>
  (await fetch(url, { method: 'PUT', headers, body: new Uint8Array(bytes) })).status;

/** Creates grants for those files, in order. */
const grants = async (target: Target, files: DeckFile[]) => (await create(target, files.map(assetOf))).data.uploads;
/** Creates grants and uploads the files. */
async function send(target: Target, ...files: DeckFile[]): Promise<string[]> {
  const uploads = await grants(target, files);
  for (const [i, upload] of uploads.entries()) expect(await put(upload, files[i]!.bytes)).toBe(200);
  return uploads.map((upload) => upload.sha256);
}

const quarantined = (presentationId: string) => storedFiles(`quarantine/${presentationId}/`);
const placed = (presentationId: string) => storedFiles(`presentations/${presentationId}/`);
const record = (presentationId: string, hash: string) =>
  world.database.doc(`presentations/${presentationId}/blobs/${hash}`).get();

describe('a large file', () => {
  test('is uploaded to the bucket, checked, and then usable like any other file', async () => {
    const { sessionId, presentationId } = await world.aSession(owner);
    const film: DeckFile = { path: 'film.mp4', bytes: randomBytes(33 * MB), contentType: 'video/mp4' };
    const [upload] = await grants({ sessionId }, [film]);
    expect(upload).toMatchObject({ status: 'upload', method: 'PUT', headers: { 'Content-Type': 'video/mp4' } });
    expect(await put(upload!, film.bytes)).toBe(200);
    expect(await placed(presentationId)).toEqual([]);
    expect((await complete({ sessionId }, [upload!.sha256])).data).toEqual({ verified: [upload!.sha256], failed: [] });
    expect(await quarantined(presentationId)).toEqual([]);
    const [object] = await placed(presentationId);
    expect([object!.contentType, object!.metadata]).toEqual(['video/mp4', undefined]);

    await world.uploadAll(owner, { sessionId }, [page()]);
    const deck = (
      await world.commit<{ presentationId: string; token: string }>(owner, { sessionId, title: 'x' }, [page(), film])
    ).data;
    const viewed = Buffer.from(await (await fetch(world.viewUrl(deck, 'film.mp4'))).arrayBuffer());
    expect(viewed.equals(film.bytes)).toBe(true);
    const [again] = await grants({ presentationId }, [film]);
    expect(again).toEqual({ sha256: upload!.sha256, status: 'exists' });
    expect((await complete({ presentationId }, [upload!.sha256])).data.verified).toEqual([upload!.sha256]);
  });

  test('may be sent in pieces, and an interrupted upload continues', async () => {
    const { sessionId } = await world.aSession(owner);
    const file = blob(MB);
    const [upload] = await grants({ sessionId }, [file]);
    const piece = (range: string, bytes: Buffer) =>
      fetch(upload!.url, {
        method: 'PUT',
        headers: { 'content-range': range },
        body: new Uint8Array(bytes),
        redirect: 'manual',
      });
    const first = await piece(`bytes 0-524287/${MB}`, file.bytes.subarray(0, MB / 2));
    expect([first.status, first.headers.get('range')]).toEqual([308, 'bytes=0-524287']);
    expect((await complete({ sessionId }, [upload!.sha256])).data.failed).toEqual([
      { sha256: upload!.sha256, code: 'not-uploaded' },
    ]);
    expect((await piece(`bytes 524288-${MB - 1}/${MB}`, file.bytes.subarray(MB / 2))).status).toBe(200);
    expect((await complete({ sessionId }, [upload!.sha256])).data.verified).toEqual([upload!.sha256]);
  });

  test('that is not what was declared is reported, deleted, and may be sent again', async () => {
    const { sessionId, presentationId } = await world.aSession(owner);
    const [good, other, short, long, absent] = [1000, 2000, 3000, 4000, 5000].map((size) => blob(size));
    const uploads = await grants({ sessionId }, [good!, other!, short!, long!, absent!]);
    expect(await put(uploads[0]!, good!.bytes)).toBe(200);
    expect(await put(uploads[1]!, Buffer.alloc(2000))).toBe(200);
    // The bucket accepts only the declared size.
    expect(await put(uploads[2]!, Buffer.alloc(2999))).toBe(400);
    expect(await put(uploads[3]!, Buffer.alloc(4001))).toBe(400);
    expect(await quarantined(presentationId)).toHaveLength(2);
    const { verified, failed } = (
      await complete(
        { sessionId },
        uploads.map((upload) => upload.sha256),
      )
    ).data;
    expect(verified).toEqual([uploads[0]!.sha256]);
    const codes = ['hash-mismatch', 'not-uploaded', 'not-uploaded', 'not-uploaded'];
    expect(failed).toEqual(codes.map((code, i) => ({ sha256: uploads[i + 1]!.sha256, code })));
    expect(await quarantined(presentationId)).toEqual([]);
    expect(await placed(presentationId)).toHaveLength(1);
    // The upload URL of a refused file does not accept a second file.
    expect(await put(uploads[1]!, other!.bytes)).toBe(200);
    expect((await complete({ sessionId }, [uploads[1]!.sha256])).data.failed[0]!.code).toBe('not-uploaded');
    const [hash] = await send({ sessionId }, other!);
    expect((await complete({ sessionId }, [hash])).data.verified).toEqual([hash]);
  });

  test('of zero bytes is stored, and its upload URL accepts no other bytes', async () => {
    const { sessionId } = await world.aSession(owner);
    const empty: DeckFile = { path: 'empty', bytes: Buffer.alloc(0), contentType: 'text/plain' };
    const [first, second] = [...(await grants({ sessionId }, [empty])), ...(await grants({ sessionId }, [empty]))];
    expect(await put(first!, Buffer.alloc(MB))).toBe(400);
    expect(await put(second!, empty.bytes)).toBe(200);
    expect((await complete({ sessionId }, [sha256('')])).data.verified).toEqual([sha256('')]);
  });

  test('of another size than its grant says is refused, however it came into the bucket', async () => {
    const { sessionId, presentationId } = await world.aSession(owner);
    const file = blob(10);
    const hash = sha256(file.bytes);
    const metadata = { declaredSize: '11', expiresAt: new Date(Date.now() + 60_000).toISOString() };
    const object = bucket().file(`quarantine/${presentationId}/${hash}/x`);
    await object.save(file.bytes, { resumable: false, metadata: { metadata } });
    expect((await complete({ sessionId }, [hash])).data.failed).toEqual([{ sha256: hash, code: 'size-mismatch' }]);
    expect(await quarantined(presentationId)).toEqual([]);
  });

  test("above the plan's cap gets no grant, and is deleted at completion when the plan has shrunk", async () => {
    const { sessionId, presentationId } = await world.aSession(owner);
    const asset = { sha256: sha256('x'), size: 100 * MB + 1, contentType: 'video/mp4' };
    const { status, error } = await create({ sessionId }, [{ ...asset, size: 1, sha256: sha256('y') }, asset]);
    expect([status, error.code, error.details]).toEqual([
      413,
      'payload-too-large',
      { limit: 100 * MB, actual: 100 * MB + 1, plan: 'starter' },
    ]);
    expect((await create({ sessionId }, [{ ...asset, size: 100 * MB }])).status).toBe(200);

    const [hash] = await send({ sessionId }, blob(50 * MB + 1));
    const organization = world.database.doc(`organizations/${owner.organizationId}`);
    await organization.update({ plan: 'free' });
    expect((await complete({ sessionId }, [hash])).data.failed).toEqual([{ sha256: hash, code: 'payload-too-large' }]);
    await organization.update({ plan: 'starter' });
    expect(await quarantined(presentationId)).toEqual([]);
  });

  test('cannot be changed through its upload URL after completion', async () => {
    const { sessionId, presentationId } = await world.aSession(owner);
    const file = blob(2 * MB);
    const [upload] = await grants({ sessionId }, [file]);
    expect(await put(upload!, file.bytes)).toBe(200);
    const changing = Promise.all([1, 2, 3].map(() => put(upload!, Buffer.alloc(2 * MB, 'evil'))));
    expect((await complete({ sessionId }, [upload!.sha256])).data.verified).toEqual([upload!.sha256]);
    await changing;
    await put(upload!, Buffer.alloc(2 * MB, 'evil'));
    const [object] = await placed(presentationId);
    const url = `${world.cloud.storage.url}/download/storage/v1/b/${world.cloud.project}.firebasestorage.app/o/${encodeURIComponent(object!.name)}?alt=media`;
    expect(sha256(Buffer.from(await (await fetch(url)).arrayBuffer()))).toBe(upload!.sha256);
    expect(await quarantined(presentationId)).toEqual([]);
  });
});

describe('a grant', () => {
  test('ends with its session, and after an hour for a deck', async () => {
    const { sessionId, presentationId } = await world.aSession(owner);
    const session = await world.database.doc(`uploadSessions/${sessionId}`).get();
    const [upload] = await grants({ sessionId }, [blob(10)]);
    expect(upload!.expiresAt).toBe((session.get('expiresAt') as { toDate(): Date }).toDate().toISOString());
    await world.uploadAll(owner, { sessionId }, [page()]);
    await world.commit(owner, { sessionId, title: 'x' }, [page()]);
    const hour = Date.now() + 3600_000;
    const [ofDeck] = await grants({ presentationId }, [blob(10)]);
    expect(Math.abs(Date.parse(ofDeck!.expiresAt) - hour)).toBeLessThan(60_000);

    const [hash] = await send({ presentationId }, blob(20));
    passSeconds(3601);
    expect((await complete({ presentationId }, [hash])).data.failed).toEqual([{ sha256: hash, code: 'not-uploaded' }]);
    expect(await quarantined(presentationId)).toEqual([]);
  });

  test('of a session is valid for the deck that the session became', async () => {
    const { sessionId, presentationId } = await world.aSession(owner);
    const [hash] = await send({ sessionId }, blob(30));
    await world.uploadAll(owner, { sessionId }, [page()]);
    await world.commit(owner, { sessionId, title: 'x' }, [page()]);
    expect((await complete({ sessionId }, [hash])).status).toBe(404);
    expect((await complete({ presentationId }, [hash])).data.verified).toEqual([hash]);
  });

  test('is valid for its own session or deck only', async () => {
    const { sessionId, presentationId } = await world.aSession(owner);
    const [hash] = await send({ sessionId }, blob(40));
    const theirs = await world.aSession(stranger);
    const asset = { sha256: hash!, size: 40, contentType: 'a/b' };
    for (const account of [stranger]) {
      expect((await create({ sessionId }, [asset], account)).status).toBe(403);
      expect((await complete({ sessionId }, [hash], account)).status).toBe(403);
    }
    expect((await complete({ sessionId: theirs.sessionId }, [hash], stranger)).data.failed[0]!.code).toBe(
      'not-uploaded',
    );
    expect((await complete({ sessionId: newId() }, [hash])).status).toBe(404);
    expect((await create({ sessionId: newId() }, [asset])).status).toBe(404);
    expect(await quarantined(presentationId)).toHaveLength(1);
    passSeconds(3601);
    expect((await complete({ sessionId }, [hash])).status).toBe(404);
  });
});

describe('races', () => {
  test('of calls that complete one file: all succeed, and one reports that it stored the file', async () => {
    const { sessionId, presentationId } = await world.aSession(owner);
    const [a, b] = [blob(3 * MB), blob(2 * MB)];
    const hashes = await send({ sessionId }, a, b);
    // A second grant for the same bytes does not make a second file.
    await send({ sessionId }, a);
    const answers = await Promise.all(Array.from({ length: 8 }, () => complete({ sessionId }, hashes)));
    for (const { data } of answers) expect(data).toEqual({ verified: hashes, failed: [] });
    expect(await placed(presentationId)).toHaveLength(2);
    expect(await quarantined(presentationId)).toEqual([]);
  });

  test('of uploads of one file through every endpoint: the file is stored once', async () => {
    const { sessionId, presentationId } = await world.aSession(owner);
    const file = blob(MB);
    const [hash] = await send({ sessionId }, file);
    const form = new FormData();
    form.append('sessionId', sessionId);
    form.append(hash!, new Blob([new Uint8Array(file.bytes)]), 'file');
    const [completed, single, many] = await Promise.all([
      complete({ sessionId }, [hash]),
      world.upload(owner, { sessionId }, file),
      world.call('uploadPresentationAssets', form, { key: owner.key }),
    ]);
    expect([completed.data.verified, single.status, many.status]).toEqual([[hash], 200, 200]);
    expect(await placed(presentationId)).toHaveLength(1);
    expect((await record(presentationId, hash!)).get('sizeBytes')).toBe(MB);
  });

  test('a call that was interrupted between moving a file and recording it is completed by the next call', async () => {
    const { sessionId, presentationId } = await world.aSession(owner);
    const [hash] = await send({ sessionId }, blob(50));
    await complete({ sessionId }, [hash]);
    await world.database.doc(`presentations/${presentationId}/blobs/${hash}`).delete();
    expect((await complete({ sessionId }, [hash])).data.verified).toEqual([hash]);
    expect((await record(presentationId, hash!)).get('sizeBytes')).toBe(50);
  });
});

describe('what is refused', () => {
  const asset = { sha256: sha256('x'), size: 1, contentType: 'text/css' };
  const hashes = (count: number) => Array.from({ length: count }, (_, i) => sha256(String(i)));

  test.each([
    ['no assets', { assets: [] }],
    ['no list', { assets: 'x' }],
    ['501 assets', { assets: hashes(501).map((each) => ({ ...asset, sha256: each })) }],
    ['a bad hash', { assets: [{ ...asset, sha256: 'X' }] }],
    ['a negative size', { assets: [{ ...asset, size: -1 }] }],
    ['half a byte', { assets: [{ ...asset, size: 0.5 }] }],
    ['a bad type', { assets: [{ ...asset, contentType: 'a/b\r\nc: d' }] }],
  ])('createAssetUploads: %s', async (_what, fields) => {
    const { sessionId } = await world.aSession(owner);
    const { status, error } = await world.call('createAssetUploads', { sessionId, ...fields }, { key: owner.key });
    expect([status, error.code]).toEqual([400, 'invalid-argument']);
  });

  test.each([
    ['no hashes', []],
    ['501 hashes', hashes(501)],
    ['a bad hash', ['../../x']],
  ])('completeAssetUploads: %s', async (_what, sha256s) => {
    const { sessionId } = await world.aSession(owner);
    const { status, error } = await complete({ sessionId }, sha256s);
    expect([status, error.code]).toEqual([400, 'invalid-argument']);
  });

  test('no target and two targets', async () => {
    const both = { sessionId: newId(), presentationId: newId() };
    for (const target of [{}, both]) {
      expect((await create(target, [asset])).status).toBe(400);
      expect((await complete(target, [sha256('x')])).status).toBe(400);
    }
  });
});

test('500 files cost five round trips to grant, and four to complete in a known session, key included', async () => {
  passSeconds(0);
  await world.useKey(owner);
  const { sessionId } = await world.aSession(owner);
  const files = Array.from({ length: 500 }, (_, i) => blob(40 + i));
  let uploads: Upload[] = [];
  const granting = await world.costOf(async () => (uploads = await grants({ sessionId }, files)));
  expect(granting).toMatchObject({ roundTrips: 5, storageCalls: 500 });
  // One hundred of the files are sent.
  const sent = uploads.slice(0, 100);
  await Promise.all(sent.map((upload, i) => put(upload, files[i]!.bytes)));
  const hashes = uploads.map((upload) => upload.sha256);
  const completing = await world.costOf(async () => {
    const { verified, failed } = (await complete({ sessionId }, hashes)).data;
    expect(verified).toEqual(sent.map((upload) => upload.sha256));
    expect(failed).toEqual(hashes.slice(100).map((hash) => ({ sha256: hash, code: 'not-uploaded' })));
  });
  // One call lists what was sent. Then each sent file is read, moved and deleted, and each other file is looked for in its place.
  expect(completing).toMatchObject({ roundTrips: 4, storageCalls: 1 + 3 * 100 + 400 });
  const again = await world.costOf(() => complete({ sessionId }, hashes.slice(0, 100)));
  expect(again).toMatchObject({ roundTrips: 2, storageCalls: 0 });
});
