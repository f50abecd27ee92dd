import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, request, type IncomingMessage } from 'node:http';
import { setImmediate as turn } from 'node:timers/promises';
import { signedBlobUrl } from '../../../functions/src/blobs/blobs';
import { createObject } from '../../../functions/src/blobs/object-upload';
import { readBytes } from '../../../functions/src/blobs/blocks';
import { BackendTimeout, withinTimeout } from '../../../functions/src/deadlines';
import { newId } from '../../../functions/src/values/ids';
import { startHttpFaults } from '../../support/faults';
import { gateway } from '../../support/gateways';
import { requestLineOf } from '../../support/request-lines';
import { close, listen } from '../../support/sockets';
import { bucket } from '../../support/whole-store';
import { blob, page, sha256, world } from '../../support/world';
import { MB, owner, lines, useBucket, fileOf, sourceOf, stored, sourceIn, startBlocks } from './block-sources';

/** Reads of blocks, also with a bucket that holds its answers or answers wrongly. */

startBlocks();

const bytesOf = async (answer: Response) => Buffer.from(await answer.arrayBuffer());

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

  test('no address of the bucket is signed, because signing may call a service', async () => {
    const late = { trail: undefined, endsAt: performance.now() };
    const signing = signedBlobUrl(late, newId(), fileOf(MB));
    await expect(signing).rejects.toThrow(BackendTimeout);
  });
});
