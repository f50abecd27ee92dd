import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { signedBlobUrl } from '../../../functions/src/blobs/blobs';
import { readBytes } from '../../../functions/src/blobs/blocks';
import { BackendTimeout, withinCall, withinTimeout } from '../../../functions/src/deadlines';
import { newId } from '../../../functions/src/values/ids';
import { startBucketGateway, type BucketGateway } from '../../support/bucket-gateway';
import { startHttpFaults } from '../../support/faults';
import { requestLineOf } from '../../support/request-lines';
import { bucket } from '../../support/whole-store';
import { blob, manifestRow, page, sha256, World, type Account, type Deck, type DeckFile } from '../../support/world';

const MB = 1024 * 1024;
let world: World;
let gateway: BucketGateway;
let owner: Account;
let deck: Deck;

const entry = page('Entry', 'slides/index.html');
const style: DeckFile = { path: 'slides/style ä.css', bytes: Buffer.from('p { color: red }'), contentType: 'text/css' };
const image: DeckFile = { path: 'a.svg', bytes: Buffer.from('<svg/>'), contentType: 'image/svg+xml' };
const pdf: DeckFile = { path: 'a.pdf', bytes: Buffer.from('%PDF-'), contentType: 'application/pdf' };
const empty: DeckFile = { path: 'empty.txt', bytes: Buffer.alloc(0), contentType: 'text/plain' };
const video = { ...blob(3 * MB, 'video.mp4'), contentType: 'video/mp4' };

beforeAll(async () => {
  world = await World.start();
  gateway = await startBucketGateway(world.cloud.storage.url);
  // The functions make their bucket client at their first call, so the variable is set before it.
  process.env['STORAGE_EMULATOR_HOST'] = gateway.url;
  process.env['FIREBASE_STORAGE_EMULATOR_HOST'] = new URL(gateway.url).host;
  owner = await world.anOwner();
  deck = await world.aDeck(owner, [entry, style, image, pdf, empty, video], 'Quarter <1> & "plans"');
});
afterAll(async () => {
  await world.stop();
  await gateway.close();
});

type Viewed = Pick<Deck, 'presentationId' | 'token'>;
const view = (path: string, init: RequestInit = {}, of: Viewed = deck) =>
  fetch(world.viewUrl(of, path), { redirect: 'manual', ...init });
/** Opens the entry of a deck, and returns the status. */
const open = async (of: Viewed) => (await view('', {}, of)).status;
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
      expect(response.status).toBe(200);
      expect(await bytesOf(response)).toEqual(entry.bytes);
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
      expect([response.headers.get('set-cookie'), response.headers.get('x-powered-by')]).toEqual([null, null]);
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

  test('serves the flat form of the URL, and redirects the path form without its last slash', async () => {
    expect(await (await flat(deck.presentationId, '', deck.token)).text()).toBe(entry.bytes.toString());
    expect((await flat(deck.presentationId, '/a.svg', deck.token)).headers.get('content-type')).toBe('image/svg+xml');
    const query = `?presentationId=${deck.presentationId}&token=${deck.token}`;
    expect((await fetch(`${world.cloud.baseUrl}/getSharedPresentation${query}`)).status).toBe(200);
    expect((await fetch(`${world.cloud.baseUrl}/getSharedPresentation`)).status).toBe(400);
    const address = world.viewUrl(deck).slice(0, -1);
    const response = await fetch(address, { redirect: 'manual' });
    expect([response.status, new URL(response.headers.get('location')!, address).href]).toEqual([308, `${address}/`]);
  });

  test('gives the same 404 for an unknown deck, a wrong token, no token and an unknown file', async () => {
    const other = await world.aDeck(owner);
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
        return [answer.status, headers, await answer.text()];
      }),
    );
    expect(seen).toEqual(Array(answers.length).fill(seen[0]));
    expect(seen[0]).toMatchObject([404, { 'content-type': 'text/plain; charset=utf-8' }, expect.any(String)]);
    const missing = await view('', {}, { presentationId: newId(), token: deck.token });
    expect(missing.headers.get('content-type')).toContain('text/html');
  });

  test('answers 403 for a revoked token and 410 for an expired deck at the very next request', async () => {
    const mine = await world.aDeck(owner);
    const token = deckDoc(mine).collection('shareTokens').doc(mine.tokenId);
    expect(await open(mine)).toBe(200);
    await token.update({ revokedAt: new Date() });
    expect(await open(mine)).toBe(403);
    await token.update({ revokedAt: null });
    expect(await open(mine)).toBe(200);
    await deckDoc(mine).update({ expiresAt: new Date(Date.now() - 1) });
    expect(await open(mine)).toBe(410);
    await deckDoc(mine).delete();
    expect(await open(mine)).toBe(404);
  });

  test('answers 410 for a deck that was taken down, also when the clock of the operator is ahead', async () => {
    const mine = await world.aDeck(owner);
    for (const expiresAt of [null, new Date(Date.now() - 1)]) {
      await deckDoc(mine).update({ expiresAt, takedown: { at: new Date(Date.now() + 3600_000), reason: 'x' } });
      expect(await open(mine)).toBe(410);
    }
  });

  test('shows the new version through the same link, and the old one through a pinned token', async () => {
    const mine = await world.aDeck(owner, [page('one')]);
    const first = (await deckDoc(mine).get()).get('current') as object;
    await world.uploadAll(owner, { presentationId: mine.presentationId }, [page('two')]);
    await world.commit(owner, { presentationId: mine.presentationId }, [page('two')]);
    expect(await (await view('', {}, mine)).text()).toContain('two');
    await deckDoc(mine).collection('shareTokens').doc(mine.tokenId).update({ pinned: first });
    expect(await (await view('', {}, mine)).text()).toContain('one');
  });

  test('serves ranges, and refuses a range past the end', async () => {
    for (const [file, path, range, start, end] of [
      [video, 'video.mp4', 'bytes=0-9', 0, 9],
      [video, 'video.mp4', 'bytes=2000000-', 2_000_000, 3 * MB - 1],
      [video, 'video.mp4', 'bytes=-5', 3 * MB - 5, 3 * MB - 1],
      // A small file is answered from memory, not streamed.
      [entry, '', 'bytes=3-9', 3, 9],
    ] as const) {
      const { length } = file.bytes;
      const response = await view(path, { headers: { range } });
      expect([response.status, response.headers.get('content-range')]).toEqual([
        206,
        `bytes ${start}-${end}/${length}`,
      ]);
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
    const mine = await world.aDeck(owner);
    await Promise.all(Array.from({ length: 100 }, () => world.visit(world.viewUrl(mine))));
    expect((await totals(mine)).totalViews).toBe(100);
    // Parallel views share commits. Each of these has its own, in a random shard of 32.
    for (let i = 0; i < 60; i++) await world.visit(world.viewUrl(mine));
    expect((await totals(mine)).totalViews).toBe(160);
    const counters = await deckDoc(mine).collection('viewCounters').get();
    const ofToken = counters.docs.filter((document) => document.get('tokenId') === mine.tokenId);
    expect(ofToken.reduce((sum, document) => sum + Number(document.get('views')), 0)).toBe(160);
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

const context = { trail: undefined, endsAt: Infinity };
const sourceOf = ({ presentationId }: Pick<Deck, 'presentationId'>, file: DeckFile) => {
  return { context, presentationId, file: manifestRow(file) };
};
const aFilm = async (size = 4 * MB) => {
  const film = { ...blob(size, 'film.mp4'), contentType: 'video/mp4' };
  return { film, mine: await world.aDeck(owner, [page(), film]) };
};

describe('the blocks of a large file', () => {
  const rangeOf = async (of: Deck, start: number, end: number) => {
    const answer = await view('film.mp4', { headers: { range: `bytes=${start}-${end}` } }, of);
    return { status: answer.status, bytes: await bytesOf(answer) };
  };

  test('are read from the bucket once, however many requests ask at the same time, and then from memory', async () => {
    const { film, mine } = await aFilm();
    const read = () => readBytes(sourceOf(mine, film), MB + 10, 3 * MB);
    const cold = await world.costOf(async () => {
      const answers = await Promise.all(Array.from({ length: 8 }, read));
      const expected = film.bytes.subarray(MB + 10, 2 * MB);
      expect(answers.map((bytes) => bytes.equals(expected))).toEqual(Array(8).fill(true));
    });
    expect(cold.storageCalls).toBe(1);
    const warm = await world.costOf(async () => {
      const { status, bytes } = await rangeOf(mine, MB + 100, 2 * MB - 1);
      expect([status, bytes.equals(film.bytes.subarray(MB + 100, 2 * MB))]).toEqual([206, true]);
    });
    expect(warm.storageCalls).toBe(0);
  });

  test('are read once each for a whole file, and a range over several blocks has the right bytes', async () => {
    const { film, mine } = await aFilm();
    const cost = await world.costOf(async () => {
      expect((await bytesOf(await view('film.mp4', {}, mine))).equals(film.bytes)).toBe(true);
      const { bytes } = await rangeOf(mine, MB - 3, 3 * MB + 3);
      expect(bytes.equals(film.bytes.subarray(MB - 3, 3 * MB + 4))).toBe(true);
    });
    expect(cost.storageCalls).toBe(4);
  });

  test('take 64 MB of memory at most: the instance forgets those that were not used for the longest time', async () => {
    const [presentationId, hash] = [newId(), sha256('film')];
    const film = { path: 'film.mp4', sha256: hash, size: 65 * MB, contentType: 'video/mp4' };
    const stored = bucket().file(`presentations/${presentationId}/blobs/${hash}`);
    await stored.save(Buffer.alloc(film.size), { resumable: false });
    const source = { context, presentationId, file: film };
    const read = (index: number) => readBytes(source, index * MB, (index + 1) * MB - 1);
    for (let index = 0; index < 65; index++) await read(index);
    const kept = await world.costOf(() => read(64));
    const forgotten = await world.costOf(() => read(0));
    expect([kept.storageCalls, forgotten.storageCalls]).toEqual([0, 1]);
  });

  test('reach the other viewers when the viewer whose request reads them closes the connection', async () => {
    const { film, mine } = await aFilm();
    const held = gateway.hold('answer', ({ address }) => address.includes(sha256(film.bytes)), 1);
    const cost = await world.costOf(async () => {
      const impatient = request(world.viewUrl(mine, 'film.mp4'), { agent: false, headers: { range: 'bytes=0-99' } });
      impatient.on('error', () => {}).end();
      await held.until(once(impatient, 'response'));
      const patient = rangeOf(mine, 50, 149);
      impatient.destroy();
      held.release();
      const { status, bytes } = await patient;
      expect([status, bytes.equals(film.bytes.subarray(50, 150))]).toEqual([206, true]);
    });
    expect(cost.storageCalls).toBe(1);
  });

  test('are not cached when the bucket fails and their answers were cut off', async () => {
    const { film, mine } = await aFilm();
    const proxy = await startHttpFaults(world.cloud.storage.url);
    Object.assign(process.env, { STORAGE_EMULATOR_HOST: `http://${proxy.host}`, RETRY_PAUSE_MS: '5' });
    await proxy.playAlways('half an answer');
    expect((await rangeOf(mine, 0, 99)).status).toBe(500);
    await proxy.heal();
    const { status, bytes } = await rangeOf(mine, 0, MB - 1);
    expect([status, bytes.equals(film.bytes.subarray(0, MB))]).toEqual([206, true]);
    Object.assign(process.env, { STORAGE_EMULATOR_HOST: gateway.url, RETRY_PAUSE_MS: '' });
    await proxy.close();
  });
});

test('a viewer that closes the connection does not read the rest of the file, and others still get it', async () => {
  const { film, mine } = await aFilm(32 * MB);
  const leave = async () => {
    const client = request(world.viewUrl(mine, 'film.mp4'), { agent: false }).on('error', () => {});
    const [answer] = (await once(client.end(), 'response')) as [IncomingMessage];
    answer.on('error', () => {}).destroy();
    // The line is written when the function has ended.
    return (await requestLineOf(answer.headers['x-request-id'] as string)).severity;
  };
  const cost = await world.costOf(async () => {
    expect(await Promise.all(Array.from({ length: 8 }, leave))).toEqual(Array(8).fill('INFO'));
    await gateway.idle();
  });
  // The buffers of a connection take up to 10 blocks.
  expect(cost.storageCalls).toBeLessThan(24);
  expect((await bytesOf(await view('film.mp4', {}, mine))).equals(film.bytes)).toBe(true);
});

describe('when the time of the request is over', () => {
  test('a slow client still gets the next bytes of a large file', async () => {
    const bytes = await withinTimeout(5, () => readBytes(sourceOf(deck, video), 2 * MB, 3 * MB - 1));
    expect(bytes.equals(video.bytes.subarray(2 * MB))).toBe(true);
  });

  test('another request still gets the bytes of a small file whose download they share', async () => {
    const file = page('Shared by two requests');
    const mine = await world.aDeck(owner, [file]);
    const read = () => readBytes(sourceOf(mine, file), 0, file.bytes.length - 1);
    const held = gateway.hold('request', ({ address }) => address.includes(sha256(file.bytes)));
    const first = withinTimeout(7, () => withinCall('Storage', read));
    await held.until(first);
    const second = read();
    await expect(first).rejects.toThrow(BackendTimeout);
    held.release();
    expect(await second).toEqual(file.bytes);
  });

  test('no address of the bucket is signed, because signing may call a service', async () => {
    const late = { trail: undefined, endsAt: performance.now() };
    const signing = signedBlobUrl(late, deck.presentationId, manifestRow(video));
    await expect(signing).rejects.toThrow(BackendTimeout);
  });
});
