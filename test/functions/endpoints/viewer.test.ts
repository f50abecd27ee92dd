import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { signedBlobUrl } from '../../../functions/src/blobs/blobs';
import { readBytes } from '../../../functions/src/blobs/blocks';
import { BackendTimeout, withinCall, withinTimeout } from '../../../functions/src/deadlines';
import { newId } from '../../../functions/src/values/ids';
import { startBucketGateway, type BucketGateway } from '../../support/bucket-gateway';
import { startHttpFaults } from '../../support/faults';
import { requestLineOf } from '../../support/request-lines';
import { storeObject } from '../../support/stored';
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
    expect(await world.visit(`${bare}?presentationId=${deck.presentationId}&token=${deck.token}`)).toBe(200);
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

  test('answers 410 for a deck that was taken down, also when the clock of the operator is ahead', async () => {
    const mine = await world.aDeck(owner);
    for (const expiresAt of [null, new Date(Date.now() - 1)]) {
      await deckDoc(mine).update({ expiresAt, takedown: { at: new Date(Date.now() + 3600_000), reason: 'x' } });
      expect(await open(mine)).toBe(410);
    }
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
  const rangeOf = (of: Deck, start: number, end: number) =>
    view('film.mp4', { headers: { range: `bytes=${start}-${end}` } }, of);
  /** Fails unless the range of the film is answered with its bytes. */
  const expectRange = async (of: Deck, { bytes }: DeckFile, start: number, end: number) => {
    const answer = await rangeOf(of, start, end);
    expect([answer.status, (await bytesOf(answer)).equals(bytes.subarray(start, end + 1))]).toEqual([206, true]);
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
    const warm = await world.costOf(() => expectRange(mine, film, MB + 100, 2 * MB - 1));
    expect(warm.storageCalls).toBe(0);
  });

  test('are read once each for a whole file, and a range over several blocks has the right bytes', async () => {
    const { film, mine } = await aFilm();
    const cost = await world.costOf(async () => {
      expect((await bytesOf(await view('film.mp4', {}, mine))).equals(film.bytes)).toBe(true);
      await expectRange(mine, film, MB - 3, 3 * MB + 3);
    });
    expect(cost.storageCalls).toBe(4);
  });

  test('take 64 MB of memory at most: the instance forgets those that were not used for the longest time', async () => {
    const presentationId = newId();
    const film = { bytes: Buffer.alloc(65 * MB), path: 'film.mp4', contentType: 'video/mp4' };
    await storeObject(world.cloud, presentationId, sha256(film.bytes), film);
    const source = sourceOf({ presentationId }, film);
    const read = (index: number) => readBytes(source, index * MB, (index + 1) * MB - 1);
    for (let index = 0; index < 65; index++) await read(index);
    const callsOf = async (index: number) => (await world.costOf(() => read(index))).storageCalls;
    expect([await callsOf(64), await callsOf(0)]).toEqual([0, 1]);
  });

  test('reach the other viewers when the viewer whose request reads them closes the connection', async () => {
    const { film, mine } = await aFilm();
    const held = gateway.hold('answer', ({ address }) => address.includes(sha256(film.bytes)), 1);
    const cost = await world.costOf(async () => {
      const impatient = request(world.viewUrl(mine, 'film.mp4'), { agent: false, headers: { range: 'bytes=0-99' } });
      impatient.on('error', () => {}).end();
      await held.until(once(impatient, 'response'));
      const patient = expectRange(mine, film, 50, 149);
      impatient.destroy();
      held.release();
      await patient;
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
    await expectRange(mine, film, 0, MB - 1);
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
