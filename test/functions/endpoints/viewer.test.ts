import { gzipSync } from 'node:zlib';
import * as bundle from '../../../functions/runtime/bundle.cjs';
import { newId } from '../../../functions/src/values/ids';
import { atSite, navigation, requestLocally, type OriginAnswer } from '../../support/deck-origin';
import { words } from '../../support/words';
import { blob, page, sha256, startWorld, world, type Account, type Deck, type DeckFile } from '../../support/world';

/** The path form of decks, and the form that is in a frame, whose pages have the runtime. */

const MB = 1024 * 1024;
let owner: Account;
let deck: Deck;

const entry = page('Entry', 'slides/index.html');
const style: DeckFile = { path: 'slides/style ä.css', bytes: Buffer.from('p { color: red }'), contentType: 'text/css' };
const image: DeckFile = { path: 'a.svg', bytes: Buffer.from('<svg/>'), contentType: 'image/svg+xml' };
const pdf: DeckFile = { path: 'a.pdf', bytes: Buffer.from('%PDF-'), contentType: 'application/pdf' };
const empty: DeckFile = { path: 'empty.txt', bytes: Buffer.alloc(0), contentType: 'text/plain' };
const video = { ...blob(3 * MB, 'video.mp4'), contentType: 'video/mp4' };

startWorld(async () => {
  owner = await world.anOwner();
  deck = await world.aDeck(owner, [entry, style, image, pdf, empty, video], 'Quarter <1> & "plans"');
});

type Viewed = Pick<Deck, 'presentationId' | 'token'>;
const view = (path: string, init: RequestInit = {}, of: Viewed = deck) =>
  fetch(world.viewUrl(of, path), { redirect: 'manual', ...init });
const bytesOf = async (answer: Response) => Buffer.from(await answer.arrayBuffer());
const flat = (id: string, path: string, token: string) =>
  fetch(`${world.cloud.baseUrl}/getSharedPresentation/${id}${path}${token && `?token=${token}`}`);
const deckDoc = ({ presentationId }: Viewed) => world.database.doc(`presentations/${presentationId}`);
const totals = async (of = deck) => {
  type List = { presentations: { id: string; totalViews: number; lastViewedAt: string | null }[] };
  const { data } = await world.call<List>('listMyPresentations', undefined, { key: owner.key });
  const { totalViews, lastViewedAt } = data.presentations.find(({ id }) => id === of.presentationId)!;
  return { totalViews, lastViewedAt };
};

describe('the viewer', () => {
  test('serves the entry at the empty path and at its own path, with its headers', async () => {
    for (const path of ['', 'slides/index.html']) {
      const response = await view(path);
      expect([response.status, await bytesOf(response)]).toEqual([200, entry.bytes]);
      const headers = Object.fromEntries(response.headers);
      expect(headers).toMatchObject({
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
      for (const name of ['set-cookie', 'x-powered-by']) expect(headers).not.toHaveProperty(name);
    }
  });

  test('sandboxes what can run scripts and nothing else, never with the origin of the service', async () => {
    const policyOf = async ({ path }: DeckFile) => (await view(encodeURI(path))).headers.get('content-security-policy');
    for (const file of [entry, image]) {
      expect(await policyOf(file)).toMatch(/^sandbox allow-scripts(?!.*(allow-same-origin|allow-top-navigation))/);
    }
    expect(await Promise.all([style, pdf, video].map(policyOf))).toEqual([null, null, null]);
  });

  test('finds files by their decoded path, in either Unicode form', async () => {
    for (const path of [encodeURI(style.path), encodeURI(style.path.normalize('NFD'))]) {
      const response = await view(path);
      expect([response.status, await response.text()]).toEqual([200, style.bytes.toString()]);
    }
  });

  test('serves the flat form of the URL, and redirects the path form without its last slash', async () => {
    expect(await (await flat(deck.presentationId, '', deck.token)).text()).toBe(entry.bytes.toString());
    expect((await flat(deck.presentationId, '/a.svg', deck.token)).headers.get('content-type')).toBe('image/svg+xml');
    const bare = `${world.cloud.baseUrl}/getSharedPresentation`;
    const byQuery = `${bare}?presentationId=${deck.presentationId}&token=${deck.token}`;
    expect(await world.visit(byQuery)).toBe(200);
    expect((await fetch(`${byQuery}&assetPath=a.svg`)).headers.get('content-type')).toBe('image/svg+xml');
    expect(await world.visit(bare)).toBe(400);
    const address = world.viewUrl(deck).slice(0, -1);
    const response = await fetch(address, { redirect: 'manual' });
    expect([response.status, new URL(response.headers.get('location')!, address).href]).toEqual([308, `${address}/`]);
  });

  test('gives the same 404 for an unknown deck, a wrong token, no token and an unknown file', async () => {
    const other = await world.aDeck(owner);
    const { presentationId, token } = deck;
    const answers = await Promise.all([
      view('x.css'),
      view('x.css', {}, { presentationId: newId(), token }),
      view('x.css', {}, { presentationId, token: other.token }),
      view('x.css', {}, { presentationId, token: 'short' }),
      view('x.css', {}, { presentationId: 'no-id', token }),
      view('a.svg', {}, { presentationId, token: other.token }),
      flat(presentationId, '/a.svg', ''),
      flat(presentationId, '/a.svg', other.token),
      view('a.svg/', {}),
    ]);
    const [first, ...others] = await Promise.all(
      answers.map(async (answer) => {
        const { date: _, 'x-request-id': __, ...headers } = Object.fromEntries(answer.headers);
        return [answer.status, headers, await answer.text()];
      }),
    );
    expect(others).toEqual(Array(8).fill(first));
    expect(first).toMatchObject([404, { 'content-type': 'text/plain; charset=utf-8' }, expect.any(String)]);
    const missing = await view('', {}, { presentationId: newId(), token });
    expect(missing.headers.get('content-type')).toContain('text/html');
  });

  test('serves ranges, and refuses a range past the end', async () => {
    for (const [file, path, range, start, end] of [
      [video, 'video.mp4', 'bytes=0-9', 0, 9],
      [video, 'video.mp4', 'bytes=2000000-', 2_000_000, 3 * MB - 1],
      [video, 'video.mp4', 'bytes=-5', 3 * MB - 5, 3 * MB - 1],
      // A small file is answered from memory, not streamed.
      [entry, '', 'bytes=3-9', 3, 9],
    ] as const) {
      const response = await view(path, { headers: { range } });
      const part = `bytes ${start}-${end}/${file.bytes.length}`;
      expect([response.status, response.headers.get('content-range')]).toEqual([206, part]);
      expect((await bytesOf(response)).equals(file.bytes.subarray(start, end + 1))).toBe(true);
    }
    const past = await view('video.mp4', { headers: { range: `bytes=${3 * MB}-` } });
    expect([past.status, past.headers.get('content-range')]).toEqual([416, `bytes */${3 * MB}`]);
    expect((await view('empty.txt', { headers: { range: 'bytes=0-' } })).status).toBe(416);
  });

  test('serves an empty file, HEAD without a body, and 304 to the current ETag', async () => {
    const look = async (path: string, init?: RequestInit) => {
      const answer = await view(path, init);
      return [answer.status, answer.headers.get('content-length'), await answer.text()];
    };
    expect(await look('empty.txt')).toEqual([200, '0', '']);
    expect(await look('video.mp4', { method: 'HEAD' })).toEqual([200, String(3 * MB), '']);
    const etag = `W/"${sha256(image.bytes)}"`;
    expect(await look('a.svg', { headers: { 'if-none-match': etag } })).toEqual([304, null, '']);
  });
});

describe('views', () => {
  test('are counted for whole entries and 304s, not for ranges, HEAD, assets, errors or the share page', async () => {
    const mine = await world.aDeck(owner, [page(), { ...style, path: 'style.css' }]);
    expect(await totals(mine)).toEqual({ totalViews: 0, lastViewedAt: null });

    expect(await world.visit(mine.shareUrl)).toBe(200);
    for (const [status, views, path, headers, method] of [
      [200, 1, '', {}, 'GET'],
      [200, 2, 'index.html', {}, 'GET'],
      [304, 3, '', { 'if-none-match': `"${sha256(page().bytes)}"` }, 'GET'],
      [206, 4, '', { range: 'bytes=0-3' }, 'GET'],
      [200, 4, '', {}, 'HEAD'],
      [206, 4, '', { range: 'bytes=3-' }, 'GET'],
      [416, 4, '', { range: 'bytes=1000000-' }, 'GET'],
      [200, 4, 'style.css', {}, 'GET'],
      [404, 4, 'none.html', {}, 'GET'],
    ] as const) {
      expect(await world.visit(world.viewUrl(mine, path), headers, method)).toBe(status);
      expect((await totals(mine)).totalViews).toBe(views);
    }
    expect(Math.abs(Date.now() - Date.parse((await totals(mine)).lastViewedAt!))).toBeLessThan(60_000);
  });

  test('are exact under 100 parallel views, and spread over shards', async () => {
    const mine = await world.aDeck(owner);
    await Promise.all(Array.from({ length: 100 }, () => world.visit(world.viewUrl(mine))));
    expect((await totals(mine)).totalViews).toBe(100);
    // Parallel views share commits. Each of these has its own, in a random shard of 32.
    for (let i = 0; i < 30; i++) await world.visit(world.viewUrl(mine));
    expect((await totals(mine)).totalViews).toBe(130);
    const counters = await deckDoc(mine).collection('viewCounters').get();
    const ofToken = counters.docs.filter((document) => document.get('tokenId') === mine.tokenId);
    expect(ofToken.reduce((sum, document) => sum + Number(document.get('views')), 0)).toBe(130);
    expect(ofToken.length).toBeGreaterThan(10);
  });

  test('are served when counting them fails or is slow', async () => {
    const mine = await world.aDeck(owner);
    // A transaction locks the counter during the whole view, so that the view's increment has to wait.
    const counter = deckDoc(mine).collection('viewCounters').doc('deck-0');
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

describe('the form in a frame', () => {
  const script = `<script>${bundle.framed}</script>`;
  let framedDeck: Deck;

  const html = (path: string, text: string, contentType = 'text/html; charset=utf-8'): DeckFile => {
    return { path, bytes: Buffer.from(text, 'latin1'), contentType };
  };
  const framedEntry = html('index.html', '<!doctype html>\n<html lang="en"><head>\n<title>Entry</title></head><body>');
  const other = html('a b/other.html', '<title>Other</title>', 'text/html');
  const declared = html('declared.html', '<!doctype html><head><meta charset="windows-1251">\xcf', 'text/html');
  const wide = html('wide.html', Buffer.from('\ufeff<html><head>', 'utf16le').toString('latin1'), 'text/html');
  const late = html('late.html', `<!-- ${'late '.repeat(MB / 4)} --><html><head>`);
  const large = html('large.html', `<!doctype html><head>${'<p>Text</p>\n'.repeat(MB / 4)}`);
  const xhtml = html('a.xhtml', '<html xmlns="http://www.w3.org/1999/xhtml"><head/></html>', 'application/xhtml+xml');
  const svg = html('image.svg', '<svg xmlns="http://www.w3.org/2000/svg"/>', 'image/svg+xml');
  const text = html('plain.txt', '<html><head>', 'text/plain');
  const emptyPage = html('empty.html', '');
  const film: DeckFile = { ...blob(3000, 'film.mp4'), contentType: 'video/mp4' };
  const files = [framedEntry, other, declared, wide, late, large, xhtml, svg, text, emptyPage, film];

  beforeAll(async () => (framedDeck = await world.aDeck(owner, files)));

  const openFramed = (path: string, headers: Record<string, string> = navigation, method = 'GET') =>
    requestLocally(world.framedUrl(framedDeck, encodeURI(path)), { headers, method });
  /** The bytes of a page with the runtime behind `start`. */
  const withRuntime = (file: DeckFile, start: string) => {
    const at = file.bytes.indexOf(start) + start.length;
    return Buffer.concat([file.bytes.subarray(0, at), Buffer.from(script), file.bytes.subarray(at)]);
  };
  function expectExact(file: DeckFile, { bytes, headers }: Pick<OriginAnswer, 'bytes' | 'headers'>): void {
    expect(bytes.equals(file.bytes)).toBe(true);
    expect(headers).toMatchObject({ etag: `"${sha256(file.bytes)}"`, 'accept-ranges': 'bytes' });
    expect(headers['vary']).toBeUndefined();
  }

  test.each([
    ['the entry', '', framedEntry, '<head>'],
    ['the entry by its path', framedEntry.path, framedEntry, '<head>'],
    ['another page', other.path, other, ''],
    ['a page of several blocks', large.path, large, '<head>'],
  ])('a browser that opens %s gets it with the runtime', async (_name, path, file, start) => {
    const { status, bytes, headers } = await openFramed(path);
    const expected = withRuntime(file, start);
    expect([status, bytes.equals(expected), headers['accept-ranges']]).toEqual([200, true, undefined]);
    expect(headers).toMatchObject({
      'content-type': file.contentType,
      'content-length': String(expected.length),
      'cache-control': 'private, max-age=300, must-revalidate',
      vary: 'Sec-Fetch-Mode',
      etag: expect.stringMatching(new RegExp(`^"${sha256(file.bytes)}-[0-9a-f]{16}"$`)),
    });
  });

  test.each([
    ['a script that reads it', { 'sec-fetch-mode': 'cors' }],
    ['a script of another kind', { 'sec-fetch-mode': 'no-cors', accept: 'text/html' }],
    ['a program', {}],
    ['a program that accepts anything', { accept: '*/*' }],
  ])('%s gets the exact page', async (_name, headers) => {
    const answer = await openFramed('', headers);
    expect(answer.bytes.equals(framedEntry.bytes)).toBe(true);
    const exact = { etag: `"${sha256(framedEntry.bytes)}"`, 'accept-ranges': 'bytes', vary: 'Sec-Fetch-Mode' };
    expect(answer.headers).toMatchObject({ ...exact, 'content-length': String(framedEntry.bytes.length) });
  });

  test('a browser that does not tell its mode gets the runtime when it accepts HTML', async () => {
    const answer = await openFramed('', { accept: 'text/html,application/xhtml+xml;q=0.9' });
    expect(answer.text).toContain(script);
  });

  test.each([xhtml, svg, text, film])('$path is exact, with its own ETag and with ranges', async (file) => {
    expectExact(file, await openFramed(file.path));
    const part = await openFramed(file.path, { ...navigation, range: 'bytes=1-3' });
    expect([part.status, part.bytes.equals(file.bytes.subarray(1, 4))]).toEqual([206, true]);
  });

  test.each([wide, late, emptyPage])('$path has no place for the runtime, so its bytes are exact', async (file) => {
    const headers = { 'content-type': file.contentType, 'content-length': String(file.bytes.length) };
    for (const method of ['GET', 'HEAD']) {
      const answer = await openFramed(file.path, navigation, method);
      expect(answer.bytes.equals(method === 'GET' ? file.bytes : Buffer.alloc(0))).toBe(true);
      expect(answer.headers).toMatchObject(headers);
    }
  });

  test('the Content-Type names the encoding whose declaration the runtime moves', async () => {
    const answer = await openFramed(declared.path);
    expect(answer.headers['content-type']).toBe('text/html; charset=windows-1251');
    expect(answer.bytes.equals(withRuntime(declared, '<head>'))).toBe(true);
    expect((await openFramed(declared.path, {})).headers['content-type']).toBe('text/html');
  });

  test('HEAD has the headers of GET, and ranges of a page with the runtime are ignored', async () => {
    const whole = await openFramed('');
    const { date: _date, 'x-request-id': _id, ...headers } = whole.headers;
    const head = await openFramed('', navigation, 'HEAD');
    expect([head.status, head.bytes.length]).toEqual([200, 0]);
    expect(head.headers).toMatchObject(headers);
    for (const range of ['bytes=0-3', 'bytes=-2', 'bytes=99999999-']) {
      const part = await openFramed('', { ...navigation, range });
      expect([part.status, part.text, part.headers['content-range']]).toEqual([200, whole.text, undefined]);
    }
  });

  test('304 is answered to the ETag of the answer with the runtime, and to no other', async () => {
    const etag = (await openFramed('')).headers['etag']!;
    const asked = (known: string, headers = navigation) => openFramed('', { ...headers, 'if-none-match': known });
    const same = await asked(`"x", W/${etag}`);
    expect([same.status, same.bytes.length]).toEqual([304, 0]);
    expect(same.headers).toMatchObject({ etag, vary: 'Sec-Fetch-Mode' });
    expect((await asked(`"${sha256(framedEntry.bytes)}"`)).status).toBe(200);
    expect((await asked(etag, { ...navigation, 'sec-fetch-mode': 'cors' })).status).toBe(200);
  });

  test('the path form is exact for browsers, too, with the same sandbox, headers and errors and last slash', async () => {
    const shared = words(`content-security-policy x-content-type-options referrer-policy x-robots-tag cache-control
    cross-origin-resource-policy access-control-allow-origin`);
    /** A page of an error without the id of its request. */
    const withoutId = (text: string) => text.replace(/<code translate="no">[\w-]{36}<\/code>/, '');
    const absent = ['absent.html', 'absent.txt'].map((path) => ({ path, bytes: undefined }));
    for (const file of [...files, ...absent]) {
      const { path } = file;
      const plain = await requestLocally(world.viewUrl(framedDeck, encodeURI(path)), { headers: navigation });
      const framed = await openFramed(path);
      const seen = ({ status, headers }: OriginAnswer) => [status, ...shared.map((name) => headers[name])];
      expect(seen(framed)).toEqual(seen(plain));
      if (file.bytes) {
        const { contentType, bytes } = file;
        expectExact(file, plain);
        expect(plain.headers).toMatchObject({ 'content-length': String(bytes.length), 'content-type': contentType });
      } else expect(withoutId(framed.text)).toBe(withoutId(plain.text));
    }
    const address = world.framedUrl(framedDeck).slice(0, -1);
    const { status, headers } = await requestLocally(address, { headers: navigation });
    expect([status, new URL(headers['location']!, address).href]).toEqual([308, `${address}/`]);
  });

  test('views of the framed form count as those of the path form', async () => {
    const mine = await world.aDeck(owner, [framedEntry, other]);
    const { headers } = await requestLocally(world.framedUrl(mine), { headers: navigation, method: 'HEAD' });
    for (const [views, more, path] of [
      [1, {}, ''],
      [2, { 'if-none-match': headers['etag']! }, ''],
      // A page with the runtime is sent whole.
      [3, { range: 'bytes=5-9' }, ''],
      [3, { range: 'bytes=5-9', accept: '*/*', 'sec-fetch-mode': 'cors' }, ''],
      [3, {}, encodeURI(other.path)],
    ] as const) {
      await world.visit(world.framedUrl(mine, path), { ...navigation, ...more });
      expect((await totals(mine)).totalViews).toBe(views);
    }
  });

  test('is framed by the share page when decks have no origins, with the query of the page but for the token', async () => {
    process.env['DECK_ORIGIN'] = '';
    const url = `${framedDeck.shareUrl}&print-pdf&a=%20b&token=x`;
    const answer = await requestLocally(atSite(url), { headers: navigation });
    process.env['DECK_ORIGIN'] = world.cloud.deckOrigin!;
    const entryUrl = world.framedUrl(framedDeck, 'index.html');
    expect(answer.text).toContain(`<noscript><iframe src="${entryUrl}?print-pdf&amp;a=%20b"`);
    expect(answer.text).toMatch(/allow="[^"]*; screen-wake-lock"/);
  });
});

test.each([
  ['linked', 6],
  ['framed', 6],
  ['outer', 1],
] as const)('%s is one line of at most %i KB, compressed', (name, kilobytes) => {
  expect(gzipSync(bundle[name]).length).toBeLessThanOrEqual(kilobytes * 1024);
  expect(bundle[name]).not.toMatch(/\n|<\/script|<!--/i);
});
