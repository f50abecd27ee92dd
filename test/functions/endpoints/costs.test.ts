import { blob, manifestRow, page, sha256, World, type Account, type DeckFile } from '../../support/world';

/** The key of an authenticated call: one read and one write. */
const KEY = 2;

let world: World;
let owner: Account;

beforeAll(async () => {
  world = await World.start();
  owner = await world.anOwner('enterprise');
});
afterAll(() => world.stop());

const files = (count: number): DeckFile[] => [
  page(),
  ...Array.from({ length: count - 1 }, (_, i) => blob(40, `f${i}.css`)),
];
const view = (deck: { presentationId: string; token: string }, path: string) => async () =>
  expect(await world.visit(world.viewUrl(deck, path))).toBe(200);

describe('what a request costs', () => {
  test('a warm asset view: one round trip of two reads, and no call of the bucket', async () => {
    const deck = await world.aDeck(owner, [page(), blob(1024 * 1024, 'big.png')]);
    await view(deck, 'big.png')();
    const cost = await world.costOf(view(deck, 'big.png'));
    expect(cost).toMatchObject({ roundTrips: 1, documentReads: 2, documentWrites: 0, storageCalls: 0 });
  });

  test('a warm entry view: one commit more', async () => {
    const deck = await world.aDeck(owner, [page()]);
    await view(deck, '')();
    const cost = await world.costOf(view(deck, ''));
    expect(cost).toMatchObject({ calls: { BatchGetDocuments: 1, Commit: 1 }, documentReads: 2, storageCalls: 0 });
    expect(cost.roundTrips).toBe(2);
  });

  test('a key: one read and one write; a call that needs nothing else costs no more than its organization', async () => {
    const cost = await world.costOf(() => world.call('verifyApiKey', undefined, { key: owner.key }));
    expect(cost).toMatchObject({ roundTrips: KEY + 1, documentReads: 2, documentWrites: 1 });
  });

  test('precheck of 2 000 known hashes: three round trips, the key included', async () => {
    const deck = await world.aDeck(owner, [page()]);
    const known = files(2000);
    await seedDeck(deck.presentationId, known);
    const hashes = known.map(({ bytes }) => sha256(bytes));
    const cost = await world.costOf(async () => {
      const { data } = await world.call(
        'precheckAssets',
        { presentationId: deck.presentationId, hashes },
        { key: owner.key },
      );
      expect(data).toEqual({ missing: [] });
    });
    expect(cost.roundTrips).toBeLessThanOrEqual(3);
    expect(cost.documentReads).toBe(3);
  });

  test('a commit of 500 files: six round trips, the key included, for a new deck and for the next version', async () => {
    const first = files(500);
    const { sessionId, presentationId } = await world.aSession(owner);
    await seedBlobs(presentationId, first);
    const created = await world.costOf(async () =>
      expect((await world.commit(owner, { sessionId, title: 'x' }, first)).status).toBe(200),
    );
    expect(created.roundTrips).toBeLessThanOrEqual(6);

    const next = [page('new'), ...files(500).slice(1)];
    await seedBlobs(presentationId, next);
    const updated = await world.costOf(async () =>
      expect((await world.commit(owner, { presentationId }, next)).status).toBe(200),
    );
    expect(updated.roundTrips).toBeLessThanOrEqual(6);
    const same = await world.costOf(async () =>
      expect((await world.commit(owner, { presentationId }, next)).status).toBe(200),
    );
    expect(same.roundTrips).toBeLessThanOrEqual(6);
  });

  test('listing a hundred decks: two round trips and the key', async () => {
    const lister = await world.anOwner();
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
      const { data } = await world.call<{ presentations: unknown[] }>('listMyPresentations', undefined, {
        key: lister.key,
      });
      expect(data.presentations).toHaveLength(100);
    });
    expect(cost.roundTrips).toBeLessThanOrEqual(KEY + 2);
  });
});

describe('a deck of ten thousand files', () => {
  test('is committed, and reading one of them costs what it costs in a small one', async () => {
    const many = [
      page(),
      ...Array.from({ length: 9_999 }, (_, i) => blob(12, `folder-${i % 37}/${'語'.repeat(60)}-${i}.bin`)),
    ];
    const { sessionId, presentationId } = await world.aSession(owner);
    await world.uploadAll(owner, { sessionId }, [many[0]!, many[5_000]!]);
    await seedBlobs(presentationId, many);
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
    // The next version may change one file without asking for the other 9 999.
    const next = await world.costOf(async () => {
      const { status } = await world.commit(owner, { presentationId }, many);
      expect(status).toBe(200);
    });
    expect(next.documentReads).toBeLessThan(20);
  });
});

/** The records of uploaded files, as many uploads would have left them. */
async function seedBlobs(presentationId: string, seeded: DeckFile[]): Promise<void> {
  const writer = world.database.bulkWriter({ throttling: false });
  for (const { sha256: hash, size, contentType } of new Map(
    seeded.map((file) => [sha256(file.bytes), manifestRow(file)]),
  ).values()) {
    void writer.set(world.database.doc(`presentations/${presentationId}/blobs/${hash}`), {
      sizeBytes: size,
      contentType,
      createdAt: new Date(),
    });
  }
  await writer.close();
}

/** A version with those files. */
async function seedDeck(presentationId: string, seeded: DeckFile[]): Promise<void> {
  await seedBlobs(presentationId, seeded);
  expect((await world.commit(owner, { presentationId }, seeded)).status).toBe(200);
}
