import { config, serviceSecrets } from '../../../functions/src/config';
import { newLinkGrant, writeGrant, type Granted } from '../../../functions/src/values/deck-grants';
import { labelOfListing, labelOfPreview, labelOfToken, originOf } from '../../../functions/src/values/deck-origins';
import { navigation, openOnOrigin, requestTarget, type OriginRequest } from '../../support/deck-origin';
import { each } from '../../support/each';
import { words } from '../../support/words';
import { blob, page, sha256, startWorld, succeed, world } from '../../support/world';
import type { Account, Deck, DeckFile } from '../../support/world';

/** The files, addresses, headers and views of decks on their origins. */

const MB = 1024 * 1024;
let owner: Account;

startWorld(async () => void (owner = await world.anOwner('enterprise')), { platformLimits: true });

const text = (path: string, content: string, contentType = 'text/plain; charset=utf-8'): DeckFile => ({
  path,
  bytes: Buffer.from(content),
  contentType,
});

/** The opened origin of a new deck, whose entry is the first file. */
const aSite = async (...files: DeckFile[]) => siteOf(await world.aDeck(owner, files));

async function siteOf<D extends Pick<Deck, 'presentationId' | 'token'>>(deck: D) {
  const shareUrl = `${world.cloud.hostingUrl}/share/${deck.presentationId}?token=${deck.token}`;
  const { origin, ticketUrl, cookie } = await openOnOrigin(shareUrl);
  /** Requests a target as it is with the cookie; a navigation of a window unless `headers` say otherwise. */
  const visit = (target: string, { headers, ...options }: OriginRequest = {}) =>
    requestTarget(origin, target, { ...options, headers: { ...navigation, cookie, ...headers } });
  return { ticketUrl, cookie, deck, visit };
}

/** The headers of a request that a page of the deck makes for a part of it. */
const part = { 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image', 'sec-fetch-site': 'same-origin', accept: '*/*' };
/** The headers that a browser without fetch metadata does not send. */
const old = { 'sec-fetch-mode': undefined, 'sec-fetch-dest': undefined, 'sec-fetch-site': undefined };
/** The element that the runtime puts in front of a page. */
const element = /<script src="\/_deck\/runtime\.[\da-f]{16}\.js"( data-seen)?><\/script>/;
const withoutRuntime = (html: string) => html.replace(element, '');

async function viewsOf({ presentationId, tokenId }: Deck): Promise<number> {
  const counters = await world.database.collection(`presentations/${presentationId}/viewCounters`).get();
  const ofToken = counters.docs.filter((document) => document.get('tokenId') === tokenId);
  return ofToken.reduce((sum, document) => sum + (document.get('views') as number), 0);
}

describe('the headers', () => {
  const denied = words(
    'camera microphone geolocation payment usb serial hid midi bluetooth display-capture publickey-credentials-get ' +
      'publickey-credentials-create otp-credentials identity-credentials-get storage-access local-network-access',
  );
  const permissions = denied.map((feature) => `${feature}=()`).join(', ');

  test('of every answer keep other origins out, and those of a navigation also their windows', async () => {
    const { visit } = await aSite(page(), page('x', 'a/index.html'), text('a.txt', 'text'));
    const sites = [...new Set([config.viewerUrl(), config.marketplaceUrl()].map((url) => new URL(url).origin))];
    const ofAnswers = {
      'cross-origin-resource-policy': 'same-origin',
      'origin-agent-cluster': '?1',
      'permissions-policy': permissions,
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'x-robots-tag': 'noindex, nofollow',
      'content-security-policy': expect.stringContaining(`frame-ancestors 'self' ${sites.join(' ')}`),
    };
    const targets = ['/', '/a', '/none', '/_deck/none', '/_open/none'];
    const refused = [{ cookie: '' }, { host: 'localhost' }, { 'service-worker': 'script' }];
    const conditions = [{}, { range: 'bytes=9-' }, { range: 'bytes=1-2' }, { 'if-none-match': '*' }];
    const requests: [string, OriginRequest][] = [
      ['/', { method: 'POST' }],
      ...targets.map((target): [string, OriginRequest] => [target, {}]),
      ...refused.map((headers): [string, OriginRequest] => ['/', { headers }]),
      ...conditions.map((headers): [string, OriginRequest] => ['/a.txt', { headers: { ...part, ...headers } }]),
    ];
    for (const [target, options] of each(requests)) {
      const { headers, status } = await visit(target, options);
      const isPart = target === '/a.txt';
      expect({ target, status, headers }).toMatchObject({ headers: ofAnswers });
      expect(headers['content-security-policy']).not.toContain('sandbox');
      expect(headers['cross-origin-opener-policy']).toBe(isPart ? undefined : 'same-origin-allow-popups');
      expect(Object.keys(headers).join()).not.toMatch(/\b(access-control-|set-cookie|service-worker)/);
    }
  });

  /** The entry is the first file. `world.aDeck` does not read them. */
  const isolatedBy = (embedder: string) => {
    const rules = ['Cross-Origin-Opener-Policy: same-origin', `Cross-Origin-Embedder-Policy: ${embedder}`, 'X-A: b'];
    const pages = [page('Entry'), page('x', 'a/index.html'), text('a.js', ''), page('Lost', '404.html')];
    return [...pages, text('_headers', ['/*', ...rules].join('\n  '))];
  };
  type Visit = Awaited<ReturnType<typeof siteOf>>['visit'];
  const isolationOf = async (visit: Visit, target: string, headers?: OriginRequest['headers']) => {
    const { status, headers: answered } = await visit(target, { headers });
    return [status, answered['cross-origin-opener-policy'], answered['cross-origin-embedder-policy']];
  };

  test('isolate every answer about a version that asks for it, and those of its copies', async () => {
    const publisher = await world.aPublisher();
    const deck = await world.aPushedDeck(publisher, isolatedBy('require-corp'));
    const { presentationId } = deck;
    const { visit } = await siteOf(deck);
    const isolated = ['same-origin', 'require-corp'];
    const answers: [string, OriginRequest['headers'], number][] = [
      ['/', {}, 200],
      ['/a', {}, 303],
      ['/none', {}, 404],
      ['/a.js', part, 200],
      ['/none.js', part, 404],
      ['/a.js', { range: 'bytes=9-' }, 416],
    ];
    for (const [target, headers, status] of each(answers))
      expect([target, ...(await isolationOf(visit, target, headers))]).toEqual([target, status, ...isolated]);
    expect((await visit('/')).headers['x-a']).toBeUndefined();
    expect(await isolationOf(visit, '/', { cookie: '' })).toEqual([404, 'same-origin-allow-popups', undefined]);

    const call = <T>(name: Parameters<typeof world.call>[0], input: object) =>
      succeed(world.call<T>(name, input, { key: publisher.key }));
    const { slug } = await world.aListing(publisher, {}, deck);
    const remix = await call<Deck>('remixMarketplaceListing', { slug });
    const pin = { tokenName: 'pin', versionMode: { type: 'pinned', version: 1 } };
    const pinned = await call<Deck>('addPresentationToken', { presentationId, ...pin });
    await succeed(world.commit(publisher, { presentationId }, isolatedBy('none').slice(0, 4)));
    expect(await isolationOf(visit, '/')).toEqual([200, 'same-origin-allow-popups', undefined]);
    const listed = originOf(world.cloud.deckOrigin!, labelOfListing(slug));
    const visits = [
      (await siteOf(remix)).visit,
      (await siteOf({ presentationId, token: pinned.token })).visit,
      (target: string) => requestTarget(listed, target, { headers: navigation }),
    ];
    for (const each of visits) expect(await isolationOf(each, '/')).toEqual([200, ...isolated]);
    await call('restorePresentationVersion', { presentationId, version: 1 });
    expect(await isolationOf(visit, '/')).toEqual([200, ...isolated]);
  });

  test('change with the isolation for a browser that has the files of another version', async () => {
    const files = isolatedBy('credentialless');
    const deck = await world.aPushedDeck(owner, files);
    const { visit } = await siteOf(deck);
    const ask = async (target: string, headers: OriginRequest['headers']) => {
      const { etag } = (await visit(target, { headers })).headers;
      return () => isolationOf(visit, target, { ...headers, 'if-none-match': etag });
    };
    const [entry, script] = [await ask('/', {}), await ask('/a.js', part)];
    for (const again of [entry, script]) expect(await again()).toEqual([304, 'same-origin', 'credentialless']);
    await succeed(world.commit(owner, { presentationId: deck.presentationId }, files.slice(0, 4)));
    expect(await entry()).toEqual([200, 'same-origin-allow-popups', undefined]);
    expect(await script()).toEqual([200, undefined, undefined]);
  });

  test('let a browser keep files for 5 minutes and ask for pages again', async () => {
    const { visit } = await aSite(page(), text('a.js', ''), page('x', 'x.html'));
    const kept = async (target: string, headers = {}) => (await visit(target, { headers })).headers['cache-control'];
    expect(await kept('/a.js', part)).toBe('private, max-age=300, must-revalidate');
    for (const target of ['/', '/x', '/x.html']) expect(await kept(target)).toBe('private, no-cache');
  });
});

describe('the addresses', () => {
  test('are those of a static server', async () => {
    const css = text('ä ü.css', 'p {}', 'text/css');
    const { visit } = await aSite(page('Entry', 'slides/index.html'), page('About', 'about.html'), css);
    const seen = async (target: string) => {
      const { status, headers, text: body } = await visit(target);
      return [status, headers.location ?? /Entry|About|p \{\}/.exec(body)?.[0]];
    };
    // test/functions/policy/deck-addresses.test.ts has all cases.
    expect(await seen('/?a=b&c')).toEqual([303, '/slides/?a=b&c']);
    expect(await seen('/slides/')).toEqual([200, 'Entry']);
    expect(await seen('/about')).toEqual([200, 'About']);
    expect(await seen('/%C3%A4%20%C3%BC.css')).toEqual([200, 'p {}']);
    for (const target of ['/index.html', '/../about', '/a%2F', '/a\\', '/%', '//about.html']) {
      expect([target, ...(await seen(target))]).toEqual([target, 404, undefined]);
    }
  });

  test('without a file are the 404 page, which says that the deck is open, and a line for a part of a page', async () => {
    const { visit } = await aSite(page());
    const words = 'The presentation has no page at this address';
    for (const [options, body] of [
      [{}, expect.stringContaining(`<h1>${words}</h1>`)],
      // Nobody reads a page in place of a part of a page.
      [{ headers: part }, `${words}.\n`],
      [{ method: 'HEAD' }, ''],
    ] as [OriginRequest, string][]) {
      const { status, headers, text: answered } = await visit('/none', options);
      expect([status, headers['cache-control'], headers.etag, answered]).toEqual([404, 'no-store', undefined, body]);
    }
  });

  test('without a file are those of a single-page app for navigations, when the deck has a rule for it', async () => {
    const { visit } = await aSite(page('Entry'), text('_redirects', '/* /index.html 200\n'), page('Lost', '404.html'));
    const seen = async (headers: OriginRequest['headers']) => (await visit('/slides/7?x', { headers })).status;
    expect((await visit('/slides/7?x')).text).toContain('Entry');
    expect([await seen({}), await seen(part)]).toEqual([200, 404]);
    expect([await seen(old), await seen({ ...old, accept: '*/*' })]).toEqual([200, 404]);
  });

  test('404.html is answered whole with 404, whatever the conditions are', async () => {
    const lost = page('Lost', '404.html');
    const { visit } = await aSite(page(), lost);
    const answer = await visit('/none', { headers: { 'if-none-match': '*', range: 'bytes=0-3' } });
    expect([answer.status, withoutRuntime(answer.text)]).toEqual([404, lost.bytes.toString()]);
    expect((await visit('/404')).status).toBe(200);
  });
});

describe('the runtime', () => {
  test('is put into pages that a browser navigates to, and into nothing else', async () => {
    const entry = page('Entry');
    const { visit } = await aSite(entry, text('a.txt', '<p>'));
    const answer = await visit('/');
    expect(answer.text).toMatch(element);
    expect(withoutRuntime(answer.text)).toBe(entry.bytes.toString());
    expect(answer.headers.vary).toBe('Sec-Fetch-Mode');
    expect(answer.headers.etag).not.toBe(`"${sha256(entry.bytes)}"`);
    const fetched = await visit('/', { headers: part });
    expect([fetched.text, fetched.headers.etag]).toEqual([entry.bytes.toString(), `"${sha256(entry.bytes)}"`]);
    expect((await visit('/a.txt')).text).toBe('<p>');
    const [, address] = /src="([^"]+)"/.exec(answer.text)!;
    const script = await visit(address!, { headers: { ...part, cookie: '' } });
    expect([script.status, script.headers['content-type']]).toEqual([200, 'text/javascript; charset=utf-8']);
    expect(script.headers['cache-control']).toContain('immutable');
  });

  test('has the mark that lets it send what a reader looks at, but in previews and listings', async () => {
    const publisher = await world.aPublisher();
    const { presentationId, tokenId } = await world.aDeck(publisher);
    const { slug } = await world.aListing(publisher, {}, { presentationId });
    const link = newLinkGrant({ presentationId, tokenId });
    const preview = { presentationId, version: 1, userId: publisher.userId };
    const open = async (label: string, granted?: Granted) => {
      const grant = granted && writeGrant(serviceSecrets.current(), 'grant', granted, new Date());
      const cookie = grant && `__Host-deck=${grant}`;
      const headers = { ...navigation, cookie };
      const answer = await requestTarget(originOf(world.cloud.deckOrigin!, label), '/', { headers });
      return { isMarked: element.exec(answer.text)![1] !== undefined, etag: answer.headers.etag };
    };
    const reader = await open(labelOfToken(tokenId), link);
    const own = await open(labelOfToken(tokenId), { ...link, isOwn: true });
    const others = [await open(labelOfPreview(preview), preview), await open(labelOfListing(slug))];
    expect([reader, own, ...others].map(({ isMarked }) => isMarked)).toEqual([true, true, false, false]);
    expect(others.map(({ etag }) => etag)).not.toContain(reader.etag);
  });
});

describe('the bytes', () => {
  test('come in ranges, conditionally and for HEAD as in the path form', async () => {
    const film = { ...blob(3 * MB, 'film.mp4'), contentType: 'video/mp4' };
    const { visit } = await aSite(page(), film);
    const ask = (headers = {}, method = 'GET') => visit('/film.mp4', { method, headers: { ...part, ...headers } });
    const ranged = await ask({ range: 'bytes=1048570-1048589' });
    expect([ranged.status, ranged.headers['content-range']]).toEqual([206, `bytes 1048570-1048589/${3 * MB}`]);
    expect(ranged.bytes).toEqual(film.bytes.subarray(1_048_570, 1_048_590));
    expect((await ask({ 'if-none-match': `"${sha256(film.bytes)}"` })).status).toBe(304);
    expect((await ask({ range: 'bytes=9999999-' })).status).toBe(416);
    const head = await ask({}, 'HEAD');
    expect([head.status, head.headers['content-length'], head.bytes.length]).toEqual([200, String(3 * MB), 0]);
  });

  test('of a file up to 30 MB come from the origin itself, and those of a larger one from the bucket', async () => {
    const [same, larger] = [blob(11 * MB, 'same.wasm'), blob(31 * MB, 'larger.bin')];
    const { visit } = await aSite(page(), same, larger);
    const answer = await visit('/same.wasm', { headers: part });
    const headers = { 'content-length': String(11 * MB), 'content-type': 'application/wasm' };
    expect(answer).toMatchObject({ status: 200, headers });
    expect(sha256(answer.bytes)).toBe(sha256(same.bytes));
    const elsewhere = await visit('/larger.bin', { headers: part });
    expect([elsewhere.status, elsewhere.headers['cache-control']]).toEqual([302, 'private, no-store']);
    // A player asks for ranges, which come from the origin.
    expect((await visit('/larger.bin', { headers: { ...part, range: 'bytes=0-' } })).status).toBe(206);
  });

  test('have a type with which browsers run them', async () => {
    const unknown = 'application/octet-stream';
    const { visit } = await aSite(page(), text('b.mjs', '', unknown), text('f.html', '<p>', unknown));
    const { headers } = await visit('/b.mjs', { headers: part });
    expect(headers['content-type']).toBe('text/javascript; charset=utf-8');
    // A page whose type was unknown is a page in every respect.
    const answer = { headers: { 'content-type': 'text/html' }, text: expect.stringMatching(element) as string };
    expect(await visit('/f.html')).toMatchObject(answer);
  });

  test('are UTF-8 when a text names no charset and has no other bytes', async () => {
    const latin = { ...text('latin.js', '', 'text/javascript'), bytes: Buffer.from('"é"', 'latin1') };
    // The first block ends in a character.
    const large = text('large.js', `"${'é'.repeat(600_000)}"`, 'text/javascript');
    const { visit } = await aSite(page(), latin, large);
    const typeOf = async (target: string) => (await visit(target, { headers: part })).headers['content-type'];
    expect(await typeOf('/latin.js')).toBe('text/javascript');
    expect(await typeOf('/large.js')).toBe('text/javascript; charset=utf-8');
  });
});

describe('a view', () => {
  const entry = page('Entry');
  const app = [entry, page('App', '200.html'), page('Other', 'other.html')];

  test('is a navigation that the entry, or the page of a single-page app, answers with 200 or 304', async () => {
    const { visit, deck: mine } = await aSite(...app);
    const { etag } = (await visit('/')).headers;
    expect(await viewsOf(mine)).toBe(1);
    expect((await visit('/', { headers: { 'if-none-match': etag } })).status).toBe(304);
    for (const target of ['/index.html', '/index', '/some/route']) await visit(target);
    expect(await viewsOf(mine)).toBe(5);
    // A missing header never prevents counting.
    await visit('/', { headers: old });
    // Another deck may open the share link, which gives a new grant.
    await visit('/', { headers: { 'sec-fetch-site': 'same-site' } });
    expect(await viewsOf(mine)).toBe(7);
  });

  test('is nothing else, not even a navigation that another deck starts with a grant from before', async () => {
    const { visit, deck: mine, ticketUrl, cookie } = await aSite(...app);
    for (const target of [new URL(ticketUrl).pathname, '/other', '/200', '/_deck/x']) await visit(target);
    await visit('/', { method: 'HEAD' });
    const frame = { 'sec-fetch-dest': 'iframe', 'sec-fetch-site': 'same-origin' };
    const cookies = ['', cookie.slice(0, -1)].map((each) => ({ cookie: each }));
    const earlier = writeGrant(serviceSecrets.current(), 'grant', newLinkGrant(mine), new Date(Date.now() - 70_000));
    const fromDeck = { cookie: `__Host-deck=${earlier}`, 'sec-fetch-site': 'same-site' };
    for (const headers of [part, { 'sec-purpose': 'prefetch;prerender' }, frame, ...cookies, fromDeck]) {
      await visit('/', { headers });
    }
    expect(await viewsOf(mine)).toBe(0);
  });
});
