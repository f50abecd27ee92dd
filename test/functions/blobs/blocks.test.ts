import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, request, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { duplexPair } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setImmediate as turn } from 'node:timers/promises';
import { signedBlobUrl } from '../../../functions/src/blobs/blobs';
import { createObject } from '../../../functions/src/blobs/object-upload';
import { readBytes } from '../../../functions/src/blobs/blocks';
import { BackendTimeout, withinCall, withinTimeout } from '../../../functions/src/deadlines';
import { sendFile } from '../../../functions/src/http/send-file';
import type { ManifestFile } from '../../../functions/src/policy/manifest';
import { newId } from '../../../functions/src/values/ids';
import { each } from '../../support/each';
import { startHttpFaults } from '../../support/faults';
import { collect } from '../../support/garbage';
import { gateway, startWorldBehindGateway } from '../../support/gateways';
import { requestLineOf, watchLog } from '../../support/request-lines';
import { close, listen } from '../../support/sockets';
import { bucket } from '../../support/whole-store';
import { blob, manifestRow, page, sha256, world, type Account, type Deck, type DeckFile } from '../../support/world';

/** Reads of blocks, also with a bucket that holds its answers or answers wrongly. */

const MB = 1024 * 1024;
let owner: Account;
const lines: string[] = [];

startWorldBehindGateway(async () => {
  watchLog((text) => lines.push(text));
  process.env['RETRY_PAUSE_MS'] = '5';
  owner = await world.anOwner();
});
afterEach(() => {
  gateway.ignoresRanges = false;
  useBucket(gateway.url);
});

function useBucket(url: string): void {
  Object.assign(process.env, { STORAGE_EMULATOR_HOST: url, FIREBASE_STORAGE_EMULATOR_HOST: new URL(url).host });
}

const context = { trail: undefined, endsAt: Infinity };
const fileOf = (size: number): ManifestFile => {
  return { path: 'film.mp4', sha256: sha256(newId()), size, contentType: 'video/mp4' };
};
const sourceOf = (file: ManifestFile, presentationId = newId()) => ({ context, presentationId, file });
type Source = ReturnType<typeof sourceOf>;
const bytesOf = async (answer: Response) => Buffer.from(await answer.arrayBuffer());
/** A file with these bytes in the bucket. The service does not compare bytes that it reads with their hash. */
async function stored(bytes: Buffer): Promise<Source> {
  const source = sourceOf(fileOf(bytes.length));
  const name = `presentations/${source.presentationId}/blobs/${source.file.sha256}`;
  await bucket().file(name).save(bytes, { resumable: false, validation: false });
  return source;
}

test('two manifests that have one hash with different sizes do not share a block', async () => {
  const bytes = randomBytes(2 * MB);
  const long = await stored(bytes);
  const short = { ...long, file: { ...long.file, size: 1.5 * MB } };
  expect((await readBytes(short, MB, 1.5 * MB - 1)).length).toBe(MB / 2);
  expect((await readBytes(long, 1.75 * MB, 2 * MB - 1)).equals(bytes.subarray(1.75 * MB))).toBe(true);
});

test('a position behind the end of a block is an error, not zero bytes', async () => {
  await expect(readBytes(await stored(randomBytes(100)), 100, 150)).rejects.toThrow('no bytes from 100');
});

test('the address of an emulator may have a path', async () => {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url!);
    response.end('0123456789');
  });
  useBucket(`http://127.0.0.1:${await listen(server)}/of/a/proxy/`);
  expect((await readBytes(sourceOf(fileOf(10)), 0, 9).finally(() => close(server))).toString()).toBe('0123456789');
  expect(asked).toEqual([expect.stringMatching(/^\/of\/a\/proxy\/storage\/v1\/b\//)]);
});

test('an instance makes at most 80 reads at the same time, and the others follow', async () => {
  const sources = Array.from({ length: 200 }, () => sourceOf(fileOf(10)));
  let asked = 0;
  const held = gateway.hold('request', ({ address }) => {
    const isRead = sources.some(({ file }) => address.includes(file.sha256));
    if (isRead) asked++;
    return isRead;
  });
  const reads = Promise.allSettled(sources.map((source) => readBytes(source, 0, 9)));
  await held.until(reads);
  // During these calls the reads that may start reach the gateway.
  for (let i = 0; i < 20; i++) await fetch(`${gateway.url}/storage/v1/b`);
  expect(asked).toBe(80);
  held.release();
  const codes = (await reads).map((read) => (read.status === 'rejected' ? (read.reason as { code: string }).code : ''));
  expect(codes).toEqual(sources.map(() => 'not-found'));
  expect((await readBytes(await stored(randomBytes(10)), 0, 9)).length).toBe(10);
});

test('a read whose turn comes after its time is not made', async () => {
  const sources = Array.from({ length: 81 }, () => sourceOf(fileOf(10)));
  const small = await stored(randomBytes(10));
  const patience = process.env['CALL_TIMEOUT_MS'];
  const { storageCalls } = await world.costOf(async () => {
    const held = gateway.hold('request', ({ address }) => sources.some(({ file }) => address.includes(file.sha256)));
    const first = Promise.allSettled(sources.slice(0, 80).map((source) => readBytes(source, 0, 9)));
    // The functions read their settings once in a turn of the event loop.
    await turn();
    process.env['CALL_TIMEOUT_MS'] = '1';
    await expect(readBytes(sources[80]!, 0, 9)).rejects.toThrow(BackendTimeout);
    process.env['CALL_TIMEOUT_MS'] = patience;
    await held.until(first);
    held.release();
    await first;
    await readBytes(small, 0, 9);
  });
  expect(storageCalls).toBe(81);
});

test('an answer with the whole object is not taken for a range of it', async () => {
  const bytes = randomBytes(2 * MB);
  const source = await stored(bytes);
  gateway.ignoresRanges = true;
  await expect(readBytes(source, MB, 2 * MB - 1)).rejects.toThrow('did not answer the bytes');
  gateway.ignoresRanges = false;
  expect((await readBytes(source, MB, 2 * MB - 1)).equals(bytes.subarray(MB))).toBe(true);
});

test('the warning about a missing object has the id and function of the request that asked for it', async () => {
  const file = blob(1000, 'gone.bin');
  const deck = await world.aDeck(owner, [page(), file]);
  const name = `presentations/${deck.presentationId}/blobs/${sha256(file.bytes)}`;
  await bucket().file(name).delete();
  const answer = await fetch(world.viewUrl(deck, file.path));
  expect(answer.status).toBe(404);
  const line = lines.find((text) => text.includes('is missing') && text.includes(deck.presentationId));
  const requestId = answer.headers.get('x-request-id');
  expect(JSON.parse(line!)).toMatchObject({ severity: 'WARNING', function: 'getSharedPresentation', requestId });
});

describe('an answer that stops in the middle', () => {
  const sockets: Promise<unknown>[] = [];
  let status = 0;
  let url: string;
  const server = createServer((incoming, outgoing) => {
    sockets.push(once(incoming.socket, 'close'));
    incoming.resume().on('end', () => outgoing.writeHead(status, { 'content-length': 1000 }).write('{'));
  });
  beforeAll(async () => (url = `http://127.0.0.1:${await listen(server)}`));
  beforeEach(() => {
    sockets.length = 0;
    useBucket(url);
  });
  afterAll(() => close(server));

  test('does not keep its connection when the bucket refused the read', async () => {
    status = 404;
    await expect(readBytes(sourceOf(fileOf(10)), 0, 9)).rejects.toMatchObject({ code: 'not-found' });
    expect(sockets).toHaveLength(1);
    await Promise.all(sockets);
  });

  test.each([200, 412])('does not end an upload, whose time limit closes the connection: %i', async (answered) => {
    status = answered;
    const abort = new AbortController();
    const file = { name: newId(), contentType: 'a/b', sizeBytes: 1, open: () => Buffer.from('x') };
    let isOver = false;
    const upload = createObject(file, { signal: abort.signal, progress: () => {} });
    void upload.catch(() => {}).finally(() => (isOver = true));
    while (sockets.length === 0) await turn();
    for (let i = 0; i < 20; i++) await fetch(`${gateway.url}/storage/v1/b`);
    expect(isOver).toBe(false);
    abort.abort();
    // The status tells whether the object exists.
    if (answered === 200) await upload;
    else await expect(upload).rejects.toMatchObject({ code: answered });
    await Promise.all(sockets);
  });
});

/** `external` counts array buffers, too. */
function heldSince(before: number): number {
  collect();
  return process.memoryUsage().external - before;
}

/** Uses a bucket that answers every range of every object, and keeps nothing. All bytes are the first of the hash. */
async function useEndlessBucket() {
  const count = { asked: 0, answered: 0 };
  const bucketServer = createServer((incoming, outgoing) => {
    count.asked++;
    const [, start, end] = /^bytes=(\d+)-(\d+)$/.exec(incoming.headers.range!)!.map(Number) as [0, number, number];
    const [, byte] = /%2Fblobs%2F(..)/.exec(incoming.url!)!;
    outgoing.writeHead(206, { 'content-range': `bytes ${start}-${end}/*` }).on('finish', () => count.answered++);
    outgoing.end(Buffer.alloc(end - start + 1, parseInt(byte!, 16)));
  });
  useBucket(`http://127.0.0.1:${await listen(bucketServer)}`);
  return { count, close: () => close(bucketServer) };
}

test('blocks take 64 MB of memory at most: those that were not used for the longest time are forgotten', async () => {
  const { count, close: end } = await useEndlessBucket();
  const source = sourceOf(fileOf(65 * MB));
  const read = (index: number) => readBytes(source, index * MB, (index + 1) * MB - 1);
  for (let index = 0; index < 65; index++) await read(index);
  await read(64);
  expect(count.asked).toBe(65);
  await read(0);
  expect(count.asked).toBe(66);
  await end();
});

test('70 slow readers of different files hold two blocks each, and each block is read once', async () => {
  const { count, close: end } = await useEndlessBucket();
  const readers = 70;
  const sources = Array.from({ length: readers }, () => sourceOf(fileOf(2 * MB)));
  const server = createServer((incoming, outgoing) => {
    const source = sources[Number(incoming.url!.slice(1))]!;
    const delivery = { status: 200, start: 0, end: source.file.size - 1 } as const;
    void sendFile(incoming as never, outgoing, { ...source, delivery, cacheControl: 'no-store' });
  });
  // A connection in memory has no buffers of an operating system, which would take megabytes from each reader.
  const open = (index: number) => {
    const [ours, theirs] = duplexPair();
    server.emit('connection', theirs as Socket);
    ours.write(`GET /${index} HTTP/1.1\r\nHost: decks\r\nConnection: close\r\n\r\n`);
    return ours;
  };
  collect();
  const before = process.memoryUsage().external;
  const connections = sources.map((_source, i) => open(i));
  // Each reader has its first block, and waits with the second one.
  while (count.answered < 2 * readers) await turn();
  // A thread of V8 frees buffers after a collection, so the next collection still counts some of them.
  const limit = 1.2 * 2 * readers * MB;
  for (let i = 0; i < 20 && heldSince(before) >= limit; i++) await turn();
  expect(heldSince(before)).toBeLessThan(limit);
  for (const [i, connection] of each(connections).entries()) {
    const answer = await buffer(connection);
    const body = answer.subarray(answer.indexOf('\r\n\r\n') + 4);
    const byte = parseInt(sources[i]!.file.sha256.slice(0, 2), 16);
    expect([body.length, body[0], body.at(-1)]).toEqual([2 * MB, byte, byte]);
  }
  expect(count.asked).toBe(2 * readers);
  server.close();
  await end();
});

/** The source of a file of a deck. */
const sourceIn = ({ presentationId }: Pick<Deck, 'presentationId'>, file: DeckFile) =>
  sourceOf(manifestRow(file), presentationId);
/** A deck with a film, and how to ask for the film. */
async function aFilm(size = 4 * MB) {
  const film = { ...blob(size, 'film.mp4'), contentType: 'video/mp4' };
  const mine = await world.aDeck(owner, [page(), film]);
  const rangeOf = (start: number, end: number) =>
    fetch(world.viewUrl(mine, film.path), { headers: { range: `bytes=${start}-${end}` } });
  /** Fails unless the range of the film is answered with its bytes. */
  const expectRange = async (start: number, end: number) => {
    const answer = await rangeOf(start, end);
    expect([answer.status, (await bytesOf(answer)).equals(film.bytes.subarray(start, end + 1))]).toEqual([206, true]);
  };
  /** Fails unless the whole film is answered. */
  const expectWhole = async () => {
    expect((await bytesOf(await fetch(world.viewUrl(mine, film.path)))).equals(film.bytes)).toBe(true);
  };
  return { film, mine, rangeOf, expectRange, expectWhole };
}

describe('the blocks of a large file', () => {
  test('are read from the bucket once, however many requests ask at the same time, and then from memory', async () => {
    const { film, mine, expectRange } = await aFilm();
    const read = () => readBytes(sourceIn(mine, film), MB + 10, 3 * MB);
    const cold = await world.costOf(async () => {
      const answers = await Promise.all(Array.from({ length: 8 }, read));
      const expected = film.bytes.subarray(MB + 10, 2 * MB);
      expect(answers.map((bytes) => bytes.equals(expected))).toEqual(Array(8).fill(true));
    });
    expect(cold.storageCalls).toBe(1);
    const warm = await world.costOf(() => expectRange(MB + 100, 2 * MB - 1));
    expect(warm.storageCalls).toBe(0);
  });

  test('are read once each for a whole file, and a range over several blocks has the right bytes', async () => {
    const { expectRange, expectWhole } = await aFilm();
    const cost = await world.costOf(async () => {
      await expectWhole();
      await expectRange(MB - 3, 3 * MB + 3);
    });
    expect(cost.storageCalls).toBe(4);
  });

  test('reach the other viewers when the viewer whose request reads them closes the connection', async () => {
    const { film, mine, expectRange } = await aFilm();
    const held = gateway.hold('answer', ({ address }) => address.includes(sha256(film.bytes)), 1);
    const cost = await world.costOf(async () => {
      const impatient = request(world.viewUrl(mine, 'film.mp4'), { agent: false, headers: { range: 'bytes=0-99' } });
      impatient.on('error', () => {}).end();
      await held.until(once(impatient, 'response'));
      const patient = expectRange(50, 149);
      impatient.destroy();
      held.release();
      await patient;
    });
    expect(cost.storageCalls).toBe(1);
  });

  test('are not cached when the bucket fails and their answers were cut off', async () => {
    const { rangeOf, expectRange } = await aFilm();
    const proxy = await startHttpFaults(world.cloud.storage.url);
    useBucket(`http://${proxy.host}`);
    await proxy.playAlways('half an answer');
    expect((await rangeOf(0, 99)).status).toBe(500);
    await proxy.heal();
    await expectRange(0, MB - 1);
    await proxy.close();
  });
});

test('a viewer that closes the connection does not read the rest of the file, and others still get it', async () => {
  const { mine, expectWhole } = await aFilm(20 * MB);
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
  expect(cost.storageCalls).toBeLessThan(16);
  await expectWhole();
});

describe('when the time of the request is over', () => {
  test('a slow client still gets the next bytes of a large file', async () => {
    const { film, mine } = await aFilm();
    const bytes = await withinTimeout(5, () => readBytes(sourceIn(mine, film), 2 * MB, 3 * MB - 1));
    expect(bytes.equals(film.bytes.subarray(2 * MB, 3 * MB))).toBe(true);
  });

  test('another request still gets the bytes of a small file whose download they share', async () => {
    const file = page('Shared by two requests');
    const mine = await world.aDeck(owner, [file]);
    const read = () => readBytes(sourceIn(mine, file), 0, file.bytes.length - 1);
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
    const signing = signedBlobUrl(late, newId(), fileOf(MB));
    await expect(signing).rejects.toThrow(BackendTimeout);
  });
});
