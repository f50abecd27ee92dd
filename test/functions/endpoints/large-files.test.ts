import { randomBytes } from 'node:crypto';
import type { Timestamp } from 'firebase-admin/firestore';
import { newId } from '../../../functions/src/values/ids';
import { atOnce, fullRefusal, refusal } from '../../support/answers';
import { passSeconds } from '../../support/clock';
import { requestLocally } from '../../support/deck-origin';
import { each } from '../../support/each';
import * as uploads from '../../support/uploads';
import { assetOf, put, uploadForm, type Grant } from '../../support/uploads';
import { bucket, storedFiles } from '../../support/whole-store';
import { blob, page, sha256, startWorld, succeed, world } from '../../support/world';
import type { Account, Deck, DeckFile, Target } from '../../support/world';

/** Uploads straight to the bucket, and what a deck and its open grants may have. */

const MB = 1024 * 1024;
let owner: Account;
let stranger: Account;
startWorld(async () => {
  stranger = await world.anOwner();
});
beforeEach(async () => {
  owner = await world.anOwner('starter');
});

const create = (target: object, assets: unknown, by = owner) => uploads.askForGrants(world, by, target, assets);
const complete = (target: object, hashes: unknown[], by = owner) => uploads.complete(world, by, target, hashes);
/** Which files a completed call has verified, and the codes of those that failed. */
const completed = async (target: object, hashes: string[]) => {
  const { verified, failed } = (await complete(target, hashes)).data;
  expect(failed.map((file) => file.sha256)).toEqual(hashes.filter((hash) => !verified.includes(hash)));
  return { verified, codes: failed.map(({ code }) => code) };
};
const verified = (...hashes: string[]) => ({ verified: hashes, codes: [] });
const failed = (...codes: string[]) => ({ verified: [], codes });
const grantsOf = async (target: Target, files: DeckFile[]) => (await create(target, files.map(assetOf))).data.uploads;
const send = (target: Target, ...files: DeckFile[]) => uploads.sendDirectly(world, owner, target, files);
const setPlan = (plan: string) => world.database.doc(`organizations/${owner.organizationId}`).update({ plan });
/** Makes a deck of the session. */
async function commit(sessionId: string, files = [page()]): Promise<Deck> {
  await world.uploadAll(owner, { sessionId }, [page()]);
  return (await world.commit<Deck>(owner, { sessionId, title: 'x' }, files)).data;
}
const quarantined = (presentationId: string) => storedFiles(`quarantine/${presentationId}/`);
const placed = (presentationId: string) => storedFiles(`presentations/${presentationId}/`);
const record = (presentationId: string, hash: string) =>
  world.database.doc(`presentations/${presentationId}/blobs/${hash}`);

describe('a large file', () => {
  test('is uploaded to the bucket, checked, and then usable like any other file', async () => {
    const { sessionId, presentationId } = await world.aSession(owner);
    const film: DeckFile = { path: 'film.mp4', bytes: randomBytes(9 * MB), contentType: 'video/mp4' };
    const hash = sha256(film.bytes);
    const [grant] = await grantsOf({ sessionId }, [film]);
    expect(grant).toMatchObject({ status: 'upload', method: 'PUT', headers: { 'Content-Type': 'video/mp4' } });
    expect(await put(grant!, film.bytes)).toBe(200);
    expect(await placed(presentationId)).toEqual([]);
    expect(await completed({ sessionId }, [hash])).toEqual(verified(hash));
    expect(await quarantined(presentationId)).toEqual([]);
    expect(await placed(presentationId)).toMatchObject([{ contentType: 'video/mp4', metadata: undefined }]);
    const deck = await commit(sessionId, [page(), film]);
    const { bytes } = await requestLocally(world.viewUrl(deck, 'film.mp4'));
    expect(bytes.equals(film.bytes)).toBe(true);
    expect(await grantsOf({ presentationId }, [film])).toEqual([{ sha256: hash, status: 'exists' }]);
    expect(await completed({ presentationId }, [hash])).toEqual(verified(hash));
  });

  test('that is not what was declared is reported, deleted, and may be sent again', async () => {
    const { sessionId, presentationId } = await world.aSession(owner);
    const files = [1000, 2000, 3000, 4000, 5000, 0].map((size) => blob(size));
    const grants = await grantsOf({ sessionId }, files);
    const hashes = grants.map((grant) => grant.sha256);
    // The bucket accepts only the declared size.
    const sent = [files[0]!.bytes, Buffer.alloc(2000), Buffer.alloc(2999), Buffer.alloc(4001)];
    expect(await Promise.all(sent.map((bytes, i) => put(grants[i]!, bytes)))).toEqual([200, 200, 400, 400]);
    expect(await put(grants[5]!, Buffer.alloc(MB))).toBe(400);
    expect(await quarantined(presentationId)).toHaveLength(2);
    const codes = ['hash-mismatch', ...Array<string>(4).fill('not-uploaded')];
    expect(await completed({ sessionId }, hashes)).toEqual({ verified: [hashes[0]], codes });
    expect(await quarantined(presentationId)).toEqual([]);
    expect(await placed(presentationId)).toHaveLength(1);
    // The upload URL of a refused file does not accept a second file.
    expect(await put(grants[1]!, files[1]!.bytes)).toBe(200);
    expect(await completed({ sessionId }, [hashes[1]!])).toEqual(failed('not-uploaded'));
    const again = await send({ sessionId }, files[1]!, files[5]!);
    expect(await completed({ sessionId }, again)).toEqual(verified(hashes[1]!, sha256('')));
  });

  test('of another size than its grant says is refused, however it came into the bucket', async () => {
    const { sessionId, presentationId } = await world.aSession(owner);
    const { bytes } = blob(10);
    const metadata = { declaredSize: '11', expiresAt: new Date(Date.now() + 60_000).toISOString() };
    const object = bucket().file(`quarantine/${presentationId}/${sha256(bytes)}/x`);
    await object.save(bytes, { resumable: false, metadata: { metadata } });
    expect(await completed({ sessionId }, [sha256(bytes)])).toEqual(failed('size-mismatch'));
    expect(await quarantined(presentationId)).toEqual([]);
  });

  test("above the plan's cap gets no grant, and is deleted at completion when the plan has shrunk", async () => {
    const { sessionId, presentationId } = await world.aSession(owner);
    const asset = { sha256: sha256('x'), size: 100 * MB + 1, contentType: 'video/mp4' };
    const details = { limit: 100 * MB, actual: 100 * MB + 1, plan: 'starter' };
    const answer = create({ sessionId }, [{ ...asset, size: 1, sha256: sha256('y') }, asset]);
    expect(await fullRefusal(answer)).toEqual([413, 'payload-too-large', details]);
    expect((await create({ sessionId }, [{ ...asset, size: 100 * MB }])).status).toBe(200);
    const hashes = await send({ sessionId }, blob(50 * MB + 1));
    await setPlan('free');
    expect(await completed({ sessionId }, hashes)).toEqual(failed('payload-too-large'));
    expect(await quarantined(presentationId)).toEqual([]);
  });

  test('cannot be changed through its upload URL after completion', async () => {
    const { sessionId, presentationId } = await world.aSession(owner);
    const file = blob(2 * MB);
    const [grant] = await grantsOf({ sessionId }, [file]);
    expect(await put(grant!, file.bytes)).toBe(200);
    const change = () => put(grant!, Buffer.alloc(2 * MB, 'evil'));
    const changing = atOnce(3, change);
    expect(await completed({ sessionId }, [grant!.sha256])).toEqual(verified(grant!.sha256));
    await changing;
    await change();
    const { name } = (await placed(presentationId))[0]!;
    const [bytes] = await bucket().file(name).download();
    expect(sha256(bytes)).toBe(grant!.sha256);
    expect(await quarantined(presentationId)).toEqual([]);
  });
});

describe('a grant', () => {
  test('ends with its session, and with the last full minute of an hour for a deck', async () => {
    const { sessionId, presentationId } = await world.aSession(owner);
    const session = await world.database.doc(`uploadSessions/${sessionId}`).get();
    const [grant] = await grantsOf({ sessionId }, [blob(10)]);
    expect(grant!.expiresAt).toBe((session.get('expiresAt') as Timestamp).toDate().toISOString());
    await commit(sessionId);
    passSeconds(0);
    const expiresAt = new Date(Math.floor(Date.now() / 60_000 + 60) * 60_000).toISOString();
    expect(await grantsOf({ presentationId }, [blob(10)])).toMatchObject([{ expiresAt }]);
    const hashes = await send({ presentationId }, blob(20));
    passSeconds(3601);
    expect(await completed({ presentationId }, hashes)).toEqual(failed('not-uploaded'));
    expect(await quarantined(presentationId)).toEqual([]);
  });

  test('of a session is valid for the deck that the session became', async () => {
    const { sessionId, presentationId } = await world.aSession(owner);
    const hashes = await send({ sessionId }, blob(30));
    await commit(sessionId);
    expect((await complete({ sessionId }, hashes)).status).toBe(404);
    expect(await completed({ presentationId }, hashes)).toEqual(verified(...hashes));
  });

  test('is valid for its own session or deck only', async () => {
    const { sessionId, presentationId } = await world.aSession(owner);
    const file = blob(40);
    const hashes = await send({ sessionId }, file);
    const theirs = await world.aSession(stranger);
    const statuses = async (id: string, by = owner) => [
      (await create({ sessionId: id }, [assetOf(file)], by)).status,
      (await complete({ sessionId: id }, hashes, by)).status,
    ];
    expect(await statuses(sessionId, stranger)).toEqual([403, 403]);
    const ofOther = await complete({ sessionId: theirs.sessionId }, hashes, stranger);
    expect(ofOther.data.failed).toMatchObject([{ code: 'not-uploaded' }]);
    expect(await statuses(newId())).toEqual([404, 404]);
    expect(await quarantined(presentationId)).toHaveLength(1);
    passSeconds(3601);
    expect(await statuses(sessionId)).toEqual([404, 404]);
  });
});

test('racing calls that complete one file all succeed, and one reports that it stored the file', async () => {
  const { sessionId, presentationId } = await world.aSession(owner);
  const [a, b] = [blob(3 * MB), blob(2 * MB)];
  const hashes = await send({ sessionId }, a, b);
  // A second grant for the same bytes does not make a second file.
  await send({ sessionId }, a);
  expect(await atOnce(8, () => completed({ sessionId }, hashes))).toEqual(Array(8).fill(verified(...hashes)));
  expect(await placed(presentationId)).toHaveLength(2);
  expect(await quarantined(presentationId)).toEqual([]);
});

test('a call that was interrupted between moving a file and recording it is completed by the next call', async () => {
  const { sessionId, presentationId } = await world.aSession(owner);
  const [hash] = (await send({ sessionId }, blob(50))) as [string];
  await complete({ sessionId }, [hash]);
  await record(presentationId, hash).delete();
  expect(await completed({ sessionId }, [hash])).toEqual(verified(hash));
  expect((await record(presentationId, hash).get()).get('sizeBytes')).toBe(50);
});

test('a bad type, no target and two targets are refused', async () => {
  const asset = assetOf(blob(1));
  const { sessionId } = await world.aSession(owner);
  expect((await create({ sessionId }, [{ ...asset, contentType: 'a/b\r\nc: d' }])).status).toBe(400);
  for (const target of [{}, { sessionId: newId(), presentationId: newId() }]) {
    expect(await refusal(create(target, [asset]))).toEqual([400, 'invalid-argument']);
    expect(await refusal(complete(target, [asset.sha256]))).toEqual([400, 'invalid-argument']);
  }
});

test('50 files cost five round trips to grant, and four to complete in a known session, key included', async () => {
  passSeconds(0);
  await world.useKey(owner);
  const { sessionId } = await world.aSession(owner);
  const files = Array.from({ length: 50 }, (_, i) => blob(40 + i));
  let grants: Grant[] = [];
  const granting = await world.costOf(async () => (grants = await grantsOf({ sessionId }, files)));
  expect(granting).toMatchObject({ roundTrips: 5, storageCalls: 50 });
  // Ten of the files are sent.
  await Promise.all(grants.slice(0, 10).map((grant, i) => put(grant, files[i]!.bytes)));
  const hashes = grants.map((grant) => grant.sha256);
  const sent = hashes.slice(0, 10);
  const completing = await world.costOf(async () => {
    const codes = Array(40).fill('not-uploaded');
    expect(await completed({ sessionId }, hashes)).toEqual({ verified: sent, codes });
  });
  // One call lists what was sent. Then each sent file is read, moved and deleted, and each other file is looked for in
  // its place.
  expect(completing).toMatchObject({ roundTrips: 4, storageCalls: 1 + 3 * 10 + 40 });
  const again = await world.costOf(() => complete({ sessionId }, sent));
  expect(again).toMatchObject({ roundTrips: 2, storageCalls: 0 });
});

/** The three ways to upload a file. */
const single = (target: Target, file: DeckFile) => world.upload(owner, target, file);
const form = (target: Target, files: DeckFile[]) => uploadForm(world, owner, target, files);
const direct = async (target: Target, file: DeckFile) => completed(target, await send(target, file));
const counters = (id: string) => world.database.collection(`presentations/${id}/uploadCounters`);

describe('the stored amount of a deck', () => {
  const counted = async (id: string) => (await counters(id).doc('stored').get()).data();

  test('is counted once for each file, by every way of uploading, and not again for a repeated upload', async () => {
    const { sessionId, presentationId } = await world.aSession(owner);
    const [a, b, c] = [blob(100), blob(1000), blob(10_000)];
    await single({ sessionId }, a);
    await form({ sessionId }, [a, b, b]);
    await direct({ sessionId }, c);
    const all = { files: 3, bytes: 11_100 };
    expect(await counted(presentationId)).toEqual(all);
    await succeed(form({ sessionId }, [a, b, c]));
    await succeed(single({ sessionId }, c));
    await direct({ sessionId }, a);
    expect(await counted(presentationId)).toEqual(all);
    // The deck continues the count of its session.
    await commit(sessionId, [page(), a]);
    await succeed(single({ presentationId }, blob(900)));
    expect(await counted(presentationId)).toEqual({ files: 5, bytes: 12_000 + page().bytes.length });
  });

  test('is counted once when uploads of the same file race through every endpoint', async () => {
    const { sessionId, presentationId } = await world.aSession(owner);
    const [a, b] = [blob(MB), blob(2 * MB)];
    const singles = atOnce(6, () => succeed(single({ sessionId }, a)));
    const forms = atOnce(6, () => succeed(form({ sessionId }, [a, b])));
    await Promise.all([singles, forms, direct({ sessionId }, a), direct({ sessionId }, b)]);
    expect(await counted(presentationId)).toEqual({ files: 2, bytes: 3 * MB });
    expect(await placed(presentationId)).toHaveLength(2);
    expect((await record(presentationId, sha256(a.bytes)).get()).get('sizeBytes')).toBe(MB);
  });

  test('ends at fifty decks of the plan; stored files remain usable', async () => {
    await setPlan('free');
    const { presentationId } = await world.aDeck(owner);
    const target = { presentationId };
    const limit = 50 * 250 * MB;
    const full = { files: 0, bytes: limit };
    await counters(presentationId).doc('stored').set(full);
    await world.database.doc(`presentations/${presentationId}`).update({ storedBytes: full.bytes });
    const large = blob(101);
    const calls = [() => single(target, large), () => form(target, [large]), () => create(target, [assetOf(large)])];
    const refused = [413, 'payload-too-large', { limit, plan: 'free' }];
    for (const call of calls) expect(await fullRefusal(call())).toMatchObject(refused);
    await succeed(single(target, page()));
    await succeed(world.commit(owner, target, [page()]));
    // A larger plan allows more.
    await setPlan('starter');
    await succeed(form(target, [large]));
  });

  test('is counted by each commit, also when all of its files are in the current version', async () => {
    const { presentationId } = await world.aDeck(owner);
    const bytes = 16 * MB;
    await counters(presentationId).doc('stored').set({ files: 0, bytes });
    await succeed(world.commit(owner, { presentationId }, [page()]));
    expect((await world.call('getUsage', undefined, owner)).data).toMatchObject({ storedBytes: { used: bytes } });
  });
});

test('grants of a deck have at most four times the files of a deck, also of zero bytes; expired grants make room for others', async () => {
  await setPlan('free');
  const target = { presentationId: (await world.aDeck(owner)).presentationId };
  const anAsset = () => ({ sha256: sha256(newId()), size: 0, contentType: 'video/mp4' });
  const askForMore = () => create(target, Array.from({ length: 50 }, anAsset));
  expect((await askForMore()).status).toBe(200);
  // As if the only open grant had 1 800 files.
  const window = counters(target.presentationId).doc('granted');
  const [open] = each((await window.get()).get('open') as object[]);
  await window.set({ open: [{ ...open, files: 1800 }] });
  const answers = await atOnce(6, askForMore);
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 429, 429]);
  const { error, headers } = await askForMore();
  const wait = Number(headers.get('retry-after'));
  const details = { limit: 2000, plan: 'free', unit: 'files', retryInSeconds: wait };
  expect(error).toMatchObject({ code: 'rate-limited', details });
  expect(wait).toBeGreaterThan(3500);
  expect(wait).toBeLessThanOrEqual(3600 + 600);
  // An upload without a grant is not limited by open grants.
  await succeed(single(target, blob(100)));
  passSeconds(wait);
  expect((await askForMore()).status).toBe(200);
});
