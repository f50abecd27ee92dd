import { passSeconds } from '../../support/clock';
import { page, succeed, World, type Account, type Answered, type Deck } from '../../support/world';

let world: World;
let owner: Account;
let deck: Deck;
beforeAll(async () => {
  world = await World.start();
  owner = await world.anOwner();
});
beforeEach(async () => {
  deck = await world.aDeck(owner, [page('one')]);
  await world.uploadAll(owner, deck, [page('two')]);
});
afterAll(() => world.stop());

interface Token {
  tokenId: string;
  token: string;
  shareUrl: string;
}
interface Info {
  totalViews: number;
  primaryShareUrl: string | null;
  expiresAt: string | null;
  closed: string | null;
  takedown: object | null;
  listingSlug: string | null;
  tokens: {
    tokenId: string;
    name: string;
    revoked: boolean;
    revokedAt: string | null;
    accessCount: number;
    lastAccessedAt: string | null;
    versionMode: object;
    shareUrl: string;
  }[];
}
const call = <T>(name: string, body: object, headers = {}): Promise<Answered<T>> =>
  world.call<T>(name, { presentationId: deck.presentationId, ...body }, { key: owner.key, headers });
const add = (tokenName: string, more: object = {}, headers = {}) =>
  call<Token>('addPresentationToken', { tokenName, ...more }, headers);
const mode = (tokenId: string, versionMode: object) =>
  call<Record<string, unknown>>('setTokenVersionMode', { tokenId, versionMode });
const unshare = (body: object) =>
  call<{ revokedTokenIds: string[]; alreadyRevoked: string[]; revokedAt: string }>('unsharePresentation', body);
const info = () =>
  succeed(
    world.call<Info>('getSharedPresentationInfo', undefined, {
      key: owner.key,
      query: { presentationId: deck.presentationId },
    }),
  );
const next = () => succeed(world.commit(owner, { presentationId: deck.presentationId }, [page('two')]));
const look = async ({ token }: Pick<Token, 'token'>) => {
  const response = await fetch(world.viewUrl({ presentationId: deck.presentationId, token }));
  const text = await response.text();
  return response.status === 200 ? (/<p>(\w+)/.exec(text)?.[1] ?? '') : response.status;
};

describe('links of a deck', () => {
  test('follow the latest version or stay on a pinned version', async () => {
    const [follows, stays] = [
      await succeed(add('follows')),
      await succeed(add('stays', { versionMode: { type: 'pinned', version: 1 } })),
    ];
    await next();
    expect([await look(deck), await look(follows), await look(stays)]).toEqual(['two', 'two', 'one']);
    expect(await succeed(mode(stays.tokenId, { type: 'latest' }))).toEqual({
      presentationId: deck.presentationId,
      tokenId: stays.tokenId,
      name: 'stays',
      versionMode: { type: 'latest' },
      servedVersion: 2,
      shareUrl: stays.shareUrl,
    });
    expect(await succeed(mode(follows.tokenId, { type: 'pinned', version: 1 }))).toMatchObject({ servedVersion: 1 });
    expect([await look(follows), await look(stays)]).toEqual(['one', 'two']);
  });

  test.each([
    [{ type: 'pinned', version: 2 }],
    [{ type: 'pinned', version: 0 }],
    [{ type: 'pinned' }],
    [{ type: 'newest' }],
  ])('cannot be pinned to %j', async (versionMode) => {
    expect((await add('x', { versionMode })).status).toBe(400);
    expect((await mode(deck.tokenId, versionMode)).status).toBe(400);
  });

  test('need a name, and are made once for each Idempotency-Key', async () => {
    expect((await add(' ')).status).toBe(400);
    const retry = () => add('once', {}, { 'idempotency-key': 'key' });
    const [first, second] = [await succeed(retry()), await succeed(retry())];
    expect(second).toEqual({ tokenId: first.tokenId });
    expect((await info()).tokens).toHaveLength(2);
  });

  test('are revoked one by one from the next request on, and a repeated revocation changes nothing', async () => {
    const other = await succeed(add('other'));
    const { revokedAt, ...rest } = await succeed(unshare({ tokenId: deck.tokenId }));
    expect(rest).toEqual({ presentationId: deck.presentationId, revokedTokenIds: [deck.tokenId], alreadyRevoked: [] });
    expect([await look(deck), await look(other)]).toEqual([403, 'one']);
    expect(await succeed(unshare({ tokenId: deck.tokenId }))).toEqual({
      presentationId: deck.presentationId,
      revokedTokenIds: [],
      alreadyRevoked: [deck.tokenId],
      revokedAt,
    });
    const conflict = await mode(deck.tokenId, { type: 'latest' });
    expect([conflict.status, conflict.error.code]).toEqual([409, 'conflict']);
    expect((await unshare({ tokenId: 'x'.repeat(22) })).status).toBe(404);
    for (const body of [{}, { all: true, tokenId: deck.tokenId }, { all: false }])
      expect((await unshare(body)).status).toBe(400);
  });

  test('are all revoked in one write, however many there are; links made later open', async () => {
    const others = await Promise.all(['a', 'b', 'c', 'd'].map((name) => succeed(add(name))));
    await succeed(unshare({ tokenId: others[0]!.tokenId }));
    passSeconds(0);
    await world.useKey(owner);
    const cost = await world.costOf(async () => {
      const { revokedTokenIds, alreadyRevoked } = await succeed(unshare({ all: true }));
      expect(revokedTokenIds.sort()).toEqual([deck, ...others.slice(1)].map(({ tokenId }) => tokenId).sort());
      expect(alreadyRevoked).toEqual([others[0]!.tokenId]);
    });
    // The writes are the deck and the transaction's receipt.
    expect(cost.documentWrites).toBe(2);
    expect(await Promise.all([deck, ...others].map(look))).toEqual([403, 403, 403, 403, 403]);
    const fresh = await succeed(add('fresh'));
    expect(await look(fresh)).toBe('one');
    const { tokens, primaryShareUrl } = await info();
    expect(tokens.filter(({ revoked }) => !revoked).map(({ tokenId }) => tokenId)).toEqual([fresh.tokenId]);
    expect(tokens.filter(({ revoked, revokedAt }) => revoked !== (revokedAt !== null))).toEqual([]);
    expect(primaryShareUrl).toBe(fresh.shareUrl);
  });

  test('do not open after the revoking call was answered', async () => {
    let isRevoked = false;
    const seen: { began: boolean; status: number }[] = [];
    const viewer = async () => {
      for (let i = 0; i < 15; i++) {
        const began = isRevoked;
        seen.push({ began, status: await world.visit(world.viewUrl(deck)) });
      }
    };
    await Promise.all([
      ...Array.from({ length: 6 }, viewer),
      succeed(unshare({ all: true })).then(() => (isRevoked = true)),
    ]);
    expect(await world.visit(world.viewUrl(deck))).toBe(403);
    expect(seen.filter(({ began, status }) => began && status !== 403)).toEqual([]);
    const counted = seen.filter(({ status }) => status === 200).length;
    expect((await info()).totalViews).toBe(counted);
  });

  test('are revoked once when two calls that revoke all links race', async () => {
    await succeed(add('other'));
    const answers = await Promise.all([1, 2, 3].map(() => succeed(unshare({ all: true }))));
    expect(answers.map(({ revokedTokenIds }) => revokedTokenIds.length).sort()).toEqual([0, 0, 2]);
    expect(new Set(answers.map(({ revokedAt }) => revokedAt)).size).toBe(1);
  });

  test('are all revoked, also a link made by an instance whose clock is ahead', async () => {
    passSeconds(30);
    const ahead = await succeed(add('made half a minute ahead'));
    jest.useRealTimers();
    const { revokedTokenIds } = await succeed(unshare({ all: true }));
    expect(revokedTokenIds.sort()).toEqual([deck.tokenId, ahead.tokenId].sort());
    expect([await look(deck), await look(ahead)]).toEqual([403, 403]);
    // A link made now must be newer than all revoked links, whatever the instance's clock says.
    const fresh = await succeed(add('fresh'));
    expect(await look(fresh)).toBe('one');
    expect((await info()).primaryShareUrl).toBe(fresh.shareUrl);
  });

  test('that are pinned are not returned by a push, also when no other link exists', async () => {
    await succeed(unshare({ all: true }));
    const pinned = await succeed(add('pinned', { versionMode: { type: 'pinned', version: 1 } }));
    expect([(await info()).primaryShareUrl, (await next()).shareUrl]).toEqual([pinned.shareUrl, null]);
    const follows = await succeed(add('follows'));
    expect([(await info()).primaryShareUrl, (await next()).shareUrl]).toEqual([pinned.shareUrl, follows.shareUrl]);
  });

  test('revoked together stay hidden when a newer link is revoked alone', async () => {
    await succeed(unshare({ all: true }));
    const [fresh, other] = [await succeed(add('fresh')), await succeed(add('other'))];
    await succeed(unshare({ tokenId: fresh.tokenId }));
    expect((await info()).primaryShareUrl).toBe(other.shareUrl);
    await succeed(unshare({ tokenId: other.tokenId }));
    expect([(await info()).primaryShareUrl, (await next()).shareUrl]).toEqual([null, null]);
  });

  test('that are revoked cannot be pinned: the call is a conflict', async () => {
    const [alone, together] = [await succeed(add('alone')), await succeed(add('together'))];
    await succeed(unshare({ tokenId: alone.tokenId }));
    await succeed(unshare({ all: true }));
    for (const { tokenId } of [alone, together]) {
      const { status, error } = await mode(tokenId, { type: 'pinned', version: 1 });
      expect([status, error.code]).toEqual([409, 'conflict']);
    }
  });

  test('show the first that opens: in the list, in the info and after a push', async () => {
    const shown = async () => {
      const list = await succeed(
        world.call<{ presentations: { id: string; shareUrl: string }[] }>('listMyPresentations', undefined, {
          key: owner.key,
        }),
      );
      const inList = list.presentations.find(({ id }) => id === deck.presentationId)!.shareUrl;
      return [inList, (await info()).primaryShareUrl, (await next()).shareUrl];
    };
    const pinned = await succeed(add('pinned', { versionMode: { type: 'pinned', version: 1 } }));
    const last = await succeed(add('last'));
    expect(await shown()).toEqual([deck.shareUrl, deck.shareUrl, deck.shareUrl]);
    await succeed(unshare({ tokenId: deck.tokenId }));
    // A push returns a link that follows the latest version. The list and the info return the first link that opens.
    expect(await shown()).toEqual([pinned.shareUrl, pinned.shareUrl, last.shareUrl]);
    await succeed(mode(pinned.tokenId, { type: 'latest' }));
    expect(await shown()).toEqual([pinned.shareUrl, pinned.shareUrl, pinned.shareUrl]);
    await succeed(unshare({ all: true }));
    expect(await shown()).toEqual([null, null, null]);
  });
});

describe('getSharedPresentationInfo', () => {
  test('counts the views of each link separately, and costs three round trips', async () => {
    const other = await succeed(add('other', { versionMode: { type: 'pinned', version: 1 } }));
    for (const { token } of [deck, deck, other])
      await world.visit(world.viewUrl({ presentationId: deck.presentationId, token }));
    await succeed(unshare({ tokenId: other.tokenId }));
    const cost = await world.costOf(async () => {
      const { totalViews, tokens } = await info();
      expect(totalViews).toBe(3);
      expect(tokens).toMatchObject([
        {
          tokenId: deck.tokenId,
          name: 'default',
          accessCount: 2,
          revoked: false,
          revokedAt: null,
          versionMode: { type: 'latest' },
          shareUrl: deck.shareUrl,
        },
        {
          tokenId: other.tokenId,
          name: 'other',
          accessCount: 1,
          revoked: true,
          versionMode: { type: 'pinned', version: 1 },
          shareUrl: other.shareUrl,
        },
      ]);
      expect(tokens.every(({ lastAccessedAt }) => lastAccessedAt !== null)).toBe(true);
    });
    // The key adds one read and one write.
    expect(cost.roundTrips).toBeLessThanOrEqual(3 + 2);
  });
  test('tells the owner and the list why all links are closed', async () => {
    const stored = world.database.doc(`presentations/${deck.presentationId}`);
    const closure = async () => {
      const [own, { presentations }] = await Promise.all([
        info(),
        succeed(world.call<{ presentations: object[] }>('listMyPresentations', undefined, { key: owner.key })),
      ]);
      const row = presentations.find((each) => 'id' in each && each.id === deck.presentationId) as typeof own;
      expect([row.closed, row.expiresAt]).toEqual([own.closed, own.expiresAt]);
      return { closed: own.closed, takedown: own.takedown, listingSlug: own.listingSlug };
    };
    expect(await closure()).toEqual({ closed: null, takedown: null, listingSlug: null });
    await stored.update({ expiresAt: new Date(Date.now() - 1), listingSlug: 'quarter' });
    expect(await closure()).toEqual({ closed: 'expired', takedown: null, listingSlug: 'quarter' });
    await stored.update({ takedown: { at: new Date(0), reason: 'A copy', withSources: ['x'] } });
    const takedown = { at: '1970-01-01T00:00:00.000Z', reason: 'A copy' };
    expect(await closure()).toMatchObject({ closed: 'taken-down', takedown });
    await stored.update({ expiresAt: null });
    expect(await closure()).toMatchObject({ closed: 'taken-down' });
    await stored.update({ takedown: null, listingSlug: null });
    expect(await closure()).toMatchObject({ closed: null });
  });
});
