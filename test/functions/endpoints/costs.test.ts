import type { EndpointDefinition } from '../../../functions/src/http/definition';
import * as functions from '../../../functions/src/index';
import { recipientKey } from '../../../functions/src/records/recipient-key';
import { labelOfListing, originOf } from '../../../functions/src/values/deck-origins';
import { passSeconds } from '../../support/clock';
import { CostTable } from '../../support/cost-table';
import { navigation, openOnOrigin, requestLocally, type OriginAnswer } from '../../support/deck-origin';
import { runJob } from '../../support/jobs';
import { storeDocuments } from '../../support/stored';
import {
  blob,
  manifestRow,
  page,
  sha256,
  succeed,
  World,
  type Account,
  type Deck,
  type DeckFile,
} from '../../support/world';

/** The round trip of the key of an authenticated call: one read. The write that notes its use is made once a minute. */
const KEY = 1;
/** The round trip of a dashboard session: one read. */
const SESSION = 1;

let world: World;
let owner: Account;
const costs = new CostTable(() => world);
const definitions = Object.values(functions).flatMap(
  (exported) => ('definition' in exported ? exported.definition : []) as EndpointDefinition,
);

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

describe('a scheduled function without work', () => {
  test.each([
    ['foldMarketplaceCounters', { roundTrips: 1, documentReads: 1, documentWrites: 0, storageCalls: 0 }],
    ['finishDeletions', { roundTrips: 1, documentReads: 1, documentWrites: 0, storageCalls: 0 }],
    ['removeExpiredSessions', { roundTrips: 1, documentReads: 1, documentWrites: 0, storageCalls: 0 }],
    // Its first run also notes that the week is counted.
    ['refreshMarketplace', { roundTrips: 5, documentReads: 4, documentWrites: 1, storageCalls: 0 }],
    ['recountUsage', { roundTrips: 1, documentReads: 1, documentWrites: 0, storageCalls: 0 }],
    ['removeAbandonedUploads', { roundTrips: 0, documentReads: 0, documentWrites: 0, storageCalls: 1 }],
  ] as const)('%s makes one call for each of its queries or listings', async (name, expected) => {
    expect(await costs.measure(name, 'a run without work', () => runJob(name))).toMatchObject(expected);
  });
});

const files = (count: number): DeckFile[] => [
  page(),
  ...Array.from({ length: count - 1 }, (_, i) => blob(40, `f${i}.css`)),
];
/** A navigation to a path on the origin of a deck, which was opened before. */
const openedSite = async ({ presentationId, token }: { presentationId: string; token: string }, path: string) => {
  const link = await openOnOrigin(`${world.cloud.hostingUrl}/share/${presentationId}?token=${token}`);
  return async () => withHeaders(await link.get(path, { headers: navigation }));
};
/** The answer as the table of costs reads it: like that of `fetch`. */
const withHeaders = ({ status, headers }: OriginAnswer) => ({
  status,
  headers: new Headers({ 'x-request-id': String(headers['x-request-id']) }),
});
const view = (deck: { presentationId: string; token: string }, path: string) => async () =>
  expect(await world.visit(world.viewUrl(deck, path))).toBe(200);

/** A new owner of one deck for each case, so that the cost of a list does not depend on the other cases. */
interface Given {
  owner: Account;
  deck: Deck;
  id: { presentationId: string };
  tokenId: string;
}
/** The input of the call, or the work to measure. The preparation before it is not measured. */
type Work = object | (() => Promise<unknown>);

const entry = page();
const codeOf = async (of: Account, request: string) => {
  passSeconds(31);
  await world.call(request, { email: of.email }, { headers: { 'x-forwarded-for': of.email } });
  return { email: of.email, code: await world.mailedCode(of.email) };
};
const anAsset = () => ({ sha256: sha256(String(Math.random())), size: 1000, contentType: 'video/mp4' });
const formOf = (id: { presentationId: string }, parts: DeckFile[]) => {
  const form = new FormData();
  form.append('presentationId', id.presentationId);
  for (const { bytes, contentType } of parts) {
    form.append(sha256(bytes), new Blob([new Uint8Array(bytes)], { type: contentType }), 'file');
  }
  return form;
};
const logo = { data: 'PHN2ZyB4bWxucz0iaHR0cDovL3d3dy53My5vcmcvMjAwMC9zdmciLz4=', contentType: 'image/svg+xml' };
const newAddress = () => `new-${Date.now()}-${Math.random()}@example.org`;

/** A call about a new listing, with the key of the listing's owner. */
const ofListing =
  (name: string, fields: object = {}) =>
  async () => {
    const publisher = await world.aPublisher();
    const { slug } = await world.aListing(publisher);
    return () => world.call(name, { slug, ...fields }, { key: publisher.key });
  };
/** A page of a listing whose tag is its slug. */
const ofPage = (open: (slug: string) => Promise<Response>) => async () => {
  const tag = `t-${Math.random().toString(36).slice(2)}`;
  await world.aListing(await world.aPublisher(), { slug: tag, tags: [tag] });
  return () => open(tag);
};
const remixOf = (by: Account, slug: string) =>
  succeed(world.call<Deck>('remixMarketplaceListing', { slug }, { key: by.key }));
/** The page behind the link of a mail. */
const ofMail = async (by: Account, id: { presentationId: string }, method: string, query = '') => {
  const to = newAddress();
  await world.call('sharePresentationViaEmail', { ...id, emails: [to] }, { key: by.key });
  const link = /https?:\/\/\S+\/mail\/[\w-]+/.exec((await world.mails(to))[0]!.text)![0];
  return () => fetch(link + query, { method });
};
/** A search for words of a new listing, which are the same in no other listing. */
const ofWords = (words: string, query: object) => async () => {
  const mark = Math.random().toString(36).slice(2);
  const title = words.replaceAll(/\w+/g, (word) => `${mark}${word}`);
  await world.aListing(await world.aPublisher(), { title, tags: ['tagged'] });
  return { q: title, ...query };
};
const publicListing = async () => ({ slug: (await world.aListing(await world.aPublisher())).slug });

/** At least one row for each endpoint: its ordinary case, with the maximum number of round trips. */
const ordinary: [endpoint: string, situation: string, atMost: number, work: (given: Given) => Work | Promise<Work>][] =
  [
    ['getServiceInfo', 'all limits', 0, () => ({})],
    ['getClientAddress', 'one proxy', 0, () => ({})],
    ['cliRequestSignupOtp', 'a new address', 3, () => ({ email: newAddress() })],
    ['cliRequestLoginOtp', 'a known address', 3, ({ owner: { email } }) => (passSeconds(31), { email })],
    [
      'cliCompleteSignup',
      'a new account',
      6,
      async () => {
        const email = newAddress();
        await world.call('cliRequestSignupOtp', { email });
        return { email, code: await world.mailedCode(email), user: { firstName: 'Ada' } };
      },
    ],
    [
      'completeDashboardSignup',
      'a new account',
      6,
      async () => {
        const email = newAddress();
        await world.call('cliRequestSignupOtp', { email });
        return { email, code: await world.mailedCode(email), user: { firstName: 'Ada' } };
      },
    ],
    ['cliCompleteLogin', 'the right code', 6, (given) => codeOf(given.owner, 'cliRequestLoginOtp')],
    ['createDashboardSession', 'the right code', 6, (given) => codeOf(given.owner, 'cliRequestLoginOtp')],
    ['endDashboardSession', 'its own session', SESSION + 1, () => ({})],
    ['verifyApiKey', 'a live key', KEY + 1, () => ({})],
    ['listApiKeys', 'one key', KEY + 1, () => ({})],
    ['getAccount', 'a key', KEY + 1, () => ({})],
    ['updateProfile', 'another first name', SESSION + 2, () => ({ firstName: 'Grace' })],
    ['updateOrganization', 'another name', SESSION + 2, () => ({ name: 'Engines' })],
    ['updateOrganization', 'a first logo', SESSION + 2, () => ({ logo })],
    [
      'getOrganizationLogo',
      'a small logo',
      KEY + 1,
      async ({ owner: by }) => {
        await world.call('updateOrganization', { logo }, { key: await world.aDashboardSession(by) });
        return {};
      },
    ],
    ['getUsage', 'one deck', KEY + 3, () => ({})],
    ['createApiKey', 'one scope', SESSION + 2, () => ({ name: 'x', scopes: ['presentations:read'] })],
    ['revokeApiKey', 'itself', KEY + 3, () => ({})],
    ['precheckAssets', 'a new deck', KEY + 2, () => ({ hashes: [sha256('x')] })],
    [
      'uploadPresentationAsset',
      'a small file',
      KEY + 4,
      ({ owner: by, id }) =>
        () =>
          world.upload(by, id, blob(40)),
    ],
    [
      'commitPresentationVersion',
      'the next version of one file',
      KEY + 4,
      ({ owner: by, id }) =>
        () =>
          world.commit(by, id, [entry]),
    ],
    [
      'uploadPresentationAssets',
      'three small files',
      KEY + 4,
      ({ owner: by, id }) =>
        () =>
          world.call('uploadPresentationAssets', formOf(id, [blob(40), blob(40), blob(40)]), { key: by.key }),
    ],
    ['createAssetUploads', 'one large file', KEY + 4, ({ id }) => ({ ...id, assets: [anAsset()] })],
    [
      'completeAssetUploads',
      'a file that was not sent',
      KEY + 4,
      async ({ owner: by, id }) => {
        const asset = anAsset();
        await world.call('createAssetUploads', { ...id, assets: [asset] }, { key: by.key });
        return { ...id, sha256s: [asset.sha256] };
      },
    ],
    ['getSharedPresentation', 'the entry, cold', 3, ({ deck }) => view(deck, '')],
    ['deckSite', 'the entry, cold', 3, ({ deck }) => openedSite(deck, '/')],
    [
      'sharePage',
      'an open link, cold',
      2,
      ({ deck }) =>
        () =>
          fetch(`${world.cloud.baseUrl}/sharePage${new URL(deck.shareUrl).pathname}?token=${deck.token}`),
    ],
    ['listMyPresentations', 'one deck', KEY + 3, () => ({})],
    ['getSharedPresentationInfo', 'one link', KEY + 3, ({ id }) => id],
    ['listPresentationVersions', 'one version', KEY + 4, ({ id }) => id],
    ['getPresentationVersion', 'a deck of one file', KEY + 4, ({ id }) => ({ ...id, version: '1' })],
    ['diffPresentationVersions', 'a version with itself', KEY + 4, ({ id }) => ({ ...id, from: '1', to: '1' })],
    ['downloadPresentationAsset', 'the entry', KEY + 4, ({ id }) => ({ ...id, sha256: sha256(entry.bytes) })],
    ['restorePresentationVersion', 'a deck of one file', KEY + 4, ({ id }) => ({ ...id, version: 1 })],
    ['renamePresentation', 'another title', KEY + 2, ({ id }) => ({ ...id, title: 'Other' })],
    ['setPresentationExpiry', 'no end', KEY + 4, ({ id }) => ({ ...id, expiresAt: null })],
    ['addPresentationToken', 'following the latest version', KEY + 4, ({ id }) => ({ ...id, tokenName: 'x' })],
    [
      'setTokenVersionMode',
      'pin',
      KEY + 4,
      ({ id, tokenId }) => ({ ...id, tokenId, versionMode: { type: 'pinned', version: 1 } }),
    ],
    ['renameShareToken', 'another name', KEY + 3, ({ id, tokenId }) => ({ ...id, tokenId, name: 'x' })],
    ['unsharePresentation', 'one link', KEY + 4, ({ id, tokenId }) => ({ ...id, tokenId })],
    ['unsharePresentation', 'all links', KEY + 4, ({ id }) => ({ ...id, all: true })],
    ['inviteCollaborator', 'an address without an account', KEY + 4, ({ id }) => ({ ...id, email: newAddress() })],
    [
      'uninviteCollaborator',
      'a pending address',
      KEY + 4,
      async ({ owner: by, id }) => {
        const email = newAddress();
        await world.call('inviteCollaborator', { ...id, email }, { key: by.key });
        return { ...id, email };
      },
    ],
    ['listCollaborators', 'none', KEY + 4, ({ id }) => id],
    [
      'leavePresentation',
      'a dev of the deck',
      KEY + 4,
      async ({ deck, id }) => {
        const dev = await world.anOwner();
        await world.addMember(deck, dev);
        return () => world.call('leavePresentation', id, { key: dev.key });
      },
    ],
    ['previewShareEmail', 'no message', KEY + 1, ({ id }) => id],
    ['sharePresentationViaEmail', 'one address', KEY + 4, ({ id }) => ({ ...id, emails: [newAddress()] })],
    ['mailPage', 'opened', 2, ({ owner: by, id }) => ofMail(by, id, 'GET')],
    ['mailPage', 'a first stop', 4, ({ owner: by, id }) => ofMail(by, id, 'POST')],
    ['mailPage', 'a first report', 5, ({ owner: by, id }) => ofMail(by, id, 'POST', '?choice=report&reason=spam')],
    ['listEmailSends', 'none', KEY + 2, ({ id }) => id],
    [
      'publishMarketplaceListing',
      'under a slug from the title',
      KEY + 7,
      async () => {
        const publisher = await world.aPublisher();
        const { presentationId } = await world.aDeck(publisher);
        const input = { presentationId, kind: 'plan', description: 'x' };
        return () => world.call('publishMarketplaceListing', input, { key: publisher.key });
      },
    ],
    ['updateMarketplaceListing', 'another title', KEY + 3, ofListing('updateMarketplaceListing', { title: 'Other' })],
    ['updateMarketplaceListing', 'a version', KEY + 6, ofListing('updateMarketplaceListing', { version: 1 })],
    ['listMarketplaceListings', 'a page of one', 2, async () => (await publicListing(), { limit: '1' })],
    ['listMarketplaceListings', 'one word and a kind', 2, ofWords('word', { kind: 'presentation' })],
    ['listMarketplaceListings', 'two words and a tag, one listing', 5, ofWords('word other', { tag: 'tagged' })],
    ['getMarketplaceListing', 'a deck of one file', 3, publicListing],
    [
      'getMarketplaceListingContent',
      'the entry, cold',
      2,
      async () => {
        const { slug } = await publicListing();
        return () => fetch(`${world.cloud.baseUrl}/getMarketplaceListingContent/${slug}/`);
      },
    ],
    [
      'deckSite',
      'the entry of a listing, cold',
      3,
      async () => {
        const { slug } = await publicListing();
        const origin = originOf(world.cloud.deckOrigin!, labelOfListing(slug));
        return async () => withHeaders(await requestLocally(`${origin}/`, { headers: navigation }));
      },
    ],
    ['listMarketplaceRemixes', 'none', 2, publicListing],
    [
      'listMarketplaceRemixes',
      'a page of one',
      4,
      async () => {
        const publisher = await world.aPublisher();
        const { slug } = await world.aListing(publisher);
        await world.aListing(publisher, {}, await remixOf(publisher, slug));
        return { slug };
      },
    ],
    ['starMarketplaceListing', 'a first star', KEY + 3, ofListing('starMarketplaceListing')],
    ['unstarMarketplaceListing', 'without a star', KEY + 2, ofListing('unstarMarketplaceListing')],
    ['recordMarketplaceView', 'a first view', 3, publicListing],
    ['recordMarketplaceRemix', 'a first remix', 3, publicListing],
    ['reportMarketplaceListing', 'a first report', 5, async () => ({ ...(await publicListing()), reason: 'spam' })],
    [
      'marketplacePage',
      'a page of one',
      2,
      ofPage((slug) => fetch(`${world.cloud.hostingUrl}/marketplace?tag=${slug}`)),
    ],
    ['listingPage', 'without remixes', 3, ofPage((slug) => fetch(`${world.cloud.hostingUrl}/marketplace/${slug}`))],
    [
      'oembed',
      'a public listing',
      2,
      ofPage((slug) => {
        const url = encodeURIComponent(`${world.cloud.marketplaceUrl}/marketplace/${slug}`);
        return fetch(`${world.cloud.hostingUrl}/oembed?url=${url}`);
      }),
    ],
    ['marketplaceFeed', 'the newest 30', 3, ofPage(() => fetch(`${world.cloud.hostingUrl}/marketplace/feed.xml`))],
    ['sitemap', 'the index', 2, ofPage(() => fetch(`${world.cloud.hostingUrl}/sitemap.xml`))],
    [
      'reportPage',
      'a first report',
      5,
      ofPage((slug) => {
        const body = new URLSearchParams({ slug, reason: 'spam' });
        return fetch(`${world.cloud.baseUrl}/reportPage`, { method: 'POST', body });
      }),
    ],
    ['remixMarketplaceListing', 'a deck of one file', KEY + 8, publicListing],
    // The call empties one collection after the other, so the number follows from the collections of a deck.
    ['deletePresentation', 'a deck of one file', KEY + 13, ({ id }) => id],
  ];

describe('the ordinary case', () => {
  test.each(ordinary)('%s, %s: %d round trips at most', async (name, situation, atMost, prepare) => {
    const by = await world.anOwner();
    await world.useKey(by);
    const deck = await world.aDeck(by, [entry]);
    const { presentationId, tokenId } = deck;
    const work = await prepare({ owner: by, deck, id: { presentationId }, tokenId });
    const session = await world.aDashboardSession(by);
    const { method, caller } = definitions.find((definition) => definition.name === name)!;
    const key = caller === 'anyone' || caller === 'optional-key' ? undefined : caller === 'session' ? session : by.key;
    const call = () =>
      [method].flat().includes('GET')
        ? world.call(name, undefined, { key, query: work as Record<string, string> })
        : world.call(name, work, { key });
    const cost = await costs.measure(name, situation, async () => {
      const answer = await (typeof work === 'function' ? (work as () => Promise<unknown>)() : call());
      const status = (answer as { status?: number } | undefined)?.status ?? 200;
      expect([status, answer]).toEqual([200, answer]);
      return answer;
    });
    expect(cost.roundTrips).toBeLessThanOrEqual(atMost);
  });
});

describe('where size or warmth counts', () => {
  test('a share page and a picture of a deck, warm: one round trip of two reads, and no bucket call', async () => {
    const deck = await world.aDeck(owner, [page(), { ...blob(100, 'thumbnail.png'), contentType: 'image/png' }]);
    const look = () => fetch(`${world.cloud.baseUrl}/sharePage${new URL(deck.shareUrl).pathname}?token=${deck.token}`);
    const [, address] = /property="og:image" content="([^"]*)"/.exec(await (await look()).text())!;
    await fetch(address!);
    for (const [situation, work] of [
      ['an open link, warm', look],
      ['the picture of a deck, warm', () => fetch(address!)],
      [
        'a navigation that is redirected',
        async () => void (await requestLocally(deck.shareUrl, { headers: navigation })),
      ],
    ] as const) {
      const cost = await costs.measure('sharePage', situation, work);
      expect(cost).toMatchObject({ roundTrips: 1, documentReads: 2, documentWrites: 0, storageCalls: 0 });
    }
  });

  test('a warm asset view: one round trip of two reads, and no bucket call', async () => {
    const deck = await world.aDeck(owner, [page(), blob(1024 * 1024, 'big.png')]);
    await view(deck, 'big.png')();
    const cost = await costs.measure('getSharedPresentation', 'an asset, warm', view(deck, 'big.png'));
    expect(cost).toMatchObject({ roundTrips: 1, documentReads: 2, documentWrites: 0, storageCalls: 0 });
  });

  test('a warm entry view: one commit in addition', async () => {
    const deck = await world.aDeck(owner, [page()]);
    await view(deck, '')();
    const cost = await costs.measure('getSharedPresentation', 'the entry, warm', view(deck, ''));
    expect(cost).toMatchObject({ calls: { BatchGetDocuments: 1, Commit: 1 }, documentReads: 2, storageCalls: 0 });
    expect(cost.roundTrips).toBe(2);
  });

  test('a warm file on the origin of its deck: one round trip for the access', async () => {
    const deck = await world.aDeck(owner, [page(), blob(1024 * 1024, 'big.png')]);
    const file = await openedSite(deck, '/big.png');
    await file();
    const cost = await costs.measure('deckSite', 'an asset, warm', file);
    expect(cost).toMatchObject({ roundTrips: 1, documentReads: 2, documentWrites: 0, storageCalls: 0 });
    const missing = await costs.measure('deckSite', 'no such file, warm', await openedSite(deck, '/none'));
    expect(missing).toMatchObject({ roundTrips: 1, documentReads: 2, documentWrites: 0, storageCalls: 0 });
  });

  test('a key: one read, and one write a minute; verifyApiKey adds only the read of the organization', async () => {
    const cost = () => world.costOf(() => world.call('verifyApiKey', undefined, { key: owner.key }));
    expect(await cost()).toMatchObject({ roundTrips: KEY + 1, documentReads: 2, documentWrites: 0 });
    passSeconds(60);
    expect(await cost()).toMatchObject({ roundTrips: KEY + 2, documentReads: 2, documentWrites: 1 });
  });

  test('a signal that was counted before: two round trips and no write, even under contention', async () => {
    const { slug } = await world.aListing(await world.aPublisher());
    const view = (from: string) =>
      world.call('recordMarketplaceView', { slug }, { headers: { 'x-forwarded-for': from } });
    await view('192.0.2.0');
    const quiet = await costs.measure('recordMarketplaceView', 'counted already', () => view('192.0.2.0'));
    expect(quiet).toMatchObject({ roundTrips: 2, documentReads: 3, documentWrites: 0 });
    await Promise.all(Array.from({ length: 100 }, (_, i) => view(`192.0.2.${i}`)));
    const popular = await world.costOf(() => view('192.0.2.0'));
    expect(popular).toMatchObject({ roundTrips: 2, documentWrites: 0 });
    expect(popular.documentReads).toBeLessThanOrEqual(3 + 32);
  });

  test('precheck of 2 000 known hashes: two round trips, key included', async () => {
    const deck = await world.aDeck(owner, [page()]);
    const known = files(2000);
    await seedDeck(deck.presentationId, known);
    const hashes = known.map(({ bytes }) => sha256(bytes));
    const cost = await costs.measure('precheckAssets', '2 000 hashes of which all are known', async () => {
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
    await seedBlobs(presentationId, first);
    const commit = (situation: string, fields: object, committed: DeckFile[]) =>
      costs.measure('commitPresentationVersion', situation, async () => {
        const answer = await world.commit(owner, { ...fields }, committed);
        expect(answer.status).toBe(200);
        return answer;
      });
    const created = await commit('a new deck of 500 files', { sessionId, title: 'x' }, first);
    expect(created.roundTrips).toBeLessThanOrEqual(6);

    const next = [page('new'), ...files(500).slice(1)];
    await seedBlobs(presentationId, next);
    const updated = await commit('500 files of which one is new', { presentationId }, next);
    expect(updated.roundTrips).toBeLessThanOrEqual(6);
    const same = await commit('500 files of which none is new', { presentationId }, next);
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
    const cost = await costs.measure('listMyPresentations', '100 decks', async () => {
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
    await seedBlobs(presentationId, many);
    const deck = (
      await world.commit<{ presentationId: string; token: string }>(owner, { sessionId, title: 'large' }, many)
    ).data;
    const small = await world.aDeck(owner, [page(), blob(12, 'x.bin')]);
    const large = await costs.measure(
      'getSharedPresentation',
      'one of 10 000 files, cold',
      view(deck, encodeURI(many[5_000]!.path)),
    );
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
    const next = await costs.measure('commitPresentationVersion', '10 000 files of which none is new', async () => {
      const answer = await world.commit(owner, { presentationId }, many);
      expect(answer.status).toBe(200);
      return answer;
    });
    expect(next.documentReads).toBeLessThan(20);
  });

  test('is remixed with one bucket call for each distinct file', async () => {
    const differing = files(100);
    const many = Array.from({ length: 10_000 }, (_, i) => ({ ...differing[i % 100]!, path: `${i}.html` }));
    const publisher = await world.aPublisher('enterprise');
    const { slug } = await world.aListing(publisher, {}, await world.aDeck(publisher, many));
    const situation = '10 000 files of which 100 differ';
    const cost = await costs.measure('remixMarketplaceListing', situation, async () => {
      const answer = await world.call('remixMarketplaceListing', { slug }, { key: owner.key });
      expect(answer.data).toMatchObject({ fileCount: 10_000, remixedFrom: { slug, version: 1 } });
      return answer;
    });
    expect(cost.storageCalls).toBe(100);
    expect(cost.roundTrips).toBeLessThanOrEqual(KEY + 8);
  });
});

test('every endpoint has a case', () => {
  expect(definitions.map(({ name }) => name).filter((name) => !costs.endpoints.has(name))).toEqual([]);
});

test('docs/costs.md has the measured costs: run `npm run costs` when this fails', () => {
  expect(costs.document()).toBe(costs.markdown());
});

/** Writes the blob records of uploaded files. */
async function seedBlobs(presentationId: string, seeded: DeckFile[]): Promise<void> {
  const rows = new Map(seeded.map((file) => [sha256(file.bytes), manifestRow(file)]));
  const createdAt = new Date();
  const records = [...rows].map(([hash, { size, contentType }]) => {
    return [`presentations/${presentationId}/blobs/${hash}`, { sizeBytes: size, contentType, createdAt }] as const;
  });
  await storeDocuments(world.database, records);
}

/** Writes the blob records and commits a version with those files. */
async function seedDeck(presentationId: string, seeded: DeckFile[]): Promise<void> {
  await seedBlobs(presentationId, seeded);
  expect((await world.commit(owner, { presentationId }, seeded)).status).toBe(200);
}
