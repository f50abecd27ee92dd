import { originUrlOf } from '../../../functions/src/marketplace/listing-origins';
import { createListing, listingRef } from '../../../functions/src/records/listings';
import { read } from '../../../functions/src/records/database';
import { transact } from '../../../functions/src/records/transact';
import { labelOfListing } from '../../../functions/src/values/deck-origins';
import { passSeconds } from '../../support/clock';
import { navigation, requestTarget } from '../../support/deck-origin';
import { aStoredListing } from '../../support/listings';
import { page, sha256, World, type Account, type DeckFile } from '../../support/world';

/** Listings on origins of their own. */

let world: World;
let publisher: Account;

beforeAll(async () => {
  world = await World.start();
  publisher = await world.aPublisher();
});
afterAll(() => world.stop());

const script: DeckFile = { path: 'a.js', bytes: Buffer.from('1'), contentType: 'text/javascript; charset=utf-8' };
const originOf = (slug: string) => world.cloud.deckOrigin!.replace('*', labelOfListing(slug));
const visit = (slug: string, target = '/', headers: Record<string, string | undefined> = {}) =>
  requestTarget(originOf(slug), target, { headers: { ...navigation, ...headers } });
const stored = (slug: string) => world.database.doc(`listings/${slug}`);
const label = (slug: string) => world.database.doc(`listingLabels/${labelOfListing(slug)}`);
const listed = async (slug: string) => (await read(listingRef(slug)))[0]!;
const part = { 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'script', accept: '*/*' };

describe('a listing', () => {
  test('opens on its origin without a grant, and caches may keep its files', async () => {
    const deck = await world.aDeck(publisher, [page('Entry'), script, page('Lost', '404.html')]);
    const { slug } = await world.aListing(publisher, {}, deck);
    expect(originUrlOf(slug)).toBe(`${originOf(slug)}/`);
    const entry = await visit(slug);
    expect([entry.status, entry.text.includes('Entry')]).toEqual([200, true]);
    expect(entry.headers).toMatchObject({ 'cache-control': 'public, no-cache', vary: 'Sec-Fetch-Mode' });
    const file = await visit(slug, '/a.js', part);
    expect([file.status, file.headers['cache-control'], file.headers.etag]).toEqual([
      200,
      'public, max-age=300, s-maxage=3600',
      `"${sha256(script.bytes)}"`,
    ]);
    const lost = await visit(slug, '/none');
    expect([lost.status, lost.headers['cache-control']]).toEqual([404, 'public, no-cache']);
    for (const { headers } of [entry, file, lost]) expect(headers['set-cookie']).toBeUndefined();
    expect((await visit(slug, '/none', part)).headers['cache-control']).toBe('no-store');
    // The listing's page counts views.
    const counters = await world.database.collection(`presentations/${deck.presentationId}/viewCounters`).get();
    expect([counters.size, (await listed(slug)).viewCount]).toEqual([0, 0]);
  });

  test('shows its version, whatever cookies the request has', async () => {
    const deck = await world.aDeck(publisher, [page('One')]);
    const { slug } = await world.aListing(publisher, {}, deck);
    await world.uploadAll(publisher, deck, [page('Two')]);
    await world.commit(publisher, { presentationId: deck.presentationId }, [page('Two')]);
    expect((await visit(slug, '/', { cookie: '__Host-deck=x' })).text).toContain('One');
    const input = { slug, version: 2 };
    expect((await world.call('updateMarketplaceListing', input, { key: publisher.key })).status).toBe(200);
    expect((await visit(slug)).text).toContain('Two');
  });

  test('opens while it is unlisted, and answers 410 when it was taken down or its deck deleted', async () => {
    const { slug, presentationId } = await world.aListing(publisher);
    await world.call('updateMarketplaceListing', { slug, status: 'unlisted' }, { key: publisher.key });
    expect((await visit(slug)).status).toBe(200);
    await stored(slug).update({ takedown: { at: new Date(), reason: 'Between us' } });
    for (const target of ['/', '/none', '/a']) {
      const answer = await visit(slug, target);
      expect([answer.status, answer.headers['cache-control']]).toEqual([410, 'no-store']);
      expect(answer.text).not.toContain('Between us');
    }
    await stored(slug).update({ takedown: null });
    expect((await visit(slug)).status).toBe(200);
    await world.call('deletePresentation', { presentationId }, { key: publisher.key });
    expect((await visit(slug)).status).toBe(410);
  });

  test('has a service worker, a ticket or a frame of another site no more than a link has', async () => {
    const { slug } = await world.aListing(publisher);
    expect((await visit(slug, '/', { 'service-worker': 'script' })).status).toBe(403);
    expect((await visit(slug, '/_open/x')).status).toBe(404);
    expect((await visit(slug)).headers['content-security-policy']).toMatch(/^frame-ancestors 'self' http/);
  });
});

describe('the label of a listing', () => {
  test('is stored with the listing, in the same transaction', async () => {
    const { slug } = await world.aListing(publisher);
    expect((await label(slug).get()).data()).toEqual({ slug });
    const slugs = { slug: 'half-a-listing' };
    await expect(
      transact((tx) => {
        createListing(tx, aStoredListing(slugs));
        throw new Error('cut off');
      }),
    ).rejects.toThrow('cut off');
    expect((await label('half-a-listing').get()).exists).toBe(false);
  });

  test('costs a request one read once, and an unknown label one read each time', async () => {
    const { slug } = await world.aListing(publisher);
    await visit(slug);
    const warm = await world.costOf(() => visit(slug));
    expect(warm).toMatchObject({ roundTrips: 1, documentReads: 1, documentWrites: 0, storageCalls: 0 });
    for (let i = 0; i < 2; i++) {
      const unknown = await world.costOf(async () => expect((await visit('no-such-listing')).status).toBe(404));
      expect(unknown).toMatchObject({ roundTrips: 1, documentWrites: 0 });
    }
    // A label that was unknown is found as soon as its listing is there.
    await world.aListing(publisher, { slug: 'no-such-listing' });
    expect((await visit('no-such-listing')).status).toBe(200);
  });

  test('belongs to the next listing of a slug that was free again', async () => {
    const { slug, presentationId } = await world.aListing(publisher, { slug: 'used-twice' });
    // The slug is in the cache of the instance now.
    expect((await visit(slug)).status).toBe(200);
    await world.call('deletePresentation', { presentationId }, { key: publisher.key });
    expect((await visit(slug)).status).toBe(410);
    passSeconds(31 * 24 * 3600);
    const next = await world.aListing(publisher, { slug }, await world.aDeck(publisher, [page('Second life')]));
    expect(await listed(next.slug)).toMatchObject({ generation: 2 });
    expect((await visit(slug)).text).toContain('Second life');
  });
});
