import { newId } from '../../../functions/src/values/ids';
import { refusal } from '../../support/answers';
import { passSeconds } from '../../support/clock';
import { owner, problems, startMarketplace } from '../../support/marketplace';
import { storeDocuments } from '../../support/stored';
import { page, succeed, type Account, world } from '../../support/world';

startMarketplace();

type Query = Record<string, string>;
const times = <T>(count: number, make: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));

describe('listMyPresentations', () => {
  interface List {
    presentations: { id: string; title: string; shareUrl: string | null; updatedAt: string; createdAt: string }[];
    nextCursor: string | null;
  }
  const decksOf = ({ key }: Pick<Account, 'key'>, query: Query = {}) =>
    world.call<List>('listMyPresentations', undefined, { key, query });

  test('shows a deck with its role, its version and its link', async () => {
    const mine = await world.anOwner();
    const deck = await world.aDeck(mine, [page()], 'First');
    const { presentationId, shareUrl } = deck;
    await succeed(world.commit(mine, { presentationId, title: 'Renamed' }, [page()]));
    const { presentations, nextCursor } = await succeed(decksOf(mine));
    const seen = { role: 'owner', shareUrl, totalViews: 0, lastViewedAt: null };
    expect(presentations).toMatchObject([{ id: presentationId, title: 'Renamed', version: 2, ...seen }]);
    expect([nextCursor, presentations[0]!.updatedAt > presentations[0]!.createdAt]).toEqual([null, true]);
    // Without the secret that sealed it, the list succeeds and shows no link.
    const secret = process.env['SERVICE_SECRET'];
    process.env['SERVICE_SECRET'] = 'another secret, as long as it must be';
    const unsealed = await decksOf(mine);
    process.env['SERVICE_SECRET'] = secret;
    expect(unsealed.data.presentations).toMatchObject([{ shareUrl: null }]);
    expect((await fetch(shareUrl)).status).toBe(200);
  });

  test('lists every deck once, newest first, page by page', async () => {
    const mine = await world.anOwner();
    const { presentationId: first } = await world.aDeck(mine);
    const stored = (await world.database.doc(`presentations/${first}`).get()).data()!;
    const now = Date.now();
    const ids = times(104, newId);
    // Every third deck has the same time as the one before. Pages must not skip or repeat such decks.
    const decks = ids.map((presentationId, i) => {
      const updatedAt = new Date(now - 60_000 - Math.floor(i / 3) * 1000);
      return [`presentations/${presentationId}`, { ...stored, presentationId, firstToken: null, updatedAt }] as const;
    });
    await storeDocuments(world.database, decks);
    const pagesFrom = async (query: Query): Promise<List['presentations']> => {
      const { presentations, nextCursor: cursor } = await succeed(decksOf(mine, { limit: '19', ...query }));
      return [...presentations, ...(cursor ? await pagesFrom({ cursor }) : [])];
    };
    const seen = await pagesFrom({});
    expect(seen.map(({ id }) => id).sort()).toEqual([first, ...ids].sort());
    const at = seen.map(({ updatedAt }) => updatedAt);
    expect(at).toEqual(at.toSorted().reverse());
    passSeconds(0);
    await world.useKey(mine);
    const cost = await world.costOf(async () => {
      expect((await succeed(decksOf(mine))).presentations).toHaveLength(100);
    });
    // The key, the decks, and one more query, which finds out whether decks of others follow.
    expect(cost.roundTrips).toBeLessThanOrEqual(1 + 3);
  });

  test('refuses wrong limits and cursors', async () => {
    const cursors = ['1.no-id', `999999999999999.${newId()}`].map((text) => Buffer.from(text).toString('base64url'));
    const queries: Query[] = [
      ...['0', '101', 'x'].map((limit) => ({ limit })),
      ...['nonsense', 'shared', ...cursors].map((cursor) => ({ cursor })),
    ];
    const answers = await Promise.all(queries.map(async (query) => problems(await decksOf(owner, query))));
    expect(answers).toEqual(queries.map((query) => [400, 'invalid-argument', [`query.${Object.keys(query)[0]}`]]));
  });

  test('an admin key is reported as such, owns no deck, may act on every deck and cannot make one', async () => {
    const key = await world.anAdmin();
    const { presentationId } = await world.aDeck(owner);
    const described = { type: 'admin-api-key', organizationId: null, organizationName: null };
    expect(await succeed(world.call('verifyApiKey', undefined, { key }))).toMatchObject(described);
    expect(await succeed(decksOf({ key }))).toEqual({ presentations: [], nextCursor: null });
    expect((await world.call('precheckAssets', { presentationId, hashes: [] }, { key })).data).toEqual({ missing: [] });
    const opened = world.call('precheckAssets', { hashes: [] }, { key });
    expect(await refusal(opened)).toEqual([403, 'permission-denied']);
  });
});
