import { passSeconds } from '../../support/clock';
import { blob, page, sha256, succeed, World, type Account, type Answered, type DeckFile } from '../../support/world';

const MB = 1024 * 1024;
/** What a deck may store on the free plan: 50 times the deck size of the plan. */
const STORED = { files: 50 * 500, bytes: 50 * 250 * MB };

let world: World;
let owner: Account;

beforeAll(async () => {
  world = await World.start();
});
beforeEach(async () => {
  owner = await world.anOwner();
});
afterAll(() => world.stop());

type Target = { presentationId: string } | { sessionId: string };

const assetOf = ({ bytes, contentType }: DeckFile) => ({ sha256: sha256(bytes), size: bytes.length, contentType });
const grant = (target: Target, assets: object[]) =>
  world.call<{ uploads: { url: string }[] }>('createAssetUploads', { ...target, assets }, { key: owner.key });
/** The three ways to upload a file. */
const single = (target: Target, file: DeckFile): Promise<Answered<unknown>> => world.upload(owner, target, file);
const form = (target: Target, files: DeckFile[]): Promise<Answered<unknown>> => {
  const data = new FormData();
  for (const [name, value] of Object.entries(target)) data.append(name, value);
  for (const { bytes, contentType } of files) {
    data.append(sha256(bytes), new Blob([new Uint8Array(bytes)], { type: contentType }), 'file');
  }
  return world.call('uploadPresentationAssets', data, { key: owner.key });
};
const direct = async (target: Target, file: DeckFile): Promise<Answered<unknown>> => {
  const { uploads } = (await grant(target, [assetOf(file)])).data;
  if (uploads[0]!.url) await fetch(uploads[0]!.url, { method: 'PUT', body: new Uint8Array(file.bytes) });
  return world.call('completeAssetUploads', { ...target, sha256s: [sha256(file.bytes)] }, { key: owner.key });
};

const counters = (presentationId: string) =>
  world.database.collection(`presentations/${presentationId}/uploadCounters`);
const counted = async (presentationId: string) => {
  return (await counters(presentationId).doc('stored').get()).data();
};
/** Sets the counter, as if the deck had stored that much. */
const count = (presentationId: string, amount: { files: number; bytes: number }) =>
  counters(presentationId).doc('stored').set(amount);
/** Sets the amount that the last commit of the deck counted. */
const commitCounted = (presentationId: string, storedBytes: number) =>
  world.database.doc(`presentations/${presentationId}`).update({ storedBytes });

describe('the stored amount of a deck', () => {
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
    await succeed(direct({ sessionId }, a));
    expect(await counted(presentationId)).toEqual(all);
    // The deck continues the count of its session.
    await world.uploadAll(owner, { sessionId }, [page()]);
    await succeed(world.commit(owner, { sessionId, title: 'x' }, [page(), a]));
    await succeed(single({ presentationId }, blob(900)));
    expect(await counted(presentationId)).toEqual({ files: 5, bytes: 12_000 + page().bytes.length });
  });

  test('is counted once when uploads of the same file race', async () => {
    const { sessionId, presentationId } = await world.aSession(owner);
    const [a, b] = [blob(MB), blob(2 * MB)];
    await Promise.all([
      ...Array.from({ length: 6 }, () => single({ sessionId }, a)),
      ...Array.from({ length: 6 }, () => form({ sessionId }, [a, b])),
      direct({ sessionId }, b),
    ]);
    expect(await counted(presentationId)).toEqual({ files: 2, bytes: 3 * MB });
  });

  test.each(['bytes', 'files'] as const)(
    'ends at fifty decks of the plan, by number of %s; stored files remain usable',
    async (unit) => {
      const { presentationId } = await world.aDeck(owner);
      const target = { presentationId };
      const full = { files: 0, bytes: 0, [unit]: STORED[unit] };
      await count(presentationId, full);
      await commitCounted(presentationId, full.bytes);
      const large = blob(101);
      for (const refused of [single(target, large), form(target, [large]), grant(target, [assetOf(large)])]) {
        const { status, error } = await refused;
        const { limit, plan } = error.details!;
        expect([status, error.code, limit, plan]).toEqual([413, 'payload-too-large', STORED[unit], 'free']);
      }
      await succeed(single(target, page()));
      await succeed(world.commit(owner, target, [page()]));
      // A larger plan allows more.
      const organization = world.database.doc(`organizations/${owner.organizationId}`);
      await organization.update({ plan: 'starter' });
      await succeed(form(target, [large]));
      await organization.update({ plan: 'free' });
    },
  );

  test('is counted by each commit, also when all of its files are in the current version', async () => {
    const by = await world.anOwner();
    const { presentationId } = await world.aDeck(by);
    await count(presentationId, { files: 0, bytes: 16 * MB });
    await succeed(world.commit(by, { presentationId }, [page()]));
    const { storedBytes } = await succeed(
      world.call<{ storedBytes: { used: number } }>('getUsage', undefined, { key: by.key }),
    );
    expect(storedBytes.used).toBe(16 * MB);
  });

  test('is deleted with the deck', async () => {
    const { presentationId } = await world.aDeck(owner);
    await grant({ presentationId }, [assetOf(blob(10))]);
    expect((await counters(presentationId).get()).size).toBe(2);
    await succeed(world.call('deletePresentation', { presentationId }, { key: owner.key }));
    expect((await counters(presentationId).get()).size).toBe(0);
  });
});

describe('grants of a deck or session', () => {
  const assets = (count: number, size: number) =>
    Array.from({ length: count }, () => ({ sha256: sha256(String(Math.random())), size, contentType: 'video/mp4' }));

  test('have at most four times the files of a deck; expired grants make room for others', async () => {
    const { presentationId } = await world.aDeck(owner);
    const ask = () => grant({ presentationId }, assets(50, 1));
    expect((await ask()).status).toBe(200);
    const window = counters(presentationId).doc('granted');
    const [counted] = (await window.get()).get('open') as object[];
    await window.set({ open: [{ ...counted, files: 1800 }] });
    const answers = await Promise.all(Array.from({ length: 6 }, ask));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 429, 429]);
    const { error, headers } = await ask();
    expect([error.code, error.details]).toMatchObject(['rate-limited', { limit: 2000, plan: 'free', unit: 'files' }]);
    const wait = Number(headers.get('retry-after'));
    expect(wait).toBe(error.details!['retryInSeconds']);
    expect(wait).toBeGreaterThan(3500);
    expect(wait).toBeLessThanOrEqual(3600 + 600);
    // An upload without a grant is not limited by open grants.
    await succeed(single({ presentationId }, blob(100)));
    passSeconds(wait);
    expect((await ask()).status).toBe(200);
  });

  test('of zero bytes are counted as files', async () => {
    const { sessionId, presentationId } = await world.aSession(owner);
    expect((await grant({ sessionId }, assets(10, 0))).status).toBe(200);
    const window = counters(presentationId).doc('granted');
    const [counted] = (await window.get()).get('open') as { files: number; bytes: number; until: Date }[];
    expect(counted).toMatchObject({ files: 10, bytes: 0 });
    // Four decks have 2 000 files, and 1 990 of them are granted.
    await window.set({ open: [{ ...counted, files: 1990 }] });
    expect((await grant({ sessionId }, assets(11, 0))).error.details).toMatchObject({ limit: 2000, unit: 'files' });
    expect((await grant({ sessionId }, assets(10, 0))).status).toBe(200);
    expect((await grant({ sessionId }, assets(1, 0))).error.details).toMatchObject({ limit: 2000, unit: 'files' });
  });
});
