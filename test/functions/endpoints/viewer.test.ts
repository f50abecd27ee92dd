import { setTimeout as pause } from 'node:timers/promises';
import { newId } from '../../../functions/src/values/ids';
import { blob, page, sha256, World, type Account, type Deck, type DeckFile } from '../../support/world';

const MB = 1024 * 1024;
let world: World;
let owner: Account;
let deck: Deck;

const entry: DeckFile = { ...page('Entry', 'slides/index.html'), contentType: 'text/html; charset=utf-8' };
const style: DeckFile = { path: 'slides/style ä.css', bytes: Buffer.from('p { color: red }'), contentType: 'text/css' };
const image: DeckFile = {
  path: 'a.svg',
  bytes: Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'),
  contentType: 'image/svg+xml',
};
const pdf: DeckFile = { path: 'a.pdf', bytes: Buffer.from('%PDF-'), contentType: 'application/pdf' };
const empty: DeckFile = { path: 'empty.txt', bytes: Buffer.alloc(0), contentType: 'text/plain' };
const video = { ...blob(3 * MB, 'video.mp4'), contentType: 'video/mp4' };

beforeAll(async () => {
  world = await World.start();
  owner = await world.anOwner();
  deck = await world.aDeck(owner, [entry, style, image, pdf, empty, video], 'Quarter <1> & "plans"');
});
afterAll(() => world.stop());

const view = (path: string, init: RequestInit = {}, of: Pick<Deck, 'presentationId' | 'token'> = deck) =>
  fetch(world.viewUrl(of, path), { redirect: 'manual', ...init });
const flat = (id: string, path: string, token: string) =>
  fetch(`${world.cloud.baseUrl}/getSharedPresentation/${id}${path}${token && `?token=${token}`}`, {
    redirect: 'manual',
  });
const totals = async (of = deck) => {
  const { data } = await world.call<{
    presentations: { id: string; totalViews: number; lastViewedAt: string | null }[];
  }>('listMyPresentations', undefined, { key: owner.key });
  const { totalViews, lastViewedAt } = data.presentations.find(({ id }) => id === of.presentationId)!;
  return { totalViews, lastViewedAt };
};

describe('the viewer', () => {
  test('serves the entry at the empty path and at its own path, with its headers', async () => {
    for (const path of ['', 'slides/index.html']) {
      const response = await view(path);
      expect(response.status).toBe(200);
      expect(Buffer.from(await response.arrayBuffer())).toEqual(entry.bytes);
      expect(Object.fromEntries(response.headers)).toMatchObject({
        'content-type': 'text/html; charset=utf-8',
        'content-length': String(entry.bytes.length),
        etag: `"${sha256(entry.bytes)}"`,
        'cache-control': 'private, max-age=300, must-revalidate',
        'accept-ranges': 'bytes',
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'x-robots-tag': 'noindex, nofollow',
        'cross-origin-resource-policy': 'cross-origin',
        'access-control-allow-origin': '*',
      });
      expect(response.headers.get('set-cookie')).toBeNull();
      expect(response.headers.get('x-powered-by')).toBeNull();
    }
  });

  test('sandboxes what can run scripts and nothing else, never with the origin of the service', async () => {
    for (const { path } of [entry, image]) {
      const policy = (await view(path)).headers.get('content-security-policy');
      expect(policy).toMatch(/^sandbox allow-scripts/);
      expect(policy).not.toMatch(/allow-same-origin|allow-top-navigation/);
    }
    for (const { path } of [style, pdf, video]) {
      expect((await view(encodeURI(path))).headers.get('content-security-policy')).toBeNull();
    }
  });

  test('finds files by their decoded path, in either Unicode form', async () => {
    for (const path of [encodeURI(style.path), encodeURI(style.path.normalize('NFD'))]) {
      const response = await view(path);
      expect([response.status, await response.text()]).toEqual([200, style.bytes.toString()]);
    }
  });

  test('serves the flat form of the URL', async () => {
    expect(await (await flat(deck.presentationId, '', deck.token)).text()).toBe(entry.bytes.toString());
    expect((await flat(deck.presentationId, '/a.svg', deck.token)).headers.get('content-type')).toBe('image/svg+xml');
    const query = `?presentationId=${deck.presentationId}&token=${deck.token}`;
    expect((await fetch(`${world.cloud.baseUrl}/getSharedPresentation${query}`)).status).toBe(200);
  });

  test('redirects the path form without its trailing slash to the form with the slash', async () => {
    const response = await fetch(world.viewUrl(deck).slice(0, -1), { redirect: 'manual' });
    expect(response.status).toBe(308);
    expect(new URL(response.headers.get('location')!, world.viewUrl(deck).slice(0, -1)).href).toBe(world.viewUrl(deck));
  });

  test('gives the same 404 for an unknown deck, a wrong token, no token and an unknown file', async () => {
    const other = await world.aDeck(owner, [page()]);
    const id = deck.presentationId;
    const answers = await Promise.all([
      view('x.css'),
      view('x.css', {}, { presentationId: newId(), token: deck.token }),
      view('x.css', {}, { presentationId: id, token: other.token }),
      view('x.css', {}, { presentationId: id, token: 'short' }),
      view('x.css', {}, { presentationId: 'no-id', token: deck.token }),
      view('a.svg', {}, { presentationId: id, token: other.token }),
      flat(id, '/a.svg', ''),
      flat(id, '/a.svg', other.token),
      view('a.svg/', {}),
    ]);
    const seen = await Promise.all(
      answers.map(async (answer) => {
        const { date, 'x-request-id': _id, ...headers } = Object.fromEntries(answer.headers);
        expect(date).toBeTruthy();
        return JSON.stringify([answer.status, headers, await answer.text()]);
      }),
    );
    expect([...new Set(seen)]).toEqual([seen[0]]);
    expect(JSON.parse(seen[0]!)[0]).toBe(404);
    for (const answer of answers) expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect((await view('', {}, { presentationId: newId(), token: deck.token })).headers.get('content-type')).toContain(
      'text/html',
    );
  });

  test('answers 400 without a deck and 405 to other methods', async () => {
    expect((await fetch(`${world.cloud.baseUrl}/getSharedPresentation`)).status).toBe(400);
    const response = await view('', { method: 'POST' });
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS']);
  });

  test('answers 403 for a revoked token and 410 for an expired deck at the very next request', async () => {
    const mine = await world.aDeck(owner, [page()]);
    const tokens = world.database.collection(`presentations/${mine.presentationId}/shareTokens`);
    expect((await view('', {}, mine)).status).toBe(200);
    await tokens.doc(mine.tokenId).update({ revokedAt: new Date() });
    expect((await view('', {}, mine)).status).toBe(403);
    await tokens.doc(mine.tokenId).update({ revokedAt: null });
    expect((await view('', {}, mine)).status).toBe(200);
    await world.database.doc(`presentations/${mine.presentationId}`).update({ expiresAt: new Date(Date.now() - 1) });
    expect((await view('', {}, mine)).status).toBe(410);
    await world.database.doc(`presentations/${mine.presentationId}`).delete();
    expect((await view('', {}, mine)).status).toBe(404);
  });

  test('answers 410 for a deck that was taken down, also when the clock of the operator is ahead', async () => {
    const mine = await world.aDeck(owner, [page()]);
    const deck = world.database.doc(`presentations/${mine.presentationId}`);
    for (const expiresAt of [null, new Date(Date.now() - 1)]) {
      await deck.update({ expiresAt, takedown: { at: new Date(Date.now() + 3600_000), reason: 'x' } });
      expect((await view('', {}, mine)).status).toBe(410);
    }
  });

  test('shows the new version through the same link, and the old one through a pinned token', async () => {
    const mine = await world.aDeck(owner, [page('one')]);
    await world.uploadAll(owner, { presentationId: mine.presentationId }, [page('two')]);
    const stored = world.database.doc(`presentations/${mine.presentationId}`);
    const first = (await stored.get()).get('current') as object;
    await world.commit(owner, { presentationId: mine.presentationId }, [page('two')]);
    expect(await (await view('', {}, mine)).text()).toContain('two');
    await stored.collection('shareTokens').doc(mine.tokenId).update({ pinned: first });
    expect(await (await view('', {}, mine)).text()).toContain('one');
  });

  test('serves ranges, and refuses a range past the end', async () => {
    for (const [range, start, end] of [
      ['bytes=0-9', 0, 9],
      ['bytes=2000000-', 2_000_000, 3 * MB - 1],
      ['bytes=-5', 3 * MB - 5, 3 * MB - 1],
    ] as const) {
      const response = await view('video.mp4', { headers: { range } });
      expect(response.status).toBe(206);
      expect(response.headers.get('content-range')).toBe(`bytes ${start}-${end}/${3 * MB}`);
      expect(Buffer.from(await response.arrayBuffer()).equals(video.bytes.subarray(start, end + 1))).toBe(true);
    }
    // A small file is answered from memory, not streamed.
    const entry = Buffer.from(await (await view('')).arrayBuffer());
    const part = await view('', { headers: { range: 'bytes=3-9' } });
    expect([part.status, part.headers.get('content-range')]).toEqual([206, `bytes 3-9/${entry.length}`]);
    expect(Buffer.from(await part.arrayBuffer()).equals(entry.subarray(3, 10))).toBe(true);
    const past = await view('video.mp4', { headers: { range: `bytes=${3 * MB}-` } });
    expect([past.status, past.headers.get('content-range')]).toEqual([416, `bytes */${3 * MB}`]);
    expect((await view('empty.txt', { headers: { range: 'bytes=0-' } })).status).toBe(416);
  });

  test('serves an empty file, and HEAD without a body', async () => {
    const nothing = await view('empty.txt');
    expect([nothing.status, nothing.headers.get('content-length'), await nothing.text()]).toEqual([200, '0', '']);
    const head = await view('video.mp4', { method: 'HEAD' });
    expect([head.status, head.headers.get('content-length'), await head.text()]).toEqual([200, String(3 * MB), '']);
  });

  test('answers 304 without a body to the current ETag', async () => {
    const etag = (await view('a.svg')).headers.get('etag')!;
    const response = await view('a.svg', { headers: { 'if-none-match': `W/${etag}` } });
    expect([response.status, await response.text(), response.headers.get('content-length')]).toEqual([304, '', null]);
    expect(response.headers.get('etag')).toBe(etag);
  });
});

describe('views', () => {
  test('are counted for whole entries and 304s, not for ranges, HEAD, assets, errors or the share page', async () => {
    const mine = await world.aDeck(owner, [page(), { ...style, path: 'style.css' }]);
    expect(await totals(mine)).toEqual({ totalViews: 0, lastViewedAt: null });
    const visit = (path: string, headers = {}, method = 'GET') =>
      world.visit(world.viewUrl(mine, path), headers, method);
    const counted = [
      await visit(''),
      await visit('index.html'),
      await visit('', { 'if-none-match': `"${sha256(page().bytes)}"` }),
      await visit('', { range: 'bytes=0-3' }),
    ];
    expect(counted).toEqual([200, 200, 304, 206]);
    expect((await totals(mine)).totalViews).toBe(4);

    const others = [
      await visit('', {}, 'HEAD'),
      await visit('', { range: 'bytes=3-' }),
      await visit('', { range: 'bytes=1000000-' }),
      await visit('style.css'),
      await visit('none.html'),
      await world.visit(mine.shareUrl),
    ];
    expect(others).toEqual([200, 206, 416, 200, 404, 200]);
    const { totalViews, lastViewedAt } = await totals(mine);
    expect(totalViews).toBe(4);
    expect(Math.abs(Date.now() - Date.parse(lastViewedAt!))).toBeLessThan(60_000);
  });

  test('are exact under 100 parallel views, and spread over shards', async () => {
    const mine = await world.aDeck(owner, [page()]);
    await Promise.all(Array.from({ length: 100 }, () => world.visit(world.viewUrl(mine))));
    expect((await totals(mine)).totalViews).toBe(100);
    // Parallel views share commits. Each of these has its own, in a random shard of 32.
    for (let i = 0; i < 60; i++) await world.visit(world.viewUrl(mine));
    const counters = await world.database.collection(`presentations/${mine.presentationId}/viewCounters`).get();
    const ofToken = counters.docs.filter((document) => document.get('tokenId') === mine.tokenId);
    expect(ofToken.reduce((sum, document) => sum + Number(document.get('views')), 0)).toBe(160);
    expect(ofToken.length).toBeGreaterThan(10);
  });

  test('are spread over shards when other instances contend for the counter', async () => {
    const mine = await world.aDeck(owner, [page()]);
    const stored = world.database.doc(`presentations/${mine.presentationId}`);
    const counter = stored.collection('viewCounters').doc('deck-0');
    // Another client's transaction locks the counter for longer than an uncontended commit takes, 2 s.
    let release = () => {};
    const released = new Promise<void>((resolve) => (release = resolve));
    let hold = () => {};
    const held = new Promise<void>((resolve) => (hold = resolve));
    const busy = world.database.runTransaction(async (tx) => {
      await tx.get(counter);
      hold();
      await released;
    });
    await held;
    // The view does not wait for the lock.
    process.env['VIEW_PATIENCE_MS'] = '1';
    expect(await world.visit(world.viewUrl(mine))).toBe(200);
    process.env['VIEW_PATIENCE_MS'] = '100000';
    const counted = new Promise<void>((resolve) => {
      const stop = counter.onSnapshot((now) => {
        if (!now.exists) return;
        stop();
        resolve();
      });
    });
    await pause(2500);
    release();
    await busy;
    await counted;
    const isWide = async () => (await stored.get()).get('viewShards') === 32;
    expect(await isWide()).toBe(false);
    // The function may get its commit's answer after this test does. Without contention, five views in
    // total are too few to start sharding.
    let views = 1;
    for (; views < 4 && !(await isWide()); views++) expect(await world.visit(world.viewUrl(mine))).toBe(200);
    expect(await isWide()).toBe(true);
    expect((await totals(mine)).totalViews).toBe(views);
  });

  test('are served when counting them fails or is slow', async () => {
    const mine = await world.aDeck(owner, [page()]);
    // A transaction locks the counter during the whole view, so that the view's increment has to wait.
    const counter = world.database.doc(`presentations/${mine.presentationId}/viewCounters/deck-0`);
    process.env['VIEW_PATIENCE_MS'] = '1';
    await world.database.runTransaction(async (tx) => {
      await tx.get(counter);
      const response = await view('', {}, mine);
      expect([response.status, await response.text()]).toEqual([200, page().bytes.toString()]);
      tx.set(counter, { tokenId: null, views: 0, lastViewedAt: new Date() });
    });
    process.env['VIEW_PATIENCE_MS'] = '100000';
  });
});

describe('the share page', () => {
  test('frames the deck in a sandbox, with its title escaped and the token only in the frame', async () => {
    const response = await fetch(deck.shareUrl);
    const html = await response.text();
    expect(response.status).toBe(200);
    expect(html).toContain('<title>Quarter &lt;1> &amp; &quot;plans&quot;</title>');
    expect(html).toContain(`src="${world.framedUrl(deck, 'slides/index.html')}"`);
    expect(html.split(deck.token)).toHaveLength(2);
    expect(html).toMatch(/sandbox="allow-scripts[^"]*"/);
    expect(html).not.toMatch(/allow-same-origin|allow-top-navigation/);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'content-type': 'text/html; charset=utf-8',
    });
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
  });

  test('does not open without the token of the deck', async () => {
    const [address] = deck.shareUrl.split('?') as [string];
    const other = await world.aDeck(owner);
    for (const url of [`${address}?token=${other.token}`, address, `${world.cloud.hostingUrl}/share/`]) {
      const response = await fetch(url);
      expect([response.status, /<h1>(.*)<\/h1>/.exec(await response.text())?.[1]]).toEqual([
        404,
        'This link does not open a presentation',
      ]);
    }
  });
});
