import { gzipSync } from 'node:zlib';
import * as bundle from '../../../functions/runtime/bundle.cjs';
import { navigation, requestLocally, type OriginAnswer } from '../../support/deck-origin';
import { words } from '../../support/words';
import { type Account, blob, type Deck, type DeckFile, sha256, startWorld, world } from '../../support/world';

const MB = 1024 * 1024;
const script = `<script>${bundle.framed}</script>`;

let owner: Account;
let deck: Deck;

const html = (path: string, text: string, contentType = 'text/html; charset=utf-8'): DeckFile => {
  return { path, bytes: Buffer.from(text, 'latin1'), contentType };
};
const entry = html('index.html', '<!doctype html>\n<html lang="en"><head>\n<title>Entry</title></head><body>Text');
const other = html('a b/other.html', '<title>Other</title>', 'text/html');
const declared = html('declared.html', '<!doctype html><head><meta charset="windows-1251">\xcf', 'text/html');
const wide = html('wide.html', Buffer.from('\ufeff<html><head>', 'utf16le').toString('latin1'), 'text/html');
const late = html('late.html', `<!-- ${'late '.repeat(MB / 4)} --><html><head>`);
const large = html('large.html', `<!doctype html><head>${'<p>Text</p>\n'.repeat(MB / 4)}`);
const xhtml = html('page.xhtml', '<html xmlns="http://www.w3.org/1999/xhtml"><head/></html>', 'application/xhtml+xml');
const svg = html('image.svg', '<svg xmlns="http://www.w3.org/2000/svg"/>', 'image/svg+xml');
const text = html('plain.txt', '<html><head>', 'text/plain');
const empty = html('empty.html', '');
const film: DeckFile = { ...blob(3000, 'film.mp4'), contentType: 'video/mp4' };
const files = [entry, other, declared, wide, late, large, xhtml, svg, text, empty, film];

startWorld(
  async () => {
    owner = await world.anOwner();
    deck = await world.aDeck(owner, files);
  },
  { deckOrigin: false },
);

const open = (path: string, headers: Record<string, string> = navigation, method = 'GET') =>
  requestLocally(world.framedUrl(deck, encodeURI(path)), { headers, method });
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
  ['the entry', '', entry, '<head>'],
  ['the entry by its path', entry.path, entry, '<head>'],
  ['another page', other.path, other, ''],
  ['a page of several blocks', large.path, large, '<head>'],
])('a browser that opens %s gets it with the runtime', async (_name, path, file, start) => {
  const { status, bytes, headers } = await open(path);
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
  const answer = await open('', headers);
  expect(answer.bytes.equals(entry.bytes)).toBe(true);
  const exact = { etag: `"${sha256(entry.bytes)}"`, 'accept-ranges': 'bytes', vary: 'Sec-Fetch-Mode' };
  expect(answer.headers).toMatchObject({ ...exact, 'content-length': String(entry.bytes.length) });
});

test('a browser that does not tell its mode gets the runtime when it accepts HTML', async () => {
  const answer = await open('', { accept: 'text/html,application/xhtml+xml;q=0.9' });
  expect(answer.text).toContain(script);
});

test.each([xhtml, svg, text, film])('$path is exact, with its own ETag and with ranges', async (file) => {
  expectExact(file, await open(file.path));
  const part = await open(file.path, { ...navigation, range: 'bytes=1-3' });
  expect([part.status, part.bytes.equals(file.bytes.subarray(1, 4))]).toEqual([206, true]);
});

test.each([wide, late, empty])('$path has no place for the runtime, so its bytes are exact', async (file) => {
  const headers = { 'content-type': file.contentType, 'content-length': String(file.bytes.length) };
  for (const method of ['GET', 'HEAD']) {
    const answer = await open(file.path, navigation, method);
    expect(answer.bytes.equals(method === 'GET' ? file.bytes : Buffer.alloc(0))).toBe(true);
    expect(answer.headers).toMatchObject(headers);
  }
});

test('the Content-Type names the encoding whose declaration the runtime moves', async () => {
  const answer = await open(declared.path);
  expect(answer.headers['content-type']).toBe('text/html; charset=windows-1251');
  expect(answer.bytes.equals(withRuntime(declared, '<head>'))).toBe(true);
  expect((await open(declared.path, {})).headers['content-type']).toBe('text/html');
});

test('HEAD has the headers of GET, and ranges of a page with the runtime are ignored', async () => {
  const whole = await open('');
  const { date: _date, 'x-request-id': _id, ...headers } = whole.headers;
  const head = await open('', navigation, 'HEAD');
  expect([head.status, head.bytes.length]).toEqual([200, 0]);
  expect(head.headers).toMatchObject(headers);
  for (const range of ['bytes=0-3', 'bytes=-2', 'bytes=99999999-']) {
    const part = await open('', { ...navigation, range });
    expect([part.status, part.text, part.headers['content-range']]).toEqual([200, whole.text, undefined]);
  }
});

test('304 is answered to the ETag of the answer with the runtime, and to no other', async () => {
  const { headers } = await open('');
  const etag = headers['etag']!;
  const same = await open('', { ...navigation, 'if-none-match': `"x", W/${etag}` });
  expect([same.status, same.bytes.length]).toEqual([304, 0]);
  expect(same.headers).toMatchObject({ etag, vary: 'Sec-Fetch-Mode' });
  expect((await open('', { ...navigation, 'if-none-match': `"${sha256(entry.bytes)}"` })).status).toBe(200);
  expect((await open('', { 'sec-fetch-mode': 'cors', 'if-none-match': etag })).status).toBe(200);
});

test.each(files)('the path form of $path stays exact, also for browsers', async (file) => {
  const { bytes, headers } = await requestLocally(world.viewUrl(deck, encodeURI(file.path)), { headers: navigation });
  expectExact(file, { bytes, headers });
  expect(headers).toMatchObject({ 'content-length': String(file.bytes.length), 'content-type': file.contentType });
});

test('both forms have the same sandbox, headers and errors, and lead to the address with the last slash', async () => {
  const shared = words(`content-security-policy x-content-type-options referrer-policy x-robots-tag cache-control
    cross-origin-resource-policy access-control-allow-origin`);
  /** A page of an error without the id of its request. */
  const withoutId = (text: string) => text.replace(/<code translate="no">[\w-]{36}<\/code>/, '');
  for (const path of [...files.map((file) => file.path), 'absent.html', 'absent.txt']) {
    const plain = await requestLocally(world.viewUrl(deck, encodeURI(path)), { headers: navigation });
    const framed = await open(path);
    const seen = ({ status, headers }: OriginAnswer) => [status, ...shared.map((name) => headers[name])];
    expect(seen(framed)).toEqual(seen(plain));
    if (path.startsWith('absent')) expect(withoutId(framed.text)).toBe(withoutId(plain.text));
  }
  const address = world.framedUrl(deck).slice(0, -1);
  const { status, headers } = await requestLocally(address, { headers: navigation });
  expect([status, new URL(headers['location']!, address).href]).toEqual([308, `${address}/`]);
});

test('views of the framed form count as those of the path form', async () => {
  const mine = await world.aDeck(owner, [entry, other]);
  const { headers } = await requestLocally(world.framedUrl(mine), { headers: navigation, method: 'HEAD' });
  for (const [views, ...request] of [
    [1, {}],
    [2, { 'if-none-match': headers['etag']! }],
    [3, { range: 'bytes=5-9' }],
    [3, { range: 'bytes=5-9', accept: '*/*', 'sec-fetch-mode': 'cors' }],
    [3, {}, 'HEAD'],
    [3, {}, 'GET', encodeURI(other.path)],
  ] as [number, Record<string, string>, string?, string?][]) {
    const [more, method, path] = request;
    await world.visit(world.framedUrl(mine, path), { ...navigation, ...more }, method);
    const { docs } = await world.database.collection(`presentations/${mine.presentationId}/viewCounters`).get();
    const ofToken = docs.filter((counter) => counter.get('tokenId') === mine.tokenId);
    expect(ofToken.reduce((sum, counter) => sum + Number(counter.get('views')), 0)).toBe(views);
  }
});

test('the share page frames the framed form, with its own query but for the token', async () => {
  const answer = await requestLocally(`${deck.shareUrl}&print-pdf&a=%20b&token=x`, { headers: navigation });
  const entryUrl = world.framedUrl(deck, 'index.html');
  expect(answer.text).toContain(`<noscript><iframe src="${entryUrl}?print-pdf&amp;a=%20b"`);
  expect(answer.text).toMatch(/allow="[^"]*; screen-wake-lock"/);
});

test.each(['linked', 'framed', 'outer'] as const)('%s is one line of at most 4 KB, compressed', (name) => {
  expect(gzipSync(bundle[name]).length).toBeLessThanOrEqual(4096);
  expect(bundle[name]).not.toMatch(/\n|<\/script|<!--/i);
});
