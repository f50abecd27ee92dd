import { labelOfListing, originOf } from '../../../functions/src/values/deck-origins';
import { navigation, requestLocally } from '../../support/deck-origin';
import {
  contentUrl,
  detail,
  find,
  newPage,
  owner,
  publish,
  push,
  remixesOf,
  startMarketplace,
  update,
  world,
} from '../../support/marketplace';
import { blob, page, sha256, succeed } from '../../support/world';

startMarketplace();

describe('getMarketplaceListing', () => {
  test('shows every field of a listing to every caller, and nothing that opens the deck', async () => {
    const deck = await world.aDeck(owner, [page('x', 'slides/a b.html'), blob(10, 'slides/ü.png')], 'In a folder');
    const { slug } = await world.aListing(owner, {}, deck);
    const answer = await detail(slug);
    expect(answer.headers.get('cache-control')).toBe('public, max-age=60');
    expect(answer.data).toMatchObject({
      owner: { displayName: 'Ada', organizationName: "Ada's workspace" },
      ...{ entryPath: 'slides/a b.html', fileCount: 2, lineage: [], contentUrl: contentUrl(slug, 'slides/a%20b.html') },
      files: [
        { path: 'slides/a b.html', size: expect.any(Number), contentType: 'text/html; charset=utf-8' },
        { path: 'slides/ü.png', size: 10, contentType: 'application/octet-stream' },
      ],
    });
    expect(await world.visit(answer.data.contentUrl)).toBe(200);
    expect(answer.data.originUrl).toBe(`${originOf(world.cloud.deckOrigin!, labelOfListing(slug))}/`);
    const opened = await requestLocally(answer.data.originUrl!, { headers: navigation });
    expect([opened.status, opened.headers.location]).toEqual([303, '/slides/a%20b.html']);
    for (const field of ['presentationId', 'currentVersion', 'takedown']) expect(answer.data).not.toHaveProperty(field);
    const text = JSON.stringify(answer.body);
    for (const secret of [deck.presentationId, deck.token, deck.tokenId, sha256('x')])
      expect(text).not.toContain(secret);
  });

  test('answers a caller without a live key like anybody, and a stranger with a key also whether it starred', async () => {
    const { slug } = await world.aListing(owner);
    const stranger = await world.anOwner();
    const everybody = (await detail(slug)).data;
    for (const key of ['nonsense', `${owner.key.slice(0, -6)}aaaaaa`]) {
      expect((await detail(slug, key)).data).toEqual(everybody);
    }
    expect(everybody).toMatchObject({ isStarred: null });
    expect((await detail(slug, stranger.key)).data).toEqual({ ...everybody, isStarred: false });
  });

  test('shows only the owner which deck it lists and the current version of the deck', async () => {
    const { slug, presentationId } = await world.aListing(owner);
    await push(presentationId);
    for (const key of [owner.key, await world.aDashboardSession(owner), await world.anAdmin()]) {
      expect((await detail(slug, key)).data).toMatchObject({ presentationId, version: 1, currentVersion: 2 });
    }
    expect((await detail(slug, (await world.anOwner()).key)).data).not.toHaveProperty('presentationId');
  });

  test('answers no originUrl when decks have no origins', async () => {
    const { slug } = await world.aListing(owner);
    process.env['DECK_ORIGIN'] = '';
    const { data } = await detail(slug);
    process.env['DECK_ORIGIN'] = world.cloud.deckOrigin!;
    expect(data.originUrl).toBeNull();
  });

  test('shows only the owner why an operator took the listing down', async () => {
    const { slug, presentationId } = await world.aListing(owner);
    expect((await detail(slug, owner.key)).data.takedown).toBeNull();
    const at = new Date();
    await world.database.doc(`listings/${slug}`).update({ takedown: { at, reason: 'Spam' } });
    for (const status of [(await detail(slug)).status, await world.visit(contentUrl(slug))]) expect(status).toBe(410);
    const answer = await detail(slug, owner.key);
    expect(answer.data.takedown).toEqual({ at: at.toISOString(), reason: 'Spam' });
    expect(answer.headers.get('cache-control')).toBe('private, no-store');
    expect(answer.headers.get('vary')).toBe('Authorization');
    const hash = sha256(page().bytes);
    const query = { presentationId, sha256: hash };
    expect((await world.call('downloadPresentationAsset', undefined, { key: owner.key, query })).status).toBe(200);
  });

  test('answers 404 to an unknown slug and 400 without a slug', async () => {
    for (const slug of ['nobody-has-this', 'a', '__proto__', '..']) expect((await detail(slug)).status).toBe(404);
    expect((await detail('')).status).toBe(400);
  });
});

describe('a listing shows one version', () => {
  test('later pushes, restores, revoked links and expiry do not change its content', async () => {
    const first = newPage();
    const deck = await world.aDeck(owner, [first]);
    const { presentationId } = deck;
    const { slug } = await world.aListing(owner, {}, deck);
    await push(presentationId);
    await push(presentationId);
    await succeed(world.call('restorePresentationVersion', { presentationId, version: 2 }, { key: owner.key }));
    await succeed(world.call('unsharePresentation', { presentationId, all: true }, { key: owner.key }));
    await world.database.doc(`presentations/${presentationId}`).update({ expiresAt: new Date(Date.now() - 1) });
    expect((await detail(slug)).data.version).toBe(1);
    expect(await (await fetch(contentUrl(slug))).text()).toBe(first.bytes.toString());
  });

  test('deleting its deck ends it for good: 410, and its slug is not free the next moment', async () => {
    const { slug, presentationId } = await world.aListing(owner, { slug: 'gone-but-taken' });
    const remove = () =>
      world.call<{ listingSlug: string }>('deletePresentation', { presentationId }, { key: owner.key });
    expect((await remove()).data.listingSlug).toBe(slug);
    expect((await remove()).data.listingSlug).toBe(slug);
    expect(await find(slug)).toBeUndefined();
    for (const key of [undefined, owner.key]) expect((await detail(slug, key)).error.code).toBe('expired');
    expect(await world.visit(contentUrl(slug))).toBe(410);
    expect((await update(owner, { slug, status: 'public' })).status).toBe(410);
    const { presentationId: other } = await world.aDeck(owner);
    expect((await publish(owner, { presentationId: other, slug })).status).toBe(409);
  });
});

describe('getMarketplaceListingContent', () => {
  test('serves the files to every caller, for shared caches, with the sandbox of the viewer', async () => {
    const image = blob(2000, 'img/a.png');
    const { slug } = await world.aListing(owner, {}, await world.aDeck(owner, [page(), image]));
    const entry = await fetch(contentUrl(slug));
    expect(Object.fromEntries(entry.headers)).toMatchObject({
      'cache-control': 'public, max-age=300, s-maxage=3600',
      'content-security-policy': expect.stringMatching(/^sandbox allow-scripts(?!.*allow-same-origin)/),
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'access-control-allow-origin': '*',
      etag: `"${sha256(page().bytes)}"`,
    });
    const range = await fetch(contentUrl(slug, 'img/a.png'), { headers: { range: 'bytes=0-9' } });
    expect([range.status, range.headers.get('content-range')]).toEqual([206, 'bytes 0-9/2000']);
    const fresh = await fetch(contentUrl(slug), { headers: { 'if-none-match': entry.headers.get('etag')! } });
    expect(fresh.status).toBe(304);
    expect(await world.visit(contentUrl(slug), {}, 'HEAD')).toBe(200);
  });

  test('redirects to the URL with a slash, against which relative links resolve', async () => {
    const { slug } = await world.aListing(owner);
    const answer = await fetch(contentUrl(slug).slice(0, -1), { redirect: 'manual' });
    expect([answer.status, answer.headers.get('location')]).toEqual([308, `${slug}/`]);
  });

  test('answers 404 to an unknown file or listing, and no cache may keep it', async () => {
    const { slug } = await world.aListing(owner);
    for (const url of [contentUrl(slug, 'none.png'), contentUrl('nobody-has-this'), contentUrl('__x__')]) {
      const answer = await fetch(url);
      expect([answer.status, answer.headers.get('cache-control')]).toEqual([404, 'no-store']);
      await answer.text();
    }
  });

  test('does not count a view', async () => {
    const { slug } = await world.aListing(owner);
    await world.visit(contentUrl(slug));
    expect((await detail(slug)).data.viewCount).toBe(0);
  });
});

describe('listMarketplaceRemixes', () => {
  /** A deck made as a remix of a listing. */
  const aRemix = async (slug: string) => {
    const deck = await world.aDeck(owner);
    await world.database
      .doc(`presentations/${deck.presentationId}`)
      .update({ remixedFrom: { slug, generation: 1, version: 1 } });
    return deck;
  };

  test('lists the published remixes, remixes of remixes included', async () => {
    const source = await world.aListing(owner, { title: 'Source' });
    expect((await remixesOf(source.slug)).data).toEqual({ slug: source.slug, remixes: [], nextCursor: null });
    const child = await world.aListing(owner, { title: 'Child' }, await aRemix(source.slug));
    const grandchild = await world.aListing(owner, {}, await aRemix(child.slug));
    const { remixes } = (await remixesOf(source.slug)).data;
    expect(
      remixes.map(({ slug, remixedFromSlug, remixedFromTitle }) => [slug, remixedFromSlug, remixedFromTitle]),
    ).toEqual([
      [grandchild.slug, child.slug, 'Child'],
      [child.slug, source.slug, 'Source'],
    ]);
    expect((await detail(grandchild.slug)).data.lineage).toEqual([
      { slug: child.slug, title: 'Child' },
      { slug: source.slug, title: 'Source' },
    ]);
    await succeed(update(owner, { slug: child.slug, status: 'unlisted' }));
    expect((await remixesOf(source.slug)).data.remixes).toHaveLength(1);
  });

  test('a deck that is not a remix has no ancestors, whatever slugs exist', async () => {
    await world.aListing(owner, { slug: 'none' });
    await world.aListing(owner, { slug: 'undefined-one' });
    const { slug } = await world.aListing(owner);
    expect((await detail(slug)).data).toMatchObject({ lineage: [], remixedFromSlug: null, remixedFromTitle: null });
    expect((await remixesOf('none')).data.remixes).toEqual([]);
  });

  test('a listing published later does not name a taken-down ancestor', async () => {
    const source = await world.aListing(owner, { title: 'Source' });
    const child = await world.aListing(owner, { title: 'Offensive' }, await aRemix(source.slug));
    const deck = await aRemix(child.slug);
    await world.database.doc(`listings/${child.slug}`).update({ takedown: { at: new Date(), reason: 'Spam' } });
    const { slug } = await world.aListing(owner, {}, deck);
    expect((await detail(slug)).data.lineage).toEqual([{ slug: source.slug, title: 'Source' }]);
  });

  test('answers 404 to an unknown listing and 400 without a slug', async () => {
    expect((await remixesOf('nobody-has-this')).status).toBe(404);
    expect((await world.call('listMarketplaceRemixes')).status).toBe(400);
  });
});
