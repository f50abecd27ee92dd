import { planCaps } from '../../../functions/src/policy/plans';
import { newId } from '../../../functions/src/values/ids';
import { passSeconds } from '../../support/clock';
import { runJob } from '../../support/jobs';
import { storeDocuments, storeObject } from '../../support/stored';
import { blob, page, sha256, succeed, World, type Account, type Deck, type DeckFile } from '../../support/world';
import { documentsWith } from '../../support/whole-store';

const MB = 1024 * 1024;
const HOUR = 3600;

let world: World;
beforeAll(async () => {
  world = await World.start();
});
afterAll(() => world.stop());

interface Usage {
  plan: string;
  decks: { used: number; limit: number };
  storedBytes: { used: number; limit: number };
  grantedBytes: { used: number; limit: number };
  newDecksThisHour: { used: number; limit: number };
  mailsToday: { used: number; limit: number };
  keys: { used: number; limit: number };
}
const usageOf = ({ key }: Pick<Account, 'key'>) => succeed(world.call<Usage>('getUsage', undefined, { key }));
/** The used amounts: decks, stored bytes, granted bytes, new decks of the hour. */
const used = async (by: Account) => {
  const { decks, storedBytes, grantedBytes, newDecksThisHour } = await usageOf(by);
  return [decks, storedBytes, grantedBytes, newDecksThisHour].map((each) => each.used);
};
const record = ({ organizationId }: Account) => world.database.doc(`organizationUsages/${organizationId}`);
const sum = (files: DeckFile[]) => files.reduce((total, { bytes }) => total + bytes.length, 0);

/** Sets the usage, as if the organization had decks with these amounts. */
const use = (by: Account, { decks = 0, storedBytes = 0, newDecks = 0 }) =>
  record(by).update({ decks, storedBytes, newDecks: Array<Date>(newDecks).fill(new Date()) });
const commitOf = (by: Account, target: object, files: DeckFile[]) =>
  world.commit(by, { title: 'A deck', ...target }, files);
/** Sessions whose files are uploaded. */
const sessions = (by: Account, count: number, files: DeckFile[]) =>
  Promise.all(
    Array.from({ length: count }, async () => {
      const { sessionId } = await world.aSession(by);
      await world.uploadAll(by, { sessionId }, files);
      return { sessionId };
    }),
  );
const remove = (by: Account, { presentationId }: Pick<Deck, 'presentationId'>) =>
  succeed(world.call('deletePresentation', { presentationId }, { key: by.key }));
const grant = (by: Account, target: object, size: number, count = 1) => {
  const assets = Array.from({ length: count }, () => ({
    sha256: sha256(String(Math.random())),
    size,
    contentType: 'video/mp4',
  }));
  return world.call('createAssetUploads', { ...target, assets }, { key: by.key });
};

describe('the usage of an organization', () => {
  test('names every limit of the plan, to a key and to a session of the dashboard', async () => {
    const by = await world.anOwner();
    const caps = planCaps.free;
    const answer = await usageOf(by);
    expect(answer).toEqual({
      plan: 'free',
      decks: { used: 0, limit: caps.decks },
      storedBytes: { used: 0, limit: caps.storedBytes },
      grantedBytes: { used: 0, limit: 2 * caps.deckBytes },
      newDecksThisHour: { used: 0, limit: caps.newDecksPerHour },
      mailsToday: { used: 0, limit: answer.mailsToday.limit },
      keys: { used: 1, limit: 20 },
    });
    expect(await usageOf({ key: await world.aDashboardSession(by) })).toEqual(answer);
    const { status, error } = await world.call('getUsage', undefined, { key: await world.anAdmin() });
    expect([status, error.code]).toEqual([403, 'permission-denied']);
    for (const caps of Object.values(planCaps)) expect(caps.grantedBytes).toBe(2 * caps.deckBytes);
  });

  test('costs no more reads when the organization revoked many keys', async () => {
    const by = await world.anOwner();
    const cost = () => world.costOf(() => usageOf(by));
    const { documentReads } = await cost();
    const [key] = (await world.database.collection('apiKeys').where('keyId', '==', by.keyId).get()).docs;
    const store = (count: number, fields: object) =>
      storeDocuments(
        world.database,
        Array.from({ length: count }, () => [`apiKeys/${newId()}`, { ...key!.data(), ...fields, keyId: newId() }]),
      );
    await store(20, { status: 'revoked' });
    expect((await cost()).documentReads).toBe(documentReads);
    await store(2, { expiresAt: new Date(Date.now() - 1) });
    expect((await usageOf(by)).keys).toEqual({ used: 1, limit: 20 });
  });

  test('counts the mails of the last 24 hours', async () => {
    const by = await world.anOwner();
    const { presentationId } = await world.aDeck(by);
    await succeed(world.call('inviteCollaborator', { presentationId, email: 'usage@example.org' }, { key: by.key }));
    expect((await usageOf(by)).mailsToday.used).toBe(1);
    passSeconds(24 * HOUR + 1);
    expect((await usageOf(by)).mailsToday.used).toBe(0);
  });

  test('counts decks and the distinct files of each deck at the commit, and no longer when the deck is deleted', async () => {
    const by = await world.anOwner();
    const [first, shared, unused, later] = [page('first'), blob(1000), blob(300), blob(70)];
    const { sessionId } = await world.aSession(by);
    await world.uploadAll(by, { sessionId }, [first, shared]);
    expect(await used(by)).toEqual([0, 0, 0, 0]);
    const deck = (await commitOf(by, { sessionId }, [first, shared, { ...shared, path: 'copy.bin' }])).data;
    const { presentationId } = deck;
    let bytes = sum([first, shared]);
    expect(await used(by)).toEqual([1, bytes, 0, 1]);
    // The files of old versions and files that no version uses are stored, too.
    await world.uploadAll(by, { presentationId }, [unused, later]);
    expect(await used(by)).toEqual([1, bytes, 0, 1]);
    await succeed(commitOf(by, { presentationId }, [first, later]));
    bytes += sum([unused, later]);
    expect(await used(by)).toEqual([1, bytes, 0, 1]);
    await succeed(commitOf(by, { presentationId }, [first]));
    await succeed(world.call('restorePresentationVersion', { presentationId, version: 1 }, { key: by.key }));
    expect(await used(by)).toEqual([1, bytes, 0, 1]);
    // Another deck stores its own copy.
    await world.aPushedDeck(by, [first, shared]);
    expect(await used(by)).toEqual([2, bytes + sum([first, shared]), 0, 2]);
    await remove(by, deck);
    await remove(by, deck);
    expect(await used(by)).toEqual([1, sum([first, shared]), 0, 2]);
    passSeconds(HOUR + 1);
    expect(await used(by)).toEqual([1, sum([first, shared]), 0, 0]);
  });

  test('counts a remix with its copies', async () => {
    const [publisher, by] = [await world.aPublisher(), await world.anOwner()];
    const files = [page('remixed'), blob(500), blob(0)];
    const { slug } = await world.aListing(publisher, {}, await world.aDeck(publisher, files));
    const call = () => world.call<Deck>('remixMarketplaceListing', { slug }, { key: by.key });
    const remixed = (await call()).data;
    await succeed(call());
    expect(await used(by)).toEqual([2, 2 * sum(files), 0, 2]);
    await use(by, { decks: 100 });
    const { status, error } = await call();
    const full = [409, 'conflict', { limit: 100, actual: 101, plan: 'free' }];
    expect([status, error.code, error.details]).toEqual(full);
    // A dry run of a new deck is refused as its commit would be, before any upload.
    const dryRun = await commitOf(
      by,
      { ...(await world.aSession(by)), dryRun: true, presentationId: undefined },
      files,
    );
    expect([dryRun.status, dryRun.error.code, dryRun.error.details]).toEqual(full);
    await remove(by, remixed);
    await succeed(call());
  });

  test('counts uploads before their commit when they exceed 32 MB, and no longer when their session has expired', async () => {
    const by = await world.anOwner();
    const { presentationId } = await world.aDeck(by);
    const [first, second] = [await world.aSession(by), await world.aSession(by)];
    // As if each had 48 MB of files.
    for (const id of [presentationId, first.presentationId, second.presentationId]) {
      const counters = world.database.collection(`presentations/${id}/uploadCounters`);
      await counters.doc('stored').set({ files: 1, bytes: 48 * MB });
    }
    const [more, last] = [blob(10), page()];
    await Promise.all([1, 2, 3].map(() => world.uploadAll(by, { presentationId }, [more])));
    expect(await used(by)).toEqual([1, 48 * MB, 0, 1]);
    for (const { sessionId } of [first, second]) await world.uploadAll(by, { sessionId }, [last]);
    expect(await used(by)).toEqual([1, 3 * 48 * MB, 0, 1]);
    await succeed(commitOf(by, { presentationId }, [more]));
    await succeed(commitOf(by, { sessionId: first.sessionId }, [last]));
    const bytes = sum([more, last]);
    expect(await used(by)).toEqual([2, 3 * 48 * MB + bytes, 0, 2]);
    // A count from the records has the same result.
    await record(by).update({ countedAt: new Date(0) });
    await runJob('recountUsage');
    expect(await used(by)).toEqual([2, 3 * 48 * MB + bytes, 0, 2]);
    passSeconds(HOUR + 15 * 60 + 1);
    await runJob('removeExpiredSessions');
    expect(await used(by)).toEqual([2, 2 * 48 * MB + bytes, 0, 0]);
    await remove(by, { presentationId });
    expect(await used(by)).toEqual([1, 48 * MB + last.bytes.length, 0, 0]);
  });

  test('costs a commit of one file at most ten reads', async () => {
    const by = await world.anOwner();
    await world.useKey(by);
    const [first, next] = [page('first'), page('next')];
    const { sessionId, presentationId } = await world.aSession(by);
    await world.uploadAll(by, { sessionId }, [first]);
    const created = await world.costOf(() => succeed(commitOf(by, { sessionId }, [first])));
    await world.uploadAll(by, { presentationId }, [next]);
    const updated = await world.costOf(() => succeed(commitOf(by, { presentationId }, [next])));
    expect([created.documentReads, updated.documentReads].filter((reads) => reads <= 10)).toHaveLength(2);
  });

  test('counts a file whose upload ended between storing and recording, once', async () => {
    const by = await world.anOwner();
    const [first, file] = [page(), blob(400)];
    const { sessionId, presentationId } = await world.aSession(by);
    await storeObject(world.cloud, presentationId, sha256(file.bytes), file);
    await Promise.all(Array.from({ length: 5 }, () => world.upload(by, { sessionId }, file)));
    await world.uploadAll(by, { sessionId }, [first]);
    await succeed(commitOf(by, { sessionId }, [first, file]));
    expect(await used(by)).toEqual([1, sum([first, file]), 0, 1]);
  });
});

describe('the limits of a plan', () => {
  test('allow exactly so many new decks an hour, however many calls race', async () => {
    const by = await world.anOwner();
    await use(by, { newDecks: 52 });
    const targets = await sessions(by, 12, [page()]);
    const answers = await Promise.all(targets.map((target) => commitOf(by, target, [page()])));
    const refused = answers.filter(({ status }) => status !== 200);
    expect(refused.map(({ status, error }) => [status, error.code])).toEqual(Array(4).fill([429, 'rate-limited']));
    const { error, headers } = refused[0]!;
    expect(error.details).toMatchObject({ limit: 60, actual: 61, plan: 'free', windowSeconds: HOUR });
    const wait = Number(headers.get('retry-after'));
    expect(wait).toBe(error.details!['retryInSeconds']);
    expect(wait).toBeLessThanOrEqual(HOUR);
    expect(headers.get('ratelimit')).toContain(`t=${wait}`);
    expect(headers.get('ratelimit-policy')).toContain(`q=60;w=${HOUR}`);
    expect(await used(by)).toEqual([8, 8 * sum([page()]), 0, 60]);
    // A next version is not a new deck.
    const made = answers.find(({ status }) => status === 200)!.data;
    await succeed(commitOf(by, { presentationId: made.presentationId }, [page()]));
    await remove(by, made);
    expect(await used(by)).toEqual([7, 7 * sum([page()]), 0, 60]);
    passSeconds(HOUR);
    const [target] = await sessions(by, 1, [page()]);
    await succeed(commitOf(by, target!, [page()]));
  });

  test('allow twice as many sessions as new decks in an hour, however many calls race', async () => {
    const by = await world.anOwner();
    const open = () => world.call('precheckAssets', { hashes: [] }, { key: by.key });
    await record(by).update({ newSessions: Array<Date>(110).fill(new Date()) });
    const answers = await Promise.all(Array.from({ length: 15 }, open));
    const refused = answers.filter(({ status }) => status !== 200);
    expect(refused.map(({ status, error }) => [status, error.code])).toEqual(Array(5).fill([429, 'rate-limited']));
    const { error, headers } = refused[0]!;
    expect(error.details).toMatchObject({ limit: 120, actual: 121, plan: 'free', windowSeconds: HOUR });
    expect(Number(headers.get('retry-after'))).toBe(error.details!['retryInSeconds']);
    passSeconds(HOUR);
    await succeed(open());
  });

  test('refuse a remix of too many before its copy', async () => {
    const [publisher, by] = [await world.aPublisher(), await world.anOwner()];
    await use(by, { newDecks: 59 });
    const slugs = await Promise.all(
      Array.from({ length: 4 }, async () => (await world.aListing(publisher, {}, await world.aDeck(publisher))).slug),
    );
    const remix = (slug: string) => world.call<Deck>('remixMarketplaceListing', { slug }, { key: by.key });
    const answers = await Promise.all(slugs.map(remix));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 429, 429, 429]);
    expect(await documentsWith(world, 'uploadSessions', 'organizationId', by.organizationId)).toEqual([]);
    expect((await used(by))[3]).toBe(60);
  });

  test('refuse a commit without room before a large manifest is stored', async () => {
    const by = await world.anOwner('enterprise');
    const { presentationId } = await world.aDeck(by);
    const { sessionId, presentationId: newDeck } = await world.aSession(by);
    await Promise.all([{ presentationId }, { sessionId }].map((to) => world.uploadAll(by, to, [page('more')])));
    await use(by, { decks: 1, storedBytes: planCaps.enterprise.storedBytes });
    // More than 8 MiB: the documents of this manifest do not fit into one transaction.
    const files = Array.from({ length: 8000 }, (_, i) => page('more', i === 0 ? undefined : `${i}${'漢'.repeat(350)}`));
    for (const target of [{ presentationId }, { sessionId }]) {
      expect((await commitOf(by, target, files)).error).toMatchObject({ code: 'conflict' });
    }
    const manifests = async (id: string) =>
      (await world.database.collection(`presentations/${id}/manifestShards`).listDocuments()).length;
    expect([await manifests(presentationId), await manifests(newDeck)]).toEqual([1, 0]);
  });

  test('allow exactly so many decks, however many calls race', async () => {
    const by = await world.anOwner();
    await use(by, { decks: 97 });
    const targets = await sessions(by, 12, [page()]);
    const answers = await Promise.all(targets.map((target) => commitOf(by, target, [page()])));
    const refused = answers.filter(({ status }) => status !== 200);
    expect(refused.map(({ status, error }) => [status, error.code, error.details])).toEqual(
      Array(9).fill([409, 'conflict', { limit: 100, actual: 101, plan: 'free' }]),
    );
    expect((await usageOf(by)).decks).toEqual({ used: 100, limit: 100 });
  });

  test('allow exactly so many stored bytes, however many commits race', async () => {
    const by = await world.anOwner();
    const limit = planCaps.free.storedBytes;
    const decks = await Promise.all(Array.from({ length: 4 }, () => world.aDeck(by)));
    await Promise.all(
      decks.map(({ presentationId }) => world.uploadAll(by, { presentationId }, [blob(1000, 'new.bin')])),
    );
    const files = await Promise.all(
      decks.map(async ({ presentationId }) => {
        const [stored] = (await world.database.collection(`presentations/${presentationId}/blobs`).get()).docs.filter(
          (each) => each.get('sizeBytes') === 1000,
        );
        return { path: 'new.bin', sha256: stored!.id, size: 1000, contentType: 'application/octet-stream' };
      }),
    );
    // Room for two of the four files, and for 999 bytes.
    await use(by, { decks: 4, storedBytes: limit - 2999 });
    const answers = await Promise.all(
      decks.map(({ presentationId }, i) =>
        world.call(
          'commitPresentationVersion',
          { presentationId, entryPath: 'new.bin', files: [files[i]] },
          { key: by.key },
        ),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 409, 409]);
    const { error } = answers.find(({ status }) => status === 409)!;
    expect([error.code, error.details]).toEqual(['conflict', { limit, actual: limit + 1, plan: 'free' }]);
    expect((await usageOf(by)).storedBytes).toEqual({ used: limit - 999, limit });
    // An upload that the next commit could not count is refused before its bytes are stored.
    const { sessionId } = await world.aSession(by);
    expect((await world.upload(by, { sessionId }, blob(1000))).error).toMatchObject({ code: 'conflict' });
    await succeed(world.upload(by, { sessionId }, blob(900)));
    // Deleting a deck makes room.
    await remove(by, decks[answers.findIndex(({ status }) => status === 200)]!);
    await succeed(world.upload(by, { sessionId }, blob(1000)));
  });

  test('allow open grants of twice the deck size, over all decks; completed and expired grants make room', async () => {
    const by = await world.anOwner();
    const decks = await Promise.all(Array.from({ length: 3 }, () => world.aDeck(by)));
    const answers = await Promise.all(
      decks.flatMap(({ presentationId }) => [0, 1, 2].map(() => grant(by, { presentationId }, 50 * MB, 2))),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 200, 409, 409, 409, 409]);
    const { error } = answers.find(({ status }) => status === 409)!;
    expect([error.code, error.details]).toEqual(['conflict', { limit: 500 * MB, actual: 600 * MB, plan: 'free' }]);
    expect((await usageOf(by)).grantedBytes).toEqual({ used: 500 * MB, limit: 500 * MB });
    passSeconds(HOUR + 600);
    const { presentationId } = decks[0]!;
    const file = blob(MB);
    const asset = { sha256: sha256(file.bytes), size: MB, contentType: file.contentType };
    const assets = { presentationId, assets: [asset] };
    const { uploads } = (
      await world.call<{ uploads: { url: string }[] }>('createAssetUploads', assets, { key: by.key })
    ).data;
    expect((await usageOf(by)).grantedBytes.used).toBe(MB);
    await fetch(uploads[0]!.url, { method: 'PUT', body: new Uint8Array(file.bytes) });
    const complete = () =>
      succeed(world.call('completeAssetUploads', { presentationId, sha256s: [asset.sha256] }, { key: by.key }));
    await Promise.all([complete(), complete(), complete()]);
    await complete();
    expect((await usageOf(by)).grantedBytes.used).toBe(0);
    const other = { presentationId: decks[1]!.presentationId };
    await succeed(grant(by, other, 50 * MB, 10));
    expect((await grant(by, other, 1)).error.details).toMatchObject({ actual: 500 * MB + 1 });
  });

  test('are those of the organization of the deck when a dev of another organization commits', async () => {
    const [by, dev] = [await world.anOwner(), await world.anOwner()];
    const deck = await world.aDeck(by);
    await world.addMember(deck, dev);
    const file = blob(800);
    await world.uploadAll(dev, { presentationId: deck.presentationId }, [file]);
    await succeed(commitOf(dev, { presentationId: deck.presentationId }, [page(), file]));
    expect([await used(by), await used(dev)]).toEqual([
      [1, sum([page(), file]), 0, 1],
      [0, 0, 0, 0],
    ]);
    await use(by, { decks: 1, storedBytes: planCaps.free.storedBytes });
    const { status } = await world.upload(dev, { presentationId: deck.presentationId }, blob(1));
    expect(status).toBe(409);
  });
});

test('counts that differ from the decks are repaired within a week', async () => {
  const by = await world.anOwner();
  const deck = await world.aDeck(by, [page(), blob(77)]);
  const right = await used(by);
  await grant(by, { presentationId: deck.presentationId }, MB);
  await use(by, { decks: 41, storedBytes: 5000 });
  await runJob('recountUsage');
  expect((await used(by)).slice(0, 2)).toEqual([41, 5000]);
  passSeconds(7 * 24 * HOUR + 1);
  await Promise.all([runJob('recountUsage'), world.aDeck(by, [page()])]);
  expect((await used(by)).slice(0, 2)).toEqual([2, right[1]! + sum([page()])]);
});
