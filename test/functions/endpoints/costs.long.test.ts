import { recipientKey } from '../../../functions/src/records/recipient-key';
import { passSeconds } from '../../support/clock';
import { navigation, openOnOrigin } from '../../support/deck-origin';
import { seedBlobs } from '../../support/seeded-blobs';
import { blob, page, sha256, World, type Account, type DeckFile } from '../../support/world';

/** The round trip of the key of an authenticated call: one read. */
const KEY = 1;

let world: World;
let owner: Account;

beforeAll(async () => {
  world = await World.start();
  owner = await world.anOwner('enterprise');
  // The first instance of a new service makes this key. Every later call finds it in memory.
  await recipientKey();
});
// The date stands still, and the keys were used: no measured call notes the use of its key.
beforeEach(async () => {
  passSeconds(0);
  await world.useKey(owner);
});
afterAll(() => world.stop());

const files = (count: number): DeckFile[] => [
  page(),
  ...Array.from({ length: count - 1 }, (_, i) => blob(40, `f${i}.css`)),
];
/** A navigation to a path on the origin of a deck, which was opened before. */
const openedSite = async ({ presentationId, token }: { presentationId: string; token: string }, path: string) => {
  const link = await openOnOrigin(`${world.cloud.hostingUrl}/share/${presentationId}?token=${token}`);
  return () => link.get(path, { headers: navigation });
};
const view = (deck: { presentationId: string; token: string }, path: string) => async () =>
  expect(await world.visit(world.viewUrl(deck, path))).toBe(200);

describe('where size counts', () => {
  test('precheck of 2 000 known hashes: two round trips, key included', async () => {
    const deck = await world.aDeck(owner, [page()]);
    const known = files(2000);
    await seedDeck(deck.presentationId, known);
    const hashes = known.map(({ bytes }) => sha256(bytes));
    const cost = await world.costOf(async () => {
      const answer = await world.call(
        'precheckAssets',
        { presentationId: deck.presentationId, hashes },
        { key: owner.key },
      );
      expect(answer.data).toEqual({ missing: [] });
      return answer;
    });
    expect(cost.roundTrips).toBeLessThanOrEqual(KEY + 1);
    expect(cost.documentReads).toBe(3);
  });

  test('a commit of 500 files: six round trips, key included, for a new deck and for the next version', async () => {
    const first = files(500);
    const { sessionId, presentationId } = await world.aSession(owner);
    await seedBlobs(world, presentationId, first);
    const commit = (fields: object, committed: DeckFile[]) =>
      world.costOf(async () => {
        const answer = await world.commit(owner, { ...fields }, committed);
        expect(answer.status).toBe(200);
        return answer;
      });
    const created = await commit({ sessionId, title: 'x' }, first);
    expect(created.roundTrips).toBeLessThanOrEqual(6);

    const next = [page('new'), ...files(500).slice(1)];
    await seedBlobs(world, presentationId, next);
    const updated = await commit({ presentationId }, next);
    expect(updated.roundTrips).toBeLessThanOrEqual(6);
    const same = await commit({ presentationId }, next);
    expect(same.roundTrips).toBeLessThanOrEqual(6);
  });

  test('listing a hundred decks: three round trips apart from the key', async () => {
    const lister = await world.anOwner();
    await world.useKey(lister);
    const deck = await world.aDeck(lister, [page()]);
    const template = (await world.database.doc(`presentations/${deck.presentationId}`).get()).data()!;
    const batch = world.database.batch();
    for (let i = 0; i < 99; i++) {
      const presentationId = template['presentationId'].slice(0, -4) + String(i).padStart(4, '0');
      batch.set(world.database.doc(`presentations/${presentationId}`), {
        ...template,
        presentationId,
        firstToken: null,
      });
    }
    await batch.commit();
    const cost = await world.costOf(async () => {
      const answer = await world.call<{ presentations: unknown[] }>('listMyPresentations', undefined, {
        key: lister.key,
      });
      expect(answer.data.presentations).toHaveLength(100);
      return answer;
    });
    // The own decks fill the page. One more query finds out whether decks of others follow.
    expect(cost.roundTrips).toBeLessThanOrEqual(KEY + 3);
  });
});

describe('a deck of ten thousand files', () => {
  test('is committed, and viewing one file costs the same as in a small deck', async () => {
    const many = [
      page(),
      ...Array.from({ length: 9_999 }, (_, i) => blob(12, `folder-${i % 37}/${'語'.repeat(60)}-${i}.bin`)),
    ];
    const { sessionId, presentationId } = await world.aSession(owner);
    await world.uploadAll(owner, { sessionId }, [many[0]!, many[5_000]!]);
    await seedBlobs(world, presentationId, many);
    const deck = (
      await world.commit<{ presentationId: string; token: string }>(owner, { sessionId, title: 'large' }, many)
    ).data;
    const small = await world.aDeck(owner, [page(), blob(12, 'x.bin')]);
    const large = await world.costOf(view(deck, encodeURI(many[5_000]!.path)));
    const cold = await world.costOf(view(small, 'x.bin'));
    expect(large.documentReads).toBe(cold.documentReads);
    expect(large.roundTrips).toBe(cold.roundTrips);
    expect(large.roundTrips).toBe(2);
    const again = await world.costOf(view(deck, encodeURI(many[5_000]!.path)));
    expect(again).toMatchObject({ roundTrips: 1, documentReads: 2, storageCalls: 0 });
    // An address may be that of a page without its ending, so shards of other paths are read in the same round trip.
    const onOrigin = await world.costOf(await openedSite(deck, `/${encodeURI(many[6_000]!.path)}`));
    expect(onOrigin.roundTrips).toBe(2);
    expect(onOrigin.documentReads).toBeLessThanOrEqual(2 + 7);
    const nothing = await world.costOf(await openedSite(deck, '/no/such/file'));
    expect(nothing.roundTrips).toBeLessThanOrEqual(2);
    expect(nothing.documentReads).toBeLessThanOrEqual(2 + 7);
    // The next version changes one file without a precheck of the other 9 999.
    const next = await world.costOf(async () => {
      const answer = await world.commit(owner, { presentationId }, many);
      expect(answer.status).toBe(200);
      return answer;
    });
    // 16 of them are the shards in which the deck counts its files.
    expect(next.documentReads).toBeLessThan(20 + 16);
  });

  test('is remixed with one bucket call for each distinct file', async () => {
    const differing = files(100);
    const many = Array.from({ length: 10_000 }, (_, i) => ({ ...differing[i % 100]!, path: `${i}.html` }));
    const publisher = await world.aPublisher('enterprise');
    const { slug } = await world.aListing(publisher, {}, await world.aDeck(publisher, many));
    const cost = await world.costOf(async () => {
      const answer = await world.call('remixMarketplaceListing', { slug }, { key: owner.key });
      expect(answer.data).toMatchObject({ fileCount: 10_000, remixedFrom: { slug, version: 1 } });
      return answer;
    });
    expect(cost.storageCalls).toBe(100);
    expect(cost.roundTrips).toBeLessThanOrEqual(KEY + 8);
  });
});

/** Writes the blob records and commits a version with those files. */
async function seedDeck(presentationId: string, seeded: DeckFile[]): Promise<void> {
  await seedBlobs(world, presentationId, seeded);
  expect((await world.commit(owner, { presentationId }, seeded)).status).toBe(200);
}
