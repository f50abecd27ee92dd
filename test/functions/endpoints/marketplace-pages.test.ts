import { randomUUID } from 'node:crypto';
import { labelOfListing, originOf } from '../../../functions/src/values/deck-origins';
import { atOnce } from '../../support/answers';
import { runJob } from '../../support/jobs';
import { aStoredListing, manyListings, storeListings } from '../../support/listings';
import { detail, list, listingDoc, owner, startMarketplace, storeLike, update } from '../../support/marketplace';
import { succeed, world } from '../../support/world';

startMarketplace();

const site = () => `${world.cloud.marketplaceUrl}/marketplace`;
const look = async (path = '', method = 'GET') => {
  const response = await fetch(`${world.cloud.hostingUrl}/marketplace${path}`, { redirect: 'manual', method });
  return { status: response.status, headers: Object.fromEntries(response.headers), html: await response.text() };
};
/** The first group of a pattern, as a browser reads it. */
const found = (html: string, pattern: RegExp) =>
  pattern
    .exec(html)?.[1]
    ?.replace(/&(lt|gt|quot|#39);/g, (_, name: string) => ({ lt: '<', gt: '>', quot: '"', '#39': "'" })[name]!)
    .replaceAll('&amp;', '&');
const heading = (html: string) => found(html, /<h1[^>]*>(.*)<\/h1>/);
const canonical = (html: string) => found(html, /rel="canonical" href="([^"]*)"/);
const metaOf = (html: string, name: string) => found(html, new RegExp(`(?:name|property)="${name}" content="([^"]*)"`));
const frameIn = (html: string) => found(html, /(<iframe.*?><\/iframe>)/)!;
const buttonIn = (html: string) => found(html, /<a class="button" href="([^"]*)" target="_blank" rel="noopener">/);
/** The slugs of the cards of a page. */
const slugsIn = (html: string) => [...html.matchAll(/<h3.*?\/marketplace\/([^"]*)"/g)].map(([, slug]) => slug!);
const linkIn = (html: string, rel: 'next' | 'prev') =>
  found(html, new RegExp(`rel="${rel}" href="[^"]*/marketplace([^"]*)"`));
const listed = async (query: Record<string, string>) => (await list(query)).data.listings.map(({ slug }) => slug);

const everyPage = {
  'content-type': 'text/html; charset=utf-8',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin-allow-popups',
};
const errorPage = { ...everyPage, 'cache-control': 'no-store', 'x-robots-tag': 'noindex' };

describe('the page of a listing', () => {
  test('is served at its marketplaceUrl, with the fields of the listing and the deck in a sandboxed frame', async () => {
    const said = {
      title: 'Quarter <1> & "plans"',
      description: 'Where we stand.\nWhat comes next.',
      category: 'Büro & Co',
      tags: ['sales', 'c++'],
      techStack: ['three.js'],
      interactive: true,
    };
    const { slug } = await world.aListing(owner, said);
    const { marketplaceUrl, originUrl } = (await detail(slug)).data;
    expect(marketplaceUrl).toBe(`${site()}/${slug}`);
    const { status, headers, html } = await look(`/${slug}`);
    expect([status, headers['x-robots-tag'], html.includes('noindex')]).toEqual([200, undefined, false]);
    expect(headers).toMatchObject({ ...everyPage, 'cache-control': 'public, max-age=60' });

    for (const shown of [heading(html), found(html, /<title[^>]*>(.*)<\/title>/), metaOf(html, 'og:title')]) {
      expect(shown).toBe(said.title);
    }
    const lead = found(html, /<p class="lead"[^>]*>([^<]*)</);
    for (const shown of [lead, metaOf(html, 'og:description'), metaOf(html, 'description')]) {
      expect(shown).toBe(said.description);
    }
    expect(canonical(html)).toBe(marketplaceUrl);
    for (const query of ['category=B%C3%BCro+%26+Co', 'tag=sales', 'tag=c%2B%2B', 'stack=three.js']) {
      expect(html).toContain(`href="${site()}?${query}"`);
    }
    expect(html).toContain('Presentation · Interactive');
    expect(html).toContain(`<bdi lang>Ada</bdi></a>, <bdi lang>Ada's workspace</bdi>`);
    // A count of 0 is left out.
    expect(found(html, /<p class="counts">(.*?)<\/p>/)).toBe('<span id="stars"></span>');

    const frame = frameIn(html);
    expect(frame).toContain(`src="${originUrl}"`);
    expect(frame).toMatch(/sandbox="allow-scripts [^"]* allow-same-origin"/);
    expect(frame).toContain('allow="fullscreen; clipboard-write; screen-wake-lock"');
    expect(frame).not.toContain('allow-top-navigation');
    expect(buttonIn(html)).toBe(originUrl);
    expect(originUrl).toBe(`${originOf(world.cloud.deckOrigin!, labelOfListing(slug))}/`);
    expect(new URL(originUrl!).host).not.toBe(new URL(site()).host);
  });

  test('frames the path form of the deck, with an opaque origin, when decks have no origins', async () => {
    const { slug } = await world.aListing(owner);
    process.env['DECK_ORIGIN'] = '';
    const [{ headers, html }, { data }] = [await look(`/${slug}`), await detail(slug)];
    process.env['DECK_ORIGIN'] = world.cloud.deckOrigin!;
    const url = `${world.cloud.baseUrl}/getMarketplaceListingContent/${slug}/index.html`;
    expect([data.originUrl, data.contentUrl]).toEqual([null, url]);
    expect(frameIn(html)).toContain(`src="${url}"`);
    expect(frameIn(html)).toMatch(/sandbox="allow-scripts(?!.*(allow-same-origin|allow-top-navigation))/);
    expect(buttonIn(html)).toBe(url);
    const functions = new URL(world.cloud.baseUrl).origin;
    expect(headers['content-security-policy']).toContain(`frame-src ${functions} https:`);
  });

  test('shows the commands that remix it, from the client of this service on', async () => {
    const { slug } = await world.aListing(owner);
    const { html } = await look(`/${slug}`);
    const { baseUrl, hostingUrl } = world.cloud;
    expect(found(html, /<pre[^>]*>([^<]*)</)?.split('\n')).toEqual([
      `npm install --global ${hostingUrl}/deckhost.tgz`,
      `deck signup --base-url ${baseUrl}`,
      `deck remix ${slug} --base-url ${baseUrl}`,
    ]);
    // What the scripts reach depends on where the deck opens.
    const said = /They cannot see your secret link|its address, including your secret link, to any server/g;
    process.env['DECK_ORIGIN'] = '';
    const without = (await look(`/${slug}`)).html;
    process.env['DECK_ORIGIN'] = world.cloud.deckOrigin!;
    expect(html.match(said)).toEqual([expect.stringContaining('They cannot see')]);
    expect(without.match(said)).toEqual([expect.stringContaining('to any server')]);
  });

  test('allows only its own scripts, resources and forms', async () => {
    const { slug } = await world.aListing(owner);
    const policyOf = async (path: string) =>
      (await look(path)).headers['content-security-policy']!.replace(/'sha256-[^']*='/g, 'HASH');
    const functions = new URL(world.cloud.baseUrl).origin;
    const common = (images: string, forms: string) =>
      `default-src 'none'; img-src ${new URL(site()).origin}${images}; style-src HASH; base-uri 'none'; ` +
      `form-action ${forms}; frame-ancestors 'none'`;
    const frames = `frame-src ${originOf(world.cloud.deckOrigin!, labelOfListing(slug))} https:`;
    const ofListing = `${common(` ${functions}`, functions)}; ${frames}; script-src HASH; connect-src 'self' ${functions}`;
    expect(await policyOf(`/${slug}`)).toBe(ofListing);
    expect(await policyOf('')).toBe(`${common(` ${functions}`, world.cloud.marketplaceUrl)}; script-src HASH`);
    expect(await policyOf('/none-such')).toBe(common('', `'none'`));
  });

  test('shows its ancestors and its public remixes, page by page', async () => {
    const source = await world.aListing(owner);
    const lineage = [
      { slug: source.slug, generation: 1, title: 'The <source>' },
      { slug: 'first-of-all', generation: 1, title: 'The first' },
    ];
    const slugs = Array.from({ length: 14 }, (_, i) => `remix-${randomUUID()}-${i}`);
    const remixes = slugs.map((slug, i) => ({ slug, lineage, createdAt: new Date(2_000_000_000_000 - i) }));
    await storeLike(source.slug, ...remixes, { slug: `unlisted-${randomUUID()}`, lineage, status: 'unlisted' });
    const first = await look(`/${source.slug}`);
    expect(slugsIn(first.html)).toEqual(slugs.slice(0, 12));
    const second = await look(linkIn(first.html, 'next')!.split('#')[0]);
    expect([slugsIn(second.html), linkIn(second.html, 'next')]).toEqual([slugs.slice(12), undefined]);

    const { html } = await look(`/${slugs[0]}`);
    expect(html).toContain(`href="${site()}/${source.slug}"><bdi lang>The &lt;source></bdi></a>`);
    expect(html).toContain(`href="${site()}/first-of-all"><bdi lang>The first</bdi></a>`);
    expect(slugsIn(html)).toEqual([]);
  });

  test('is hidden from search engines while the listing is unlisted', async () => {
    const { slug } = await world.aListing(owner);
    await update(owner, { slug, status: 'unlisted' });
    const { status, headers, html } = await look(`/${slug}`);
    expect([status, headers['x-robots-tag']]).toEqual([200, 'noindex']);
    expect(html).toContain('<meta name="robots" content="noindex"/>');
    expect(slugsIn((await look()).html)).not.toContain(slug);
  });
});

describe('the lists', () => {
  test('show the results of listMarketplaceListings, page by page, with links to the pages before and after', async () => {
    await storeListings(manyListings(60, 7));
    for (const query of [
      '',
      'kind=presentation&interactive=false&sort=popular',
      'category=B%C3%BCro+%26+Co&tag=c%2B%2B',
      'tag=sales&stack=three.js&interactive=true&sort=stars',
    ]) {
      const expected = await listed({ ...Object.fromEntries(new URLSearchParams(query)), limit: '100' });
      const pages: string[][] = [];
      let path: string | undefined = `?${query}`;
      while (path !== undefined && pages.length < 5) {
        const { status, headers, html } = await look(path);
        expect([status, headers]).toMatchObject([200, { ...everyPage, 'cache-control': 'public, max-age=60' }]);
        // Only the first page has a permanent URL.
        expect(html.includes('noindex')).toBe(pages.length > 0);
        const previous = linkIn(html, 'prev');
        expect(previous?.includes('cursor')).toBe(pages.length === 0 ? undefined : pages.length > 1);
        if (previous !== undefined) expect(slugsIn((await look(previous)).html)).toEqual(pages.at(-1));
        pages.push(slugsIn(html));
        path = linkIn(html, 'next');
      }
      expect(expected.length).toBeGreaterThan(0);
      expect([query, pages.flat().slice(0, 100)]).toEqual([query, expected]);
    }
  });

  test('have one canonical URL each, without empty fields, the default order and unknown parameters', async () => {
    const long = '?utm_source=x&sort=recent&kind=&tag=%20Sales&stack=React&category=&interactive=';
    const { status, html } = await look(long);
    expect([status, canonical(html)]).toEqual([200, `${site()}?tag=sales&stack=react`]);
    expect(slugsIn(html)).toEqual(await listed({ tag: 'sales', stack: 'react', limit: '24' }));
    expect(canonical((await look('?sort=recent')).html)).toBe(site());
  });

  test('shorten the long texts of an owner', async () => {
    const { slug } = await world.aListing(owner);
    const long = {
      title: 'Ω'.repeat(255),
      description: 'ω'.repeat(500),
      category: `long ${randomUUID()}`,
      tags: Array.from({ length: 20 }, (_, i) => `${'t'.repeat(38)}${i + 10}`),
      techStack: Array.from({ length: 20 }, (_, i) => `stack-${i}`),
    };
    await storeLike(slug, { slug: 'long-one', ...long });
    const { html } = await look(`?category=${encodeURIComponent(long.category)}`);
    expect(slugsIn(html)).toEqual(['long-one']);
    expect(html.split('?tag=')).toHaveLength(4);
    expect(html).toContain('+17');
    const whole = (await look('/long-one')).html;
    expect(heading(whole)).toBe(long.title);
    expect([whole.split('?tag=').length, whole.split('?stack=').length]).toEqual([21, 21]);
  });

  test('search for words, keep them in the form and the links, and say what to do without a result', async () => {
    const word = `q${randomUUID().slice(0, 6)}`;
    const { slug } = await world.aListing(owner, { title: `${word} <one>` });
    await runJob('foldMarketplaceCounters');
    const { html } = await look(`?q=${word.toUpperCase()}&sort=stars`);
    expect([slugsIn(html), found(html, /name="q" value="([^"]*)"/)]).toEqual([[slug], word.toUpperCase()]);
    expect(html).toContain(`href="${site()}?q=${word.toUpperCase()}&amp;kind=app&amp;sort=stars"`);
    expect(html).toContain('<meta name="robots" content="noindex"/>');
    for (const [query, advice] of [
      [`?q=${word}&kind=app`, `<a href="${site()}?q=${word}">search all listings`],
      ['?tag=nobody-has-this', 'No listing matches.'],
    ] as const) {
      const none = await look(query);
      expect([none.status, slugsIn(none.html), none.html.includes(advice)]).toEqual([200, [], true]);
    }
  });

  test('list an author at an address without the id of the user; an author without listings is not found', async () => {
    const author = await world.aPublisher();
    const slugs = [await world.aListing(author), await world.aListing(author)].map(({ slug }) => slug);
    const path = `/by/${(await detail(slugs[0]!)).data.author!.authorId}`;
    const { status, html } = await look(path);
    expect([status, heading(html), slugsIn(html).sort()]).toEqual([200, 'Ada', slugs.toSorted()]);
    expect(canonical(html)).toBe(`${site()}${path}`);
    expect(html).not.toContain(author.userId);
    expect((await look(`/${slugs[0]}`)).html).toContain(`href="${site()}${path}"`);
    expect(slugsIn((await look(`${path}?kind=app`)).html)).toEqual([]);
    for (const missing of ['/by', `/by/${'0'.repeat(20)}`, `${path}/x`]) expect((await look(missing)).status).toBe(404);
    expect((await look('/by/nobody')).status).toBe(400);
  });

  test('offer the words and the decks of the week on the first page, and name a wrong filter', async () => {
    const { slug } = await world.aListing(owner, { category: 'Of today', tags: ['of-today'] });
    await world.call('remixMarketplaceListing', { slug }, { key: (await world.anOwner()).key });
    await runJob('foldMarketplaceCounters');
    await runJob('refreshMarketplace');
    const { html } = await look();
    expect(html).toContain('Most remixed this week');
    for (const query of ['category=Of+today', 'tag=of-today']) expect(html).toContain(`href="${site()}?${query}"`);
    const wrong = await look('?kind=%3Cb%3Ezzz&tag=sales&sort=worst');
    expect([wrong.status, wrong.html]).toEqual([400, expect.stringContaining(wrong.headers['x-request-id']!)]);
    for (const said of ['kind “&lt;b>zzz”.', 'order “worst”.']) expect(wrong.html).toContain(`There is no ${said}`);
    expect(found(wrong.html, /<a class="button" href="([^"]*)"/)).toBe(`${site()}?tag=sales`);
  });

  test('show the picture of the deck, or one that its title draws, always the same, for a missing picture', async () => {
    const made = { sha256: 'f'.repeat(64), contentType: 'image/jpeg', size: 1000, pixels: { width: 64, height: 36 } };
    const picture = { ...made, source: '', place: 'blobs' as const, title: null };
    const tags = ['pics'];
    await storeListings([
      aStoredListing({ slug: 'pic-small', tags, picture }),
      aStoredListing({ slug: 'pic-later', title: 'Spring', tags, picture: undefined }),
      aStoredListing({ slug: 'pic-none', title: 'Spring', tags }),
      aStoredListing({ slug: 'pic-other', title: 'Autumn', tags }),
    ]);
    const { html } = await look('?tag=pics');
    const images = [...html.matchAll(/<img [^>]*src="([^"]*)"/g)].map(([, url]) => url);
    const shown = '/getMarketplaceListingContent/pic-small/_deck/picture.jpg?v=ffffffff';
    expect(images).toEqual([world.cloud.baseUrl + shown]);
    const drawn = (text: string) => text.match(/<div class="picture drawn.*?<\/svg>/g);
    expect(drawn(html)).toHaveLength(3);
    expect(new Set(drawn(html)).size).toBe(2);
    expect(drawn((await look('?tag=pics&sort=stars')).html)!.sort()).toEqual(drawn(html)!.sort());
  });

  test('draw a cover with the title once, in the colour of the organization, and nothing that looks like data', async () => {
    const account = await world.aPublisher();
    const { slug } = await world.aListing(account, { title: 'Plain cover', tags: ['covers'] });
    const key = await world.aDashboardSession(account);
    const coverIn = async () => {
      const { html } = await look('?tag=covers');
      const cover = found(html, /(<div class="picture drawn.*?<\/div>)/)!;
      const shapes = cover.match(/<(rect|circle|path|line|polyline|polygon|text|image)/g);
      expect([cover.split('Plain cover').length - 1, shapes]).toEqual([1, ['<rect', '<rect']]);
      return { ground: /fill="([^"]*)"/.exec(cover)?.[1], look: /drawn ([\w-]+)/.exec(cover)?.[1] };
    };
    expect((await coverIn()).ground).toBeUndefined();
    const change = (fields: object) => succeed(world.call('updateOrganization', fields, { key }));
    await change({ brandPrimary: 'FFE000' });
    expect(await coverIn()).toEqual({ ground: '#ffe000', look: 'on-light' });
    await change({ name: 'Others' });
    expect((await detail(slug)).data.colour).toBe('#ffe000');
    await change({ brandPrimary: '#101040' });
    expect(await coverIn()).toEqual({ ground: '#101040', look: 'on-dark' });
    await change({ brandPrimary: null });
    expect((await coverIn()).ground).toBeUndefined();
  });
});

describe('an error', () => {
  test('is a page, too', async () => {
    const { slug } = await world.aListing(owner);
    const missing = ['/none-such-listing', '/no', '/Not-A-Slug', '/a-slug/and-more', '/a%2Fb'];
    const wrong = ['?kind=film', '?sort=worst', '?interactive=maybe', '?tag=two%20words', '?cursor=abc'];
    for (const path of [...missing, ...wrong]) {
      const { html, headers, status } = await look(path);
      const expected = missing.includes(path) ? [404, 'Page not found'] : [400, 'This list does not exist'];
      expect([path, status, heading(html)]).toEqual([path, ...expected]);
      expect(headers).toMatchObject(errorPage);
      expect(headers['content-security-policy']).toContain(`default-src 'none'`);
      expect(html).toContain(`href="${site()}"`);
    }
    expect((await look(`/${slug}?remixes=abc`)).status).toBe(400);
    const allow = { allow: 'GET, HEAD, OPTIONS', 'content-type': everyPage['content-type'] };
    expect(await look(`/${slug}`, 'POST')).toMatchObject({ status: 405, headers: allow });
  });

  test('of a listing that was taken down, or whose deck is gone, is 410', async () => {
    const { slug, presentationId } = await world.aListing(owner);
    const expectGone = async () => {
      const { status, headers, html } = await look(`/${slug}`);
      expect([status, headers['cache-control'], heading(html)]).toEqual([410, 'no-store', 'This listing was removed']);
      expect(html).not.toContain('Between us');
    };
    await listingDoc(slug).update({ takedown: { at: new Date(), reason: 'Between us' } });
    await expectGone();
    await listingDoc(slug).update({ takedown: null });
    expect((await look(`/${slug}`)).status).toBe(200);
    await world.call('deletePresentation', { presentationId }, { key: owner.key });
    await expectGone();
  });
});

test('HEAD answers the headers of GET without the body, and a slash at the end leads to the same pages', async () => {
  const { slug } = await world.aListing(owner);
  for (const path of ['', `/${slug}`, '/none-such', '?kind=film']) {
    const [get, head] = [await look(path), await look(path, 'HEAD')];
    const { date: _, 'x-request-id': __, connection: ___, 'keep-alive': ____, ...headers } = get.headers;
    expect(head).toMatchObject({ status: get.status, html: '', headers });
  }
  expect((await look(`/${slug}/`)).status).toBe(200);
  const followed = await fetch(`${world.cloud.hostingUrl}/marketplace/`);
  expect([followed.status, heading(await followed.text())]).toEqual([200, 'Marketplace']);
  // Hosting may send this URL to either of the two functions.
  const { status, headers } = await fetch(`${world.cloud.baseUrl}/listingPage/marketplace/`, { redirect: 'manual' });
  expect([status, headers.get('location')]).toEqual([308, site()]);
});

test('the form that reports a listing stores the report, or answers an error page for the same reasons', async () => {
  const { slug } = await world.aListing(owner);
  const send = async (fields: Record<string, string>, from: string = randomUUID()) => {
    const init = { method: 'POST', body: new URLSearchParams(fields), headers: { 'x-forwarded-for': from } };
    const response = await fetch(`${world.cloud.baseUrl}/reportPage`, init);
    return { status: response.status, headers: Object.fromEntries(response.headers), html: await response.text() };
  };
  expect((await look(`/${slug}`)).html).toContain(`<form method="post" action="${world.cloud.baseUrl}/reportPage">`);
  const answer = await send({ slug, reason: 'phishing', details: ' It asks\r\nfor my password. ' });
  expect([answer.status, heading(answer.html)]).toEqual([200, 'Thank you']);
  expect(answer.headers).toMatchObject(errorPage);
  const { docs } = await world.database.collection(`listingReports/${slug}/reports`).get();
  const kept = { reason: 'phishing', by: 'network', texts: [{ details: 'It asks\nfor my password.' }] };
  expect(docs.map((report) => report.data())).toMatchObject([kept]);

  for (const [fields, status] of [
    [{ slug, reason: '<b>' }, 400],
    [{}, 400],
    [{ slug: 'none-such', reason: 'spam' }, 404],
    [{ slug, reason: 'spam', details: 'x'.repeat(2001) }, 400],
    [{ slug, reason: 'spam', details: 'x'.repeat(40_000) }, 413],
  ] as const) {
    const refused = await send(fields);
    expect([refused.status, refused.html.includes('<b>')]).toEqual([status, false]);
    expect(refused.headers).toMatchObject({ ...everyPage, 'cache-control': 'no-store' });
  }
  const from = randomUUID();
  const sent = await atOnce(11, () => send({ slug, reason: 'spam' }, from));
  const last = sent.find(({ status }) => status !== 200)!;
  expect([last.status, heading(last.html)]).toEqual([429, 'Too many reports']);
  expect(Number(last.headers['retry-after'])).toBeGreaterThan(0);
});
