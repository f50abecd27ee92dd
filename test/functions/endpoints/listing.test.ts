import { newId } from '../../../functions/src/values/ids';
import { page, succeed, World, type Account } from '../../support/world';

interface List {
  presentations: {
    id: string;
    title: string;
    version: number;
    role: string;
    shareUrl: string | null;
    updatedAt: string;
    createdAt: string;
  }[];
  nextCursor: string | null;
}

let world: World;
beforeAll(async () => {
  world = await World.start();
});
afterAll(() => world.stop());

const list = (key: string, query: Record<string, string> = {}) =>
  world.call<List>('listMyPresentations', undefined, { key, query });

/** Writes `count` decks without files, each a second older than the one before. */
async function manyDecks(owner: Account, count: number): Promise<string[]> {
  const deck = await world.aDeck(owner);
  const stored = (await world.database.doc(`presentations/${deck.presentationId}`).get()).data()!;
  const writer = world.database.bulkWriter({ throttling: false });
  const ids = Array.from({ length: count - 1 }, () => newId());
  const now = Date.now();
  ids.forEach((presentationId, i) => {
    // Every third deck has the same time as the one before. Pages must not skip or repeat such decks.
    const updatedAt = new Date(now - 60_000 - Math.floor(i / 3) * 1000);
    void writer.set(world.database.doc(`presentations/${presentationId}`), {
      ...stored,
      presentationId,
      firstToken: null,
      updatedAt,
    });
  });
  await writer.close();
  return [deck.presentationId, ...ids];
}

describe('listMyPresentations', () => {
  test('shows a deck with its role, its version and its link', async () => {
    const owner = await world.anOwner();
    const deck = await world.aDeck(owner, [page()], 'First');
    await succeed(world.commit(owner, { presentationId: deck.presentationId, title: 'Renamed' }, [page()]));
    const { presentations, nextCursor } = await succeed(list(owner.key));
    expect(nextCursor).toBeNull();
    expect(presentations).toEqual([
      expect.objectContaining({
        id: deck.presentationId,
        title: 'Renamed',
        version: 2,
        role: 'owner',
        shareUrl: deck.shareUrl,
        totalViews: 0,
        lastViewedAt: null,
      }),
    ]);
    expect(presentations[0]!.updatedAt > presentations[0]!.createdAt).toBe(true);
  });

  test('shows a dev the decks of the dev with that role, and no other decks', async () => {
    const [owner, dev] = await Promise.all([world.anOwner(), world.anOwner()]);
    const deck = await world.aDeck(owner);
    expect((await succeed(list(dev.key))).presentations).toEqual([]);
    await world.addMember(deck, dev);
    expect((await succeed(list(dev.key))).presentations).toMatchObject([{ id: deck.presentationId, role: 'dev' }]);
    // A dev may push.
    expect((await world.commit(dev, { presentationId: deck.presentationId }, [page()])).data.version).toBe(2);
  });

  test('lists every deck once, newest first, page by page', async () => {
    const owner = await world.anOwner();
    const ids = await manyDecks(owner, 250);
    const seen: List['presentations'] = [];
    let cursor: string | null = null;
    do {
      const pageOf: List = await succeed(list(owner.key, { limit: '37', ...(cursor && { cursor }) }));
      seen.push(...pageOf.presentations);
      cursor = pageOf.nextCursor;
    } while (cursor);
    expect(seen.map(({ id }) => id).sort()).toEqual([...ids].sort());
    expect(seen.map(({ updatedAt }) => updatedAt)).toEqual(
      seen
        .map(({ updatedAt }) => updatedAt)
        .sort()
        .reverse(),
    );
    expect((await succeed(list(owner.key))).presentations).toHaveLength(100);
  });

  test.each<Record<string, string>>([
    { limit: '0' },
    { limit: '101' },
    { limit: 'x' },
    { cursor: 'nonsense' },
    { cursor: Buffer.from('1.no-id').toString('base64url') },
    { cursor: Buffer.from(`999999999999999.${newId()}`).toString('base64url') },
  ])('refuses %j', async (query) => {
    const owner = await world.anOwner();
    const { status, error } = await list(owner.key, query);
    expect([status, error.code, error.details?.errors?.[0]?.location]).toEqual([
      400,
      'invalid-argument',
      `query.${Object.keys(query)[0]}`,
    ]);
  });

  test('succeeds and shows no link when the service secret has changed', async () => {
    const owner = await world.anOwner();
    const deck = await world.aDeck(owner);
    const secret = process.env['SERVICE_SECRET'];
    process.env['SERVICE_SECRET'] = 'another secret, as long as it must be';
    try {
      expect((await succeed(list(owner.key))).presentations[0]!.shareUrl).toBeNull();
    } finally {
      process.env['SERVICE_SECRET'] = secret;
    }
    expect((await fetch(deck.shareUrl)).status).toBe(200);
  });
});

describe('an admin key', () => {
  test('is reported as such, owns no deck, may act on every existing deck and cannot make one', async () => {
    const [owner, key] = await Promise.all([world.anOwner(), world.anAdmin()]);
    const deck = await world.aDeck(owner);
    expect(await succeed(world.call('verifyApiKey', undefined, { key }))).toMatchObject({
      type: 'admin-api-key',
      organizationId: null,
      organizationName: null,
    });
    expect(await succeed(list(key))).toEqual({ presentations: [], nextCursor: null });
    const known = await world.call('precheckAssets', { presentationId: deck.presentationId, hashes: [] }, { key });
    expect(known.data).toEqual({ missing: [] });
    const opened = await world.call('precheckAssets', { hashes: [] }, { key });
    expect([opened.status, opened.error.code]).toEqual([403, 'permission-denied']);
  });
});
