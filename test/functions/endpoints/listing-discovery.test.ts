import { randomUUID } from 'node:crypto';
import { authorIdOf } from '../../../functions/src/policy/listings';
import { originUrlOf } from '../../../functions/src/marketplace/listing-origins';
import { createListing } from '../../../functions/src/records/listings';
import { transact } from '../../../functions/src/records/transact';
import { labelOfListing } from '../../../functions/src/values/deck-origins';
import { atOnce } from '../../support/answers';
import { passSeconds } from '../../support/clock';
import { navigation, requestTarget } from '../../support/deck-origin';
import { PART_SIZE } from '../../../functions/src/records/sitemap-parts';
import { each } from '../../support/each';
import { aStoredListing } from '../../support/listings';
import { listingDoc, owner, startMarketplace, storedListing, storeLike, update } from '../../support/marketplace';
import { makePictures, pictureFile } from '../../support/pictures';
import { storeDocuments } from '../../support/stored';
import { page, sha256, succeed, type DeckFile, world } from '../../support/world';

/** How search engines, feed readers, other sites and readers find and open listings, and that no text is markup. */

startMarketplace();

const evil = `</script><script>top.hit=1</script>&"'<!--\u0000\u202e]]>`;
const site = () => world.cloud.marketplaceUrl;
const urlOf = (slug: string) => `${site()}/marketplace/${slug}`;
const get = async (path: string) => {
  const response = await fetch(`${world.cloud.hostingUrl}${path}`);
  return { status: response.status, headers: response.headers, text: await response.text() };
};
const unescaped = (text: string) =>
  text.replace(/&(\w+|#39);/g, (_, name: string) => ({ lt: '<', gt: '>', quot: '"', '#39': "'", amp: '&' })[name]!);
/** The texts of the elements with this name, as an XML parser reads them. */
const elements = (xml: string, name: string) =>
  [...xml.matchAll(new RegExp(`<${name}(?: [^>]*)?>([^<]*)</${name}>`, 'g'))].map(([, text]) => unescaped(text!));
/** The page of the listings of the owner. */
const byOwner = () => `${site()}/marketplace/by/${authorIdOf(owner.userId)}`;
const dataIn = (html: string) =>
  JSON.parse(/<script type="application\/ld\+json">([^]*?)<\/script>/.exec(html)![1]!) as Record<string, unknown>;

describe('the page of a listing', () => {
  test('describes a public listing as data, whatever its texts are, and an unlisted one not', async () => {
    const { slug } = await world.aListing(owner, { tags: ['q3'], category: 'Sales' });
    const lineage = [{ slug, generation: 1, title: 'Source' }];
    const own = `hostile-${randomUUID()}`;
    await storeLike(slug, { slug: own, title: evil, description: evil, lineage, tags: ['a', 'b'], stars: 3 });
    expect(dataIn((await get(`/marketplace/${own}`)).text)).toMatchObject({
      '@context': 'https://schema.org',
      '@type': 'PresentationDigitalDocument',
      name: evil,
      description: evil,
      url: urlOf(own),
      version: '1',
      keywords: 'a, b',
      author: { '@type': 'Person', name: 'Ada', url: byOwner() },
      isBasedOn: urlOf(slug),
      interactionStatistic: { userInteractionCount: 3 },
    });
    await succeed(update(owner, { slug, status: 'unlisted' }));
    const { text } = await get(`/marketplace/${slug}`);
    for (const part of ['ld+json', '+oembed', 'id="star"', '/dashboard/remix']) expect(text).not.toContain(part);
  });

  test('lists at most 50 files of the version, with their number and size', async () => {
    const more = Array.from({ length: 60 }, (_, i) => ({ ...page(`file ${i}`), path: `pages/${i + 100}.html` }));
    const { slug } = await world.aListing(owner, {}, await world.aDeck(owner, [page('entry'), ...more]));
    const { text } = await get(`/marketplace/${slug}`);
    expect(text).toMatch(/<summary>61 files, [\d.]+ KB<\/summary>[^]*50 of 61 files are shown\./);
    const [, list] = /<ul class="rows files">([^]*?)<\/ul>/.exec(text)!;
    expect(elements(list!, 'bdi')).toEqual(['index.html', ...more.map(({ path }) => path)].slice(0, 50));
    expect(list).toContain(`href="${world.cloud.baseUrl}/getMarketplaceListingContent/${slug}/pages/100.html"`);
  });

  test('shows ancestors and remixes as one tree, and what each remix changed', async () => {
    const { slug } = await world.aListing(owner, { title: 'Middle' });
    const ancestor = { slug: 'old-one', generation: 1, title: 'Old' };
    await listingDoc(slug).update({ lineage: [ancestor] });
    const lineage = [{ slug, generation: 1, title: 'Middle' }, ancestor];
    const child = { slug: `child-${randomUUID()}`, title: 'Child' };
    const grandchild = { slug: `grandchild-${randomUUID()}`, title: 'Grandchild' };
    const ofChild = [{ ...child, generation: 1 }, ...lineage];
    const none = { added: 0, changed: 0, removed: 0 };
    const changes = { ...none, added: 1, changed: 3 };
    await storeLike(slug, { ...child, lineage, changes }, { ...grandchild, lineage: ofChild, changes: none });
    const { text } = await get(`/marketplace/${slug}`);
    const [, tree] = /<ul class="tree">([^]*?)<\/section>/.exec(text)!;
    expect(tree!.replace(/<(?!\/?(ul|li)>)[^>]*>|\n/g, '')).toBe(
      '<li>Old<ul><li>Middle<ul><li>Child changed 3 files, added 1<ul><li>Grandchild no file changed</li></ul></li></ul></li></ul></li></ul>',
    );
  });
});

describe('oembed', () => {
  const ask = (query: Record<string, string>) => get(`/oembed?${new URLSearchParams(query).toString()}`);

  test('gives the frame of a public listing in both formats, at the address that the page names', async () => {
    const { slug } = await world.aListing(owner);
    const own = `hostile-${randomUUID()}`;
    await storeLike(slug, { slug: own, title: evil });
    const { text: html } = await get(`/marketplace/${own}`);
    for (const type of ['application/json', 'text/xml']) {
      const query = new URLSearchParams({ url: urlOf(own), format: type.split('/')[1]! }).toString();
      expect(html).toContain(`type="${type}+oembed" href="${site()}/oembed?${query.replaceAll('&', '&amp;')}"`);
    }
    const { status, headers, text } = await ask({ url: `${urlOf(own)}?utm_source=x#top` });
    expect([status, headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
    const answer = JSON.parse(text) as { html: string };
    const author = { author_name: 'Ada', author_url: byOwner() };
    expect(answer).toMatchObject({ version: '1.0', type: 'rich', title: evil, width: 960, height: 540, ...author });
    const src = `${world.cloud.baseUrl}/getMarketplaceListingContent/${own}/index.html`;
    expect(answer.html).toMatch(/^<iframe( [\w]+="[^"<]*")+><\/iframe>$/);
    expect([answer.html.includes(`src="${src}"`), answer.html.includes('allow-same-origin')]).toEqual([true, false]);
    // The deck has an opaque origin in every frame: its own answer says so, too.
    const policy = (await fetch(src)).headers.get('content-security-policy');
    expect(policy).toMatch(/^sandbox allow-scripts (?!.*allow-same-origin)/);

    const xml = await ask({ url: urlOf(own), format: 'xml' });
    expect([xml.status, xml.headers.get('content-type')]).toEqual([200, 'text/xml; charset=utf-8']);
    const shown = ['title', 'width'].flatMap((name) => elements(xml.text, name));
    expect(shown).toEqual([evil.replace('\u0000', ''), '960']);
  });

  test('gives a frame that fits the limits of the caller', async () => {
    const { slug } = await world.aListing(owner);
    for (const [limits, width, height] of [
      [{ maxwidth: '320' }, 320, 180],
      [{ maxheight: '180' }, 320, 180],
      [{ maxwidth: '4000', maxheight: '4000' }, 960, 540],
      [{ maxwidth: '1', maxheight: '1' }, 1, 1],
    ] as const)
      expect(JSON.parse((await ask({ url: urlOf(slug), ...limits })).text)).toMatchObject({ width, height });
  });

  test('has the picture of the listing as its thumbnail, when it fits', async () => {
    const thumbnail = async (slug: string, limits: Record<string, string> = {}) => {
      const answer = JSON.parse((await ask({ url: urlOf(slug), ...limits })).text) as Record<string, unknown>;
      return Object.fromEntries(Object.entries(answer).filter(([name]) => name.startsWith('thumbnail')));
    };
    const previewed = async (slug: string) =>
      (await get(`/marketplace/${slug}`)).text.match(/(?<=<meta property="og:image:)\w+" content="\d+(?="\/>)/g);
    const pictured = await world.aDeck(owner, [page(), pictureFile('thumbnail.png')]);
    const { slug } = await world.aListing(owner, {}, pictured);
    await makePictures();
    const found = await thumbnail(slug);
    expect(await previewed(slug)).toEqual(['width" content="2', 'height" content="1']);
    expect(found).toEqual({
      thumbnail_url: expect.stringContaining(`/getMarketplaceListingContent/${slug}/_deck/picture.jpg?v=`) as string,
      thumbnail_width: 2,
      thumbnail_height: 1,
    });
    expect((await fetch(found['thumbnail_url'] as string)).headers.get('content-type')).toBe('image/jpeg');
    expect((await ask({ url: urlOf(slug), format: 'xml' })).text).toContain('<thumbnail_width>2<');
    expect(await thumbnail(slug, { maxwidth: '1' })).toEqual({});
    expect(await thumbnail(slug, { maxheight: '1', maxwidth: '2' })).toEqual(found);
    const { slug: bare } = await world.aListing(owner);
    expect([await thumbnail(bare), await previewed(bare)]).toEqual([{}, null]);
  });

  test('refuses other addresses, unlisted and removed listings, and other formats', async () => {
    const { slug } = await world.aListing(owner);
    const elsewhere = [`https://example.org/marketplace/${slug}`, `${urlOf(slug)}/more`, `${urlOf('x')}@${slug}`];
    const unknown = ['x', site(), urlOf('none-such-listing'), ...elsewhere].map((url) => ({ url }));
    for (const query of each(unknown)) expect([query, (await ask(query)).status]).toEqual([query, 404]);
    const values = [{ format: 'yaml' }, { maxwidth: '0' }, { maxheight: 'tall' }];
    for (const query of each([{}, ...values.map((wrong) => ({ url: urlOf(slug), ...wrong }))])) {
      expect([query, (await ask(query)).status]).toEqual([query, 400]);
    }
    await succeed(update(owner, { slug, status: 'unlisted' }));
    expect((await ask({ url: urlOf(slug) })).status).toBe(404);
    await listingDoc(slug).update({ takedown: { at: new Date(), reason: 'Spam' } });
    expect((await ask({ url: urlOf(slug) })).status).toBe(410);
  });
});

test('the feed has the newest public listings, and is well-formed with any text', async () => {
  const newest = new Date('2200-01-01');
  const own = `newest-${randomUUID()}`;
  const { slug } = await world.aListing(owner);
  const hidden = { slug: `hidden-${randomUUID()}`, status: 'unlisted' as const, createdAt: newest };
  await storeLike(slug, { slug: own, title: evil, description: evil, tags: ['a&b'], createdAt: newest }, hidden);
  const { status, headers, text } = await get('/marketplace/feed.xml');
  expect([status, headers.get('content-type')]).toEqual([200, 'application/atom+xml; charset=utf-8']);
  const clean = evil.replace('\u0000', '');
  const [, id, next, ...more] = elements(text, 'id');
  expect([id, Boolean(next), more.length <= 28]).toEqual([urlOf(own), true, true]);
  expect([elements(text, 'title')[1], elements(text, 'summary')[0]]).toEqual([clean, clean]);
  expect([elements(text, 'name')[1], elements(text, 'uri')[0]]).toEqual(['Ada', byOwner()]);
  expect(elements(text, 'updated')[0]).toBe(newest.toISOString());
  // Every tag is one that the template writes.
  expect(text.match(/<[^>]*>/g)!.filter((tag) => !/^<[?/]?\w+( \w+="[^"<>]*")*[?/]?>$/.test(tag))).toEqual([]);
  for (const path of ['', `/${slug}`]) {
    expect((await get(`/marketplace${path}`)).text).toContain(`href="${site()}/marketplace/feed.xml"`);
  }
});

test('every text of a user is escaped, in every place of a page', async () => {
  const hostile = `"'><img src=x onerror=alert(1)></title><script>alert(2)</script>{{7*7}}`;
  const { slug } = await world.aListing(await world.aPublisher());
  const own = `escaped-${randomUUID()}`;
  const words = { title: hostile, description: hostile, category: hostile, tags: [hostile], techStack: [hostile] };
  const lineage = [slug, 'other'].map((ancestor) => ({ slug: ancestor, generation: 1, title: hostile }));
  await storeLike(slug, { slug: own, ...words, lineage });
  const { ownerId, organizationId } = await storedListing(slug);
  await world.database.doc(`users/${ownerId}`).update({ firstName: hostile, lastName: hostile });
  await world.database.doc(`organizations/${organizationId}`).update({ name: hostile });
  for (const [path, status] of [
    [`/${own}`, 200],
    // The listing of which the other one is a remix.
    [`/${slug}`, 200],
    [`?category=${encodeURIComponent(hostile.slice(0, 60))}`, 200],
    [`?tag=${encodeURIComponent(hostile)}&sort=${encodeURIComponent(hostile)}`, 400],
    [`?cursor=${encodeURIComponent(hostile)}`, 400],
    [`/${encodeURIComponent(hostile)}`, 404],
  ] as const) {
    const { text: html, status: answered } = await get(`/marketplace${path}`);
    expect([answered, html.includes('<img'), html.match(/<\/title>/g)!.length]).toEqual([status, false, 1]);
    // The script of the page, and for a listing the data for search engines.
    expect((html.match(/<script/g) ?? []).length).toBe(html.includes('<iframe') ? 2 : status === 404 ? 0 : 1);
    // Outside of the script and the style, every tag is one that the page's template writes.
    const markup = html.replace(/<(script|style)([^>]*)>[^]*?<\/\1>/g, '<$1$2>');
    const tags = [...markup.matchAll(/<(?:[^>"]|"[^"]*")*>/g)].map(([tag]) => tag);
    expect(tags.length).toBeGreaterThan(20);
    expect(tags.filter((tag) => !/^<[!/]?\w+(\s+[\w:-]+(="[^"<]*")?)*\s*\/?>$/.test(tag))).toEqual([]);
    if (path === `/${own}`) expect(elements(html, 'h1')[0]).toBe(hostile);
  }
});

test('the sitemap has every public listing in exactly one part, also when parts are asked for at the same time', async () => {
  const locations = async (path: string) => elements((await get(path)).text, 'loc');
  const start = Date.parse('2020-01-01');
  // The fields that the sitemap reads. Whole listings take several times as long.
  const many = Array.from({ length: 2 * PART_SIZE + 20 }, (_, i) => {
    // Several listings have the same time.
    const createdAt = new Date(start + Math.floor(i / 7) * 1000);
    return { slug: `mapped-${i}`, createdAt, updatedAt: createdAt, status: 'public', takedown: null, deletedAt: null };
  });
  const documents = many.map((listing) => [`listings/${listing.slug}`, listing] as const);
  await storeDocuments(world.database, documents);
  const ofListings = [1, 2, 3].map((part) => `${site()}/sitemap-listings-${part}.xml`);
  const index = [`${world.cloud.hostingUrl}/sitemap-site.xml`, ...ofListings];
  expect(await atOnce(4, () => locations('/sitemap.xml'))).toEqual(Array(4).fill(index));
  const parts = await Promise.all([1, 2, 3].map((part) => locations(`/sitemap-listings-${part}.xml`)));
  expect(parts.map(({ length }) => length).slice(0, 2)).toEqual([PART_SIZE + 1, PART_SIZE]);
  const listed = parts.flat().filter((url) => url.includes('/mapped-'));
  expect(listed.sort()).toEqual(many.map(({ slug }) => `${site()}/marketplace/${slug}`).sort());
  expect(parts[0]![0]).toBe(`${site()}/marketplace`);

  await listingDoc('mapped-3').update({ status: 'unlisted' });
  for (const part of [1, 2]) expect(await locations(`/sitemap-listings-${part}.xml`)).toHaveLength(PART_SIZE);
  await listingDoc('mapped-4').update({ takedown: { at: new Date(), reason: 'Spam' } });
  await listingDoc('mapped-5').update({ deletedAt: new Date() });
  const left = await locations('/sitemap-listings-1.xml');
  expect(left).toHaveLength(PART_SIZE - 2);
  expect(left.filter((url) => /\/mapped-[345]$/.test(url))).toEqual([]);
  expect(await locations('/sitemap.xml')).toEqual(index);

  for (const part of ['0', '99', 'x']) expect((await get(`/sitemap-listings-${part}.xml`)).status).toBe(404);
  expect((await fetch(`${world.cloud.baseUrl}/sitemap/sitemap-site.xml`)).status).toBe(404);
});

const script: DeckFile = { path: 'a.js', bytes: Buffer.from('1'), contentType: 'text/javascript; charset=utf-8' };
const originOfListing = (slug: string) => world.cloud.deckOrigin!.replace('*', labelOfListing(slug));
const visit = (slug: string, target = '/', headers: Record<string, string | undefined> = {}) =>
  requestTarget(originOfListing(slug), target, { headers: { ...navigation, ...headers } });
const part = { 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'script', accept: '*/*' };
const label = (slug: string) => world.database.doc(`listingLabels/${labelOfListing(slug)}`);

describe('the origin of a listing', () => {
  test('opens on its origin without a grant, and caches may keep its files', async () => {
    const deck = await world.aDeck(owner, [page('Entry'), script, page('Lost', '404.html')]);
    const { slug } = await world.aListing(owner, {}, deck);
    expect(originUrlOf(slug)).toBe(`${originOfListing(slug)}/`);
    for (const [status, target, headers, kept, more] of [
      [200, '/', {}, 'public, no-cache', { vary: 'Sec-Fetch-Mode' }],
      [200, '/a.js', part, 'public, max-age=300, s-maxage=3600', { etag: `"${sha256(script.bytes)}"` }],
      [404, '/none', {}, 'public, no-cache', {}],
      [404, '/none', part, 'no-store', {}],
    ] as const) {
      const answer = await visit(slug, target, headers);
      expect(answer).toMatchObject({ status, headers: { 'cache-control': kept, ...more } });
      expect(answer.headers['set-cookie']).toBeUndefined();
      if (target === '/') expect(answer.text).toContain('Entry');
    }
    // The listing's page counts views.
    const counters = await world.database.collection(`presentations/${deck.presentationId}/viewCounters`).get();
    expect([counters.size, (await storedListing(slug)).viewCount]).toEqual([0, 0]);
  });

  test('shows its version, whatever cookies the request has', async () => {
    const { slug, presentationId } = await world.aListing(owner, {}, await world.aDeck(owner, [page('One')]));
    await world.uploadAll(owner, { presentationId }, [page('Two')]);
    await world.commit(owner, { presentationId }, [page('Two')]);
    expect((await visit(slug, '/', { cookie: '__Host-deck=x' })).text).toContain('One');
    await update(owner, { slug, version: 2 });
    expect((await visit(slug)).text).toContain('Two');
  });

  test('opens while it is unlisted, and answers 410 when it was taken down or its deck deleted', async () => {
    const { slug, presentationId } = await world.aListing(owner);
    await update(owner, { slug, status: 'unlisted' });
    expect((await visit(slug)).status).toBe(200);
    await listingDoc(slug).update({ takedown: { at: new Date(), reason: 'Between us' } });
    for (const target of ['/', '/none', '/a']) {
      const { status, headers, text } = await visit(slug, target);
      expect([status, headers['cache-control'], text.includes('Between us')]).toEqual([410, 'no-store', false]);
    }
    await listingDoc(slug).update({ takedown: null });
    expect((await visit(slug)).status).toBe(200);
    await succeed(world.call('deletePresentation', { presentationId }, owner));
    expect((await visit(slug)).status).toBe(410);
  });

  test('has a service worker, a ticket or a frame of another site no more than a link has', async () => {
    const { slug } = await world.aListing(owner);
    expect((await visit(slug, '/', { 'service-worker': 'script' })).status).toBe(403);
    expect((await visit(slug, '/_open/x')).status).toBe(404);
    expect((await visit(slug)).headers['content-security-policy']).toMatch(/^frame-ancestors 'self' http/);
  });
});

describe('the label of a listing', () => {
  test('is stored with the listing, in the same transaction', async () => {
    const { slug } = await world.aListing(owner);
    expect((await label(slug).get()).data()).toEqual({ slug });
    const cutOff = transact((tx) => {
      createListing(tx, aStoredListing({ slug: 'half-a-listing' }));
      throw new Error('cut off');
    });
    await expect(cutOff).rejects.toThrow('cut off');
    expect((await label('half-a-listing').get()).exists).toBe(false);
  });

  test('costs a request one read once, and an unknown label one read each time', async () => {
    const { slug } = await world.aListing(owner);
    await visit(slug);
    const warm = await world.costOf(() => visit(slug));
    expect(warm).toMatchObject({ roundTrips: 1, documentReads: 1, documentWrites: 0, storageCalls: 0 });
    for (let i = 0; i < 2; i++) {
      const unknown = await world.costOf(async () => expect((await visit('no-such-listing')).status).toBe(404));
      expect(unknown).toMatchObject({ roundTrips: 1, documentWrites: 0 });
    }
    // A label that was unknown is found as soon as its listing is there.
    await world.aListing(owner, { slug: 'no-such-listing' });
    expect((await visit('no-such-listing')).status).toBe(200);
  });

  test('belongs to the next listing of a slug that was free again', async () => {
    const { slug, presentationId } = await world.aListing(owner, { slug: 'used-twice' });
    // The slug is in the cache of the instance now.
    expect((await visit(slug)).status).toBe(200);
    await succeed(world.call('deletePresentation', { presentationId }, { key: owner.key }));
    expect((await visit(slug)).status).toBe(410);
    passSeconds(31 * 24 * 3600);
    const next = await world.aListing(owner, { slug }, await world.aDeck(owner, [page('Second life')]));
    expect(await storedListing(next.slug)).toMatchObject({ generation: 2 });
    expect((await visit(slug)).text).toContain('Second life');
  });
});
