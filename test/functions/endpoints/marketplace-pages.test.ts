import { randomUUID } from 'node:crypto';
import { houseCss } from '../../../functions/src/house/style';
import type { Listing } from '../../../functions/src/records/listings';
import { contrast } from '../../../functions/src/values/contrast';
import { labelOfListing, originOf } from '../../../functions/src/values/deck-origins';
import { aStoredListing, manyListings, storeListings } from '../../support/listings';
import { runJob } from '../../support/jobs';
import { World, type Account } from '../../support/world';

let world: World;
let owner: Account;
beforeAll(async () => {
  world = await World.start();
  owner = await world.aPublisher();
});
afterAll(() => world.stop());

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
/** The slugs of the cards of a page. */
const slugsIn = (html: string) => [...html.matchAll(/<h3.*?\/marketplace\/([^"]*)"/g)].map(([, slug]) => slug!);
const nextIn = (html: string) => found(html, /rel="next" href="[^"]*\/marketplace([^"]*)"/);
const listed = async (query: Record<string, string>) =>
  (await world.call<{ listings: Listing[] }>('listMarketplaceListings', undefined, { query })).data.listings;

/** Writes listings that publishing would refuse, for an existing deck and owner. */
async function storeOver(slug: string, ...listings: (Partial<Listing> & { slug: string })[]): Promise<void> {
  const real = (await world.database.doc(`listings/${slug}`).get()).data() as Listing;
  const { ownerId, organizationId, presentationId, pinned } = real;
  const deck = { ownerId, organizationId, presentationId, pinned };
  await storeListings(listings.map((each) => aStoredListing({ ...deck, ...each })));
}

const everyPage = {
  'content-type': 'text/html; charset=utf-8',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin-allow-popups',
};

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
    const query = { slug };
    const { data } = await world.call<Record<string, string>>('getMarketplaceListing', undefined, { query });
    expect(data['marketplaceUrl']).toBe(`${site()}/${slug}`);
    const { status, headers, html } = await look(`/${slug}`);
    expect(status).toBe(200);
    expect(headers).toMatchObject({ ...everyPage, 'cache-control': 'public, max-age=60' });
    expect(headers['x-robots-tag']).toBeUndefined();
    expect(html).not.toContain('noindex');

    expect([heading(html), found(html, /<title[^>]*>(.*)<\/title>/)]).toEqual([said.title, said.title]);
    expect(found(html, /property="og:title" content="([^"]*)"/)).toBe(said.title);
    expect(found(html, /property="og:description" content="([^"]*)"/)).toBe(said.description);
    expect(found(html, /name="description" content="([^"]*)"/)).toBe(said.description);
    expect(found(html, /<p class="lead"[^>]*>([^<]*)</)).toBe(said.description);
    expect(found(html, /rel="canonical" href="([^"]*)"/)).toBe(data['marketplaceUrl']);
    for (const list of ['category=B%C3%BCro+%26+Co', 'tag=sales', 'tag=c%2B%2B', 'stack=three.js']) {
      expect(html).toContain(`href="${site()}?${list}"`);
    }
    expect(html).toContain('Presentation · Interactive');
    expect(html).toContain(`<bdi lang>Ada</bdi></a>, <bdi lang>Ada's workspace</bdi>`);
    // A count of 0 is left out.
    expect(found(html, /<p class="counts">(.*?)<\/p>/)).toBe('<span id="stars"></span>');

    const frame = found(html, /(<iframe.*?><\/iframe>)/)!;
    expect(frame).toContain(`src="${data['originUrl']}"`);
    expect(frame).toMatch(/sandbox="allow-scripts [^"]* allow-same-origin"/);
    expect(frame).toContain('allow="fullscreen; clipboard-write; screen-wake-lock"');
    expect(frame).not.toContain('allow-top-navigation');
    expect(found(html, /<a class="button" href="([^"]*)" target="_blank" rel="noopener">/)).toBe(data['originUrl']);
    const { host } = new URL(data['originUrl']!);
    expect(host).toBe(new URL(originOf(world.cloud.deckOrigin!, labelOfListing(slug))).host);
    expect(host).not.toBe(new URL(site()).host);
  });

  test('frames the path form of the deck, with an opaque origin, when decks have no origins', async () => {
    const { slug } = await world.aListing(owner);
    process.env['DECK_ORIGIN'] = '';
    const { headers, html } = await look(`/${slug}`);
    process.env['DECK_ORIGIN'] = world.cloud.deckOrigin!;
    const contentUrl = `${world.cloud.baseUrl}/getMarketplaceListingContent/${slug}/index.html`;
    const frame = found(html, /(<iframe.*?><\/iframe>)/)!;
    expect(frame).toContain(`src="${contentUrl}"`);
    expect(frame).toContain('sandbox="allow-scripts');
    expect(frame).not.toMatch(/allow-same-origin|allow-top-navigation/);
    expect(found(html, /<a class="button" href="([^"]*)" target="_blank" rel="noopener">/)).toBe(contentUrl);
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
    expect(html).toContain('can send its address, with your secret link, to any server');
  });

  test('allows only its own scripts, resources and forms', async () => {
    const { slug } = await world.aListing(owner);
    const directives = async (path: string) =>
      (await look(path)).headers['content-security-policy']!.replace(/'sha256-[^']*='/g, 'HASH').split('; ');
    const functions = new URL(world.cloud.baseUrl).origin;
    const icons = `img-src ${new URL(site()).origin}`;
    const common = (images: string) => [`default-src 'none'`, images, 'style-src HASH', `base-uri 'none'`];
    const pictured = common(`${icons} ${functions}`);
    const last = `frame-ancestors 'none'`;
    expect(await directives(`/${slug}`)).toEqual([
      ...[...pictured, `form-action ${functions}`, last],
      ...[
        `frame-src ${originOf(world.cloud.deckOrigin!, labelOfListing(slug))} https:`,
        'script-src HASH',
        `connect-src ${functions}`,
      ],
    ]);
    expect(await directives('')).toEqual([...pictured, `form-action ${world.cloud.marketplaceUrl}`, last]);
    expect(await directives('/none-such')).toEqual([...common(icons), `form-action 'none'`, last]);
  });

  test('shows its ancestors and its public remixes, page by page', async () => {
    const source = await world.aListing(owner);
    const lineage = [
      { slug: source.slug, generation: 1, title: 'The <source>' },
      { slug: 'first-of-all', generation: 1, title: 'The first' },
    ];
    const slugs = Array.from({ length: 14 }, (_, i) => `remix-${randomUUID()}-${i}`);
    await storeOver(
      source.slug,
      ...slugs.map((slug, i) => ({ slug, lineage, createdAt: new Date(2_000_000_000_000 - i) })),
      { slug: `unlisted-${randomUUID()}`, lineage, status: 'unlisted' },
    );
    const first = await look(`/${source.slug}`);
    expect(slugsIn(first.html)).toEqual(slugs.slice(0, 12));
    const second = await look(nextIn(first.html)!.split('#')[0]);
    expect(slugsIn(second.html)).toEqual(slugs.slice(12));
    expect(nextIn(second.html)).toBeUndefined();

    const { html } = await look(`/${slugs[0]}`);
    expect(html).toContain(`href="${site()}/${source.slug}"><bdi lang>The &lt;source></bdi></a>`);
    expect(html).toContain(`href="${site()}/first-of-all"><bdi lang>The first</bdi></a>`);
    expect(slugsIn(html)).toEqual([]);
  });

  test('is hidden from search engines while the listing is unlisted', async () => {
    const { slug } = await world.aListing(owner);
    await world.call('updateMarketplaceListing', { slug, status: 'unlisted' }, { key: owner.key });
    const { status, headers, html } = await look(`/${slug}`);
    expect([status, headers['x-robots-tag']]).toEqual([200, 'noindex']);
    expect(html).toContain('<meta name="robots" content="noindex"/>');
    expect(slugsIn((await look()).html)).not.toContain(slug);
  });
});

describe('the lists', () => {
  const many = manyListings(120, 7);
  beforeAll(() => storeListings(many));

  test.each([
    {},
    { kind: 'app' },
    { sort: 'stars' },
    { kind: 'presentation', interactive: 'false', sort: 'popular' },
    { category: 'Büro & Co', tag: 'c++' },
    { tag: 'sales', stack: 'three.js', interactive: 'true' },
  ] as Record<string, string>[])('show the results of listMarketplaceListings, page by page: %j', async (query) => {
    const expected = (await listed({ ...query, limit: '100' })).map(({ slug }) => slug);
    const shown: string[] = [];
    let path: string | undefined = `?${new URLSearchParams(query).toString()}`;
    for (let pages = 0; path !== undefined && shown.length < 100; pages++) {
      const { status, headers, html } = await look(path);
      expect([status, headers['cache-control']]).toEqual([200, 'public, max-age=60']);
      expect(headers).toMatchObject(everyPage);
      // Only the first page has a permanent URL.
      expect(html.includes('noindex')).toBe(pages > 0);
      shown.push(...slugsIn(html));
      path = nextIn(html);
    }
    expect(shown.slice(0, 100)).toEqual(expected);
    expect(expected.length).toBeGreaterThan(0);
  });

  test('have one canonical URL each, without empty fields, the default order and unknown parameters', async () => {
    const { status, html } = await look(
      '?utm_source=x&sort=recent&kind=&tag=%20Sales&stack=React&category=&interactive=',
    );
    expect(status).toBe(200);
    expect(found(html, /rel="canonical" href="([^"]*)"/)).toBe(`${site()}?tag=sales&stack=react`);
    expect(slugsIn(html)).toEqual(
      (await listed({ tag: 'sales', stack: 'react', limit: '24' })).map(({ slug }) => slug),
    );
    expect(found((await look('?sort=recent')).html, /rel="canonical" href="([^"]*)"/)).toBe(site());
  });

  test('say that nothing matches', async () => {
    const { status, html } = await look('?tag=nobody-has-this');
    expect([status, slugsIn(html)]).toEqual([200, []]);
    expect(html).toContain('No listing matches.');
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
    await storeOver(slug, { slug: 'long-one', ...long });
    const { html } = await look(`?category=${encodeURIComponent(long.category)}`);
    expect(slugsIn(html)).toEqual(['long-one']);
    expect(html.split('?tag=')).toHaveLength(4);
    expect(html).toContain('+17');
    const whole = (await look('/long-one')).html;
    expect(heading(whole)).toBe(long.title);
    expect(whole.split('?tag=')).toHaveLength(21);
    expect(whole.split('?stack=')).toHaveLength(21);
  });
});

describe('the search and the lists of authors', () => {
  test('search for words, keep them in the form and the links, and say what to do without a result', async () => {
    const word = `q${randomUUID().slice(0, 6)}`;
    const { slug } = await world.aListing(owner, { title: `${word} <one>` });
    const { html } = await look(`?q=${word.toUpperCase()}&sort=stars`);
    expect([slugsIn(html), found(html, /name="q" value="([^"]*)"/)]).toEqual([[slug], word.toUpperCase()]);
    expect(html).toContain(`href="${site()}?q=${word.toUpperCase()}&amp;kind=app&amp;sort=stars"`);
    expect(html).toContain('<meta name="robots" content="noindex"/>');
    const none = await look(`?q=${word}&kind=app`);
    expect([none.status, slugsIn(none.html)]).toEqual([200, []]);
    expect(none.html).toContain(`<a href="${site()}?q=${word}">search all listings`);
  });

  test('list an author at an address without the id of the user; an author without listings is not found', async () => {
    const author = await world.aPublisher();
    const slugs = [await world.aListing(author), await world.aListing(author)].map(({ slug }) => slug);
    const query = { slug: slugs[0]! };
    const { data } = await world.call<{ author: { authorId: string } }>('getMarketplaceListing', undefined, { query });
    const path = `/by/${data.author.authorId}`;
    const { status, html } = await look(path);
    expect([status, heading(html), slugsIn(html).sort()]).toEqual([200, 'Ada', slugs.sort()]);
    expect(found(html, /rel="canonical" href="([^"]*)"/)).toBe(`${site()}${path}`);
    expect(html).not.toContain(author.userId);
    expect((await look(`/${slugs[0]}`)).html).toContain(`href="${site()}${path}"`);
    expect(slugsIn((await look(`${path}?kind=app`)).html)).toEqual([]);
    const missing = ['/by', `/by/${'0'.repeat(20)}`, `${path}/x`];
    expect(await Promise.all(missing.map(async (each) => (await look(each)).status))).toEqual([404, 404, 404]);
    expect((await look('/by/nobody')).status).toBe(400);
  });

  test('link to the page before, and to the first page', async () => {
    await storeListings(Array.from({ length: 60 }, (_, i) => aStoredListing({ slug: `paged-${i}`, tags: ['paged'] })));
    const previousIn = (html: string) => found(html, /rel="prev" href="[^"]*\/marketplace([^"]*)"/);
    const first = await look('?tag=paged');
    const second = await look(nextIn(first.html));
    const third = await look(nextIn(second.html));
    expect([previousIn(first.html), previousIn(second.html)]).toEqual([undefined, '?tag=paged']);
    expect(slugsIn((await look(previousIn(third.html))).html)).toEqual(slugsIn(second.html));
    expect(nextIn(third.html)).toBeUndefined();
  });

  test('offer the words and the decks of the week on the first page, and name a wrong filter', async () => {
    const { slug } = await world.aListing(owner, { category: 'Of today', tags: ['of-today'] });
    await world.call('recordMarketplaceRemix', { slug });
    await runJob('refreshMarketplace');
    const { html } = await look();
    expect(html).toContain('Most remixed this week');
    for (const query of ['category=Of+today', 'tag=of-today']) expect(html).toContain(`href="${site()}?${query}"`);
    const wrong = await look('?kind=%3Cb%3Ezzz&tag=sales&sort=best');
    expect(wrong.status).toBe(400);
    expect(wrong.html).toContain('There is no kind “&lt;b>zzz”.');
    expect(wrong.html).toContain('There is no order “best”.');
    expect(found(wrong.html, /<a class="button" href="([^"]*)"/)).toBe(`${site()}?tag=sales`);
  });

  test('show the picture of the deck, or one that its title draws, always the same, for a large or missing picture', async () => {
    const picture = (size: number) => ({
      path: 'a b.png',
      sha256: 'f'.repeat(64),
      size,
      contentType: 'image/png',
      pixels: null,
    });
    await storeListings([
      aStoredListing({ slug: 'pic-small', tags: ['pics'], picture: picture(1000) }),
      aStoredListing({ slug: 'pic-large', title: 'Spring', tags: ['pics'], picture: picture(600_000) }),
      aStoredListing({ slug: 'pic-none', title: 'Spring', tags: ['pics'] }),
      aStoredListing({ slug: 'pic-other', title: 'Autumn', tags: ['pics'] }),
    ]);
    const { html } = await look('?tag=pics');
    expect([...html.matchAll(/<img [^>]*src="([^"]*)"/g)].map(([, url]) => url)).toEqual([
      `${world.cloud.baseUrl}/getMarketplaceListingContent/pic-small/a%20b.png?v=ffffffff`,
    ]);
    const drawn = (text: string) => text.match(/<div class="picture drawn.*?<\/svg>/g);
    expect(drawn(html)).toHaveLength(3);
    expect(new Set(drawn(html)).size).toBe(2);
    expect(drawn((await look('?tag=pics&sort=stars')).html)!.sort()).toEqual(drawn(html)!.sort());
  });
});

test('every text of a user is escaped, in every place of a page', async () => {
  const evil = `"'><img src=x onerror=alert(1)></title><script>alert(2)</script>{{7*7}}`;
  const { slug } = await world.aListing(await world.aPublisher());
  const evilSlug = `evil-${randomUUID()}`;
  const words = { title: evil, description: evil, category: evil, tags: [evil], techStack: [evil] };
  await storeOver(slug, {
    slug: evilSlug,
    ...words,
    lineage: [
      { slug, generation: 1, title: evil },
      { slug: 'other', generation: 1, title: evil },
    ],
  });
  const { ownerId, organizationId } = (await world.database.doc(`listings/${slug}`).get()).data() as Listing;
  await world.database.doc(`users/${ownerId}`).update({ firstName: evil, lastName: evil });
  await world.database.doc(`organizations/${organizationId}`).update({ name: evil });

  const pages = [
    await look(`/${evilSlug}`),
    // The second listing is a remix of the first.
    await look(`/${slug}`),
    await look(`?category=${encodeURIComponent(evil.slice(0, 60))}`),
    await look(`?tag=${encodeURIComponent(evil)}&sort=${encodeURIComponent(evil)}`),
    await look(`?cursor=${encodeURIComponent(evil)}`),
    await look(`/${encodeURIComponent(evil)}`),
  ];
  expect(pages.map(({ status }) => status)).toEqual([200, 200, 200, 400, 400, 404]);
  for (const { html } of pages) {
    const scripts = html.match(/<script/g) ?? [];
    expect([html.includes('<img'), html.match(/<\/title>/g)!.length]).toEqual([false, 1]);
    // The data for search engines, and the script of the page.
    expect(scripts.length).toBe(html.includes('<iframe') ? 2 : 0);
    // Outside of the script and the style, every tag is one that the page's template writes.
    const markup = html.replace(/<(script|style)([^>]*)>[^]*?<\/\1>/g, '<$1$2>');
    const tags = [...markup.matchAll(/<(?:[^>"]|"[^"]*")*>/g)].map(([tag]) => tag);
    expect(tags.length).toBeGreaterThan(20);
    expect(tags.filter((tag) => !/^<[!/]?\w+(\s+[\w:-]+(="[^"<]*")?)*\s*\/?>$/.test(tag))).toEqual([]);
  }
  expect(heading(pages[0]!.html)).toBe(evil);
});

describe('errors are pages, too', () => {
  test.each([
    ['/none-such-listing', 404, 'Page not found'],
    ['/no', 404, 'Page not found'],
    ['/Not-A-Slug', 404, 'Page not found'],
    ['/a-slug/and-more', 404, 'Page not found'],
    ['/a%2Fb', 404, 'Page not found'],
    ['?kind=film', 400, 'This list does not exist'],
    ['?sort=best', 400, 'This list does not exist'],
    ['?interactive=maybe', 400, 'This list does not exist'],
    ['?tag=two%20words', 400, 'This list does not exist'],
    ['?cursor=abc', 400, 'This list does not exist'],
  ])('%s: %d', async (path, status, title) => {
    const answer = await look(path);
    expect([answer.status, heading(answer.html)]).toEqual([status, title]);
    expect(answer.headers).toMatchObject({ ...everyPage, 'cache-control': 'no-store', 'x-robots-tag': 'noindex' });
    expect(answer.headers['content-security-policy']).toContain(`default-src 'none'`);
    expect(answer.html).toContain(`href="${site()}"`);
  });

  test('a listing that was taken down, or whose deck is gone: 410', async () => {
    const { slug, presentationId } = await world.aListing(owner);
    const stored = world.database.doc(`listings/${slug}`);
    const gone = async () => {
      const { status, headers, html } = await look(`/${slug}`);
      return [status, headers['cache-control'], heading(html)];
    };
    await stored.update({ takedown: { at: new Date(), reason: 'Between us' } });
    expect(await gone()).toEqual([410, 'no-store', 'This listing was removed']);
    expect((await look(`/${slug}`)).html).not.toContain('Between us');
    await stored.update({ takedown: null });
    expect((await look(`/${slug}`)).status).toBe(200);
    await world.call('deletePresentation', { presentationId }, { key: owner.key });
    expect(await gone()).toEqual([410, 'no-store', 'This listing was removed']);
  });

  test('a cursor of other remixes: 400', async () => {
    const { slug } = await world.aListing(owner);
    expect((await look(`/${slug}?remixes=abc`)).status).toBe(400);
  });

  test('a wrong method: 405 with Allow', async () => {
    const { slug } = await world.aListing(owner);
    for (const path of ['', `/${slug}`]) {
      const { status, headers } = await look(path, 'POST');
      expect([status, headers['allow'], headers['content-type']]).toEqual([
        405,
        'GET, HEAD, OPTIONS',
        everyPage['content-type'],
      ]);
    }
  });
});

test('HEAD answers the headers of GET without the body', async () => {
  const { slug } = await world.aListing(owner);
  for (const path of ['', `/${slug}`, '/none-such', '?kind=film']) {
    const [get, head] = [await look(path), await look(path, 'HEAD')];
    const { date: _, 'x-request-id': __, connection: ___, 'keep-alive': ____, ...headers } = get.headers;
    expect(head).toMatchObject({ status: get.status, html: '', headers });
  }
});

test('a slash at the end leads to the same pages', async () => {
  const { slug } = await world.aListing(owner);
  expect((await look(`/${slug}/`)).status).toBe(200);
  const list = await fetch(`${world.cloud.hostingUrl}/marketplace/`);
  expect([list.status, heading(await list.text())]).toEqual([200, 'Marketplace']);
  // Hosting may send this URL to either of the two functions.
  const { status, headers } = await fetch(`${world.cloud.baseUrl}/listingPage/marketplace/`, { redirect: 'manual' });
  expect([status, headers.get('location')]).toEqual([308, site()]);
});

describe('the form that reports a listing', () => {
  const send = async (fields: Record<string, string>, from: string = randomUUID()) => {
    const response = await fetch(`${world.cloud.baseUrl}/reportPage`, {
      method: 'POST',
      body: new URLSearchParams(fields),
      headers: { 'x-forwarded-for': from },
    });
    return { status: response.status, headers: Object.fromEntries(response.headers), html: await response.text() };
  };

  test('stores the same report as reportMarketplaceListing', async () => {
    const { slug } = await world.aListing(owner);
    expect((await look(`/${slug}`)).html).toContain(`<form method="post" action="${world.cloud.baseUrl}/reportPage">`);
    const answer = await send({ slug, reason: 'phishing', details: ' It asks\r\nfor my password. ' });
    expect([answer.status, heading(answer.html)]).toEqual([200, 'Thank you']);
    expect(answer.headers).toMatchObject({ ...everyPage, 'cache-control': 'no-store', 'x-robots-tag': 'noindex' });
    const reports = await world.database.collection(`listingReports/${slug}/reports`).get();
    const kept = { reason: 'phishing', by: 'network', texts: [{ details: 'It asks\nfor my password.' }] };
    expect(reports.docs.map((each) => each.data())).toMatchObject([kept]);
  });

  test('is refused for the same reasons, with an error page', async () => {
    const { slug } = await world.aListing(owner);
    const refused = [
      await send({ slug, reason: '<b>' }),
      await send({}),
      await send({ slug: 'none-such', reason: 'spam' }),
      await send({ slug, reason: 'spam', details: 'x'.repeat(2001) }),
      await send({ slug, reason: 'spam', details: 'x'.repeat(40_000) }),
    ];
    expect(refused.map(({ status }) => status)).toEqual([400, 400, 404, 400, 413]);
    for (const { headers, html } of refused) {
      expect(headers).toMatchObject({ ...everyPage, 'cache-control': 'no-store' });
      expect(html).not.toContain('<b>');
    }
    const from = randomUUID();
    const sent = await Promise.all(Array.from({ length: 11 }, () => send({ slug, reason: 'spam' }, from)));
    const last = sent.find(({ status }) => status !== 200)!;
    expect([last.status, heading(last.html)]).toEqual([429, 'Too many reports']);
    expect(Number(last.headers['retry-after'])).toBeGreaterThan(0);
  });
});

test('text and the borders of fields have enough contrast on every background (WCAG 1.4.3, 1.4.11)', () => {
  const coloursIn = (css: string): Record<string, string> =>
    Object.fromEntries([...css.matchAll(/--([\w-]+): (#\w{6})/g)].map(([, name, colour]) => [name, colour]));
  const schemes = houseCss.split('@media').map(coloursIn);
  expect(schemes).toHaveLength(2);
  for (const colours of schemes) {
    for (const ground of [colours['paper']!, colours['card']!]) {
      for (const text of ['ink', 'quiet', 'accent']) expect(contrast(colours[text]!, ground)).toBeGreaterThan(4.5);
      expect(contrast(colours['edge']!, ground)).toBeGreaterThan(3);
    }
    expect(contrast(colours['code-ink']!, colours['code']!)).toBeGreaterThan(4.5);
  }
});
