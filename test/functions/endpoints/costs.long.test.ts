import { mapConcurrently } from '../../../functions/src/blobs/concurrent';
import { placeQuarantined } from '../../../functions/src/blobs/quarantine';
import { planCaps } from '../../../functions/src/policy/plans';
import { recipientKey } from '../../../functions/src/records/recipient-key';
import { passSeconds } from '../../support/clock';
import { navigation, openOnOrigin } from '../../support/deck-origin';
import { gateway, startWorldBehindGateway } from '../../support/gateways';
import { seedBlobs } from '../../support/stored';
import { bucket } from '../../support/whole-store';
import { type Account, blob, type Deck, type DeckFile, page, sha256, succeed, world } from '../../support/world';

/** The round trip of the key of an authenticated call: one read. */
const KEY = 1;

let owner: Account;

startWorldBehindGateway(async () => {
  owner = await world.anOwner('enterprise');
  // The first instance of a new service makes this key. Every later call finds it in memory.
  await recipientKey();
});
// The date stands still, and the keys were used: no measured call notes the use of its key.
beforeEach(async () => {
  passSeconds(0);
  await world.useKey(owner);
});
const files = (count: number): DeckFile[] => [
  page(),
  ...Array.from({ length: count - 1 }, (_, i) => blob(40, `f${i}.css`)),
];
const view = (deck: { presentationId: string; token: string }, path: string) => async () =>
  expect(await world.visit(world.viewUrl(deck, path))).toBe(200);
const commit = (fields: Record<string, unknown>, committed: DeckFile[]) =>
  world.costOf(() => succeed(world.commit(owner, fields, committed)));

test('a commit of 2 000 files: six round trips, key included, for a new deck and the next version; a precheck: two', async () => {
  const { sessionId, presentationId } = await world.aSession(owner);
  const [first, next] = [files(2000), [page('new'), ...files(2000).slice(1)]];
  const push = async (fields: Record<string, unknown>, committed: DeckFile[]) => {
    await seedBlobs(world, presentationId, committed);
    expect((await commit(fields, committed)).roundTrips).toBeLessThanOrEqual(6);
  };
  await push({ sessionId, title: 'x' }, first);
  for (const _ of [1, 2]) await push({ presentationId }, next);
  const hashes = next.map(({ bytes }) => sha256(bytes));
  const known = { presentationId, hashes };
  const precheck = await world.costOf(() => succeed(world.call('precheckAssets', known, { key: owner.key })));
  expect(precheck).toMatchObject({ roundTrips: KEY + 1, documentReads: 3 });
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
    const deck = (await world.commit<Deck>(owner, { sessionId, title: 'large' }, many)).data;
    const small = await world.aDeck(owner, [page(), blob(12, 'x.bin')]);
    const large = await world.costOf(view(deck, encodeURI(many[5_000]!.path)));
    const { documentReads } = await world.costOf(view(small, 'x.bin'));
    expect(large).toMatchObject({ documentReads, roundTrips: 2 });
    const again = await world.costOf(view(deck, encodeURI(many[5_000]!.path)));
    expect(again).toMatchObject({ roundTrips: 1, documentReads: 2, storageCalls: 0 });
    // An address may be that of a page without its ending, so shards of other paths are read in the same round trip.
    const link = await openOnOrigin(deck.shareUrl);
    for (const path of [`/${encodeURI(many[6_000]!.path)}`, '/no/such/file']) {
      const onOrigin = await world.costOf(() => link.get(path, { headers: navigation }));
      expect(onOrigin.roundTrips).toBeLessThanOrEqual(2);
      expect(onOrigin.documentReads).toBeLessThanOrEqual(2 + 7);
    }
    // The next version changes one file without a precheck of the other 9 999. 16 of the reads are the shards in which
    // the deck counts its files.
    expect((await commit({ presentationId }, many)).documentReads).toBeLessThan(20 + 16);
  });

  test('is remixed with one bucket call for each distinct file', async () => {
    const differing = files(100);
    const many = Array.from({ length: 10_000 }, (_, i) => ({ ...differing[i % 100]!, path: `${i}.html` }));
    const publisher = await world.aPublisher('enterprise');
    const { slug } = await world.aListing(publisher, {}, await world.aDeck(publisher, many));
    const cost = await world.costOf(async () => {
      const { data } = await world.call('remixMarketplaceListing', { slug }, { key: owner.key });
      expect(data).toMatchObject({ fileCount: 10_000, remixedFrom: { slug, version: 1 } });
    });
    expect(cost.storageCalls).toBe(100);
    expect(cost.roundTrips).toBeLessThanOrEqual(KEY + 8);
  });
});

test('a commit without room is refused before its large manifest is stored', async () => {
  const by = await world.anOwner('enterprise');
  const [deck, { sessionId, presentationId }] = [await world.aDeck(by), await world.aSession(by)];
  const ofDeck = { presentationId: deck.presentationId };
  for (const target of [ofDeck, { sessionId }]) await world.uploadAll(by, target, [page('more')]);
  const full = { decks: 1, storedBytes: planCaps.enterprise.storedBytes };
  await world.database.doc(`organizationUsages/${by.organizationId}`).update(full);
  // More than 8 MiB: the documents of this manifest do not fit into one transaction.
  const large = Array.from({ length: 8000 }, (_, i) => page('more', i === 0 ? undefined : `${i}${'漢'.repeat(350)}`));
  for (const [target, id, shards] of [
    [ofDeck, deck.presentationId, 1],
    [{ sessionId }, presentationId, 0],
  ] as const) {
    expect((await world.commit(by, { title: 'x', ...target }, large)).error.code).toBe('conflict');
    const stored = world.database.collection(`presentations/${id}/manifestShards`);
    expect(await stored.listDocuments()).toHaveLength(shards);
  }
});

test('a page of the quarantine that the bucket does not answer is asked for again, without the pages before it', async () => {
  const { presentationId } = await world.aDeck(owner);
  const [first, between, last] = ['0', '8', 'f'].map((digit) => digit.repeat(64)) as [string, string, string];
  const names = Array.from({ length: 1001 }, (_, i) => `quarantine/${presentationId}/${between}/${i}`);
  await mapConcurrently(names, 32, (name) => bucket().file(name).save('x', { resumable: false, validation: false }));
  const before = process.env['ATTEMPT_TIMEOUT_MS']!;
  process.env['ATTEMPT_TIMEOUT_MS'] = '10000';
  const held = gateway.hold('request', ({ address }) => address.includes('pageToken='), 1);
  try {
    const { storageCalls } = await world.costOf(async () => {
      const answer = await placeQuarantined(presentationId, [first, last], 1000, new Date());
      expect(answer).toEqual(['not-uploaded', 'not-uploaded']);
    });
    // Two pages, and one look at the place of each blob. The bucket did not get the call that was held.
    expect(storageCalls).toBe(4);
  } finally {
    held.release();
    process.env['ATTEMPT_TIMEOUT_MS'] = before;
  }
});

test('a signal that was counted before: two round trips and no write, even under contention', async () => {
  const { slug } = await world.aListing(await world.aPublisher());
  const view = (from: string) =>
    world.call('recordMarketplaceView', { slug }, { headers: { 'x-forwarded-for': from } });
  await view('192.0.2.0');
  const quiet = await world.costOf(() => view('192.0.2.0'));
  expect(quiet).toMatchObject({ roundTrips: 2, documentReads: 3, documentWrites: 0 });
  await Promise.all(Array.from({ length: 100 }, (_, i) => view(`192.0.2.${i}`)));
  const popular = await world.costOf(() => view('192.0.2.0'));
  expect(popular).toMatchObject({ roundTrips: 2, documentWrites: 0 });
  expect(popular.documentReads).toBeLessThanOrEqual(3 + 32);
});
