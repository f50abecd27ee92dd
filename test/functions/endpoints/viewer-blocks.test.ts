import { once } from 'node:events';
import { request, type ClientRequest, type IncomingMessage } from 'node:http';
import { signedBlobUrl } from '../../../functions/src/blobs/blobs';
import { readBytes } from '../../../functions/src/blobs/blocks';
import { BackendTimeout, withinCall, withinTimeout } from '../../../functions/src/deadlines';
import { newId } from '../../../functions/src/values/ids';
import { startBucketGateway, type BucketGateway } from '../../support/bucket-gateway';
import { collect } from '../../support/garbage';
import { startHttpFaults, type FaultProxy } from '../../support/faults';
import { requestLineOf } from '../../support/request-lines';
import { bucket } from '../../support/whole-store';
import { blob, manifestRow, page, sha256, World, type Account, type Deck, type DeckFile } from '../../support/world';

const MB = 1024 * 1024;
let world: World;
let gateway: BucketGateway;
let owner: Account;
let deck: Deck;

const image: DeckFile = { path: 'a.svg', bytes: Buffer.from('<svg/>'), contentType: 'image/svg+xml' };
const video = { ...blob(3 * MB, 'video.mp4'), contentType: 'video/mp4' };

beforeAll(async () => {
  world = await World.start();
  gateway = await startBucketGateway(world.cloud.storage.url);
  // The functions make their bucket client at their first call, so the variable is set before it.
  process.env['STORAGE_EMULATOR_HOST'] = gateway.url;
  process.env['FIREBASE_STORAGE_EMULATOR_HOST'] = new URL(gateway.url).host;
  owner = await world.anOwner();
  deck = await world.aDeck(owner, [page(), image, video]);
});
afterAll(async () => {
  await world.stop();
  await gateway.close();
});

const view = (path: string, init: RequestInit = {}, of: Pick<Deck, 'presentationId' | 'token'> = deck) =>
  fetch(world.viewUrl(of, path), { redirect: 'manual', ...init });
const context = { trail: undefined, endsAt: Infinity };
const sourceOf = ({ presentationId }: Pick<Deck, 'presentationId'>, file: DeckFile) => ({
  ...{ context, presentationId, file: manifestRow(file) },
});

describe('the blocks of a large file', () => {
  const aFilm = async () => {
    const film = { ...blob(4 * MB, 'film.mp4'), contentType: 'video/mp4' };
    return { film, mine: await world.aDeck(owner, [page(), film]) };
  };
  const rangeOf = async (of: Deck, start: number, end: number) => {
    const response = await view('film.mp4', { headers: { range: `bytes=${start}-${end}` } }, of);
    return { status: response.status, bytes: Buffer.from(await response.arrayBuffer()) };
  };

  test('are read from the bucket once, however many requests ask at the same time, and then from memory', async () => {
    const { film, mine } = await aFilm();
    const read = () => readBytes(sourceOf(mine, film), MB + 10, 3 * MB);
    const cold = await world.costOf(async () => {
      const answers = await Promise.all(Array.from({ length: 8 }, read));
      for (const bytes of answers) expect(bytes.equals(film.bytes.subarray(MB + 10, 2 * MB))).toBe(true);
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
      const whole = Buffer.from(await (await view('film.mp4', {}, mine)).arrayBuffer());
      expect(whole.equals(film.bytes)).toBe(true);
      const { bytes } = await rangeOf(mine, MB - 3, 3 * MB + 3);
      expect(bytes.equals(film.bytes.subarray(MB - 3, 3 * MB + 4))).toBe(true);
    });
    expect(cost.storageCalls).toBe(4);
  });

  test('take 64 MB of memory at most: the instance forgets those that were not used for the longest time', async () => {
    const [presentationId, hash] = [newId(), sha256('film')];
    const film = { path: 'film.mp4', sha256: hash, size: 65 * MB, contentType: 'video/mp4' };
    await bucket()
      .file(`presentations/${presentationId}/blobs/${hash}`)
      .save(Buffer.alloc(film.size), { resumable: false });
    const read = (index: number) =>
      readBytes({ context, presentationId, file: film }, index * MB, (index + 1) * MB - 1);
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

  describe('when the bucket fails', () => {
    let proxy: FaultProxy;
    beforeAll(async () => {
      proxy = await startHttpFaults(world.cloud.storage.url);
      Object.assign(process.env, { STORAGE_EMULATOR_HOST: `http://${proxy.host}`, RETRY_PAUSE_MS: '5' });
    });
    afterEach(() => proxy.heal());
    afterAll(async () => {
      Object.assign(process.env, { STORAGE_EMULATOR_HOST: gateway.url, RETRY_PAUSE_MS: '' });
      await proxy.close();
    });

    test('are not cached when their answers were cut off', async () => {
      const { film, mine } = await aFilm();
      await proxy.playAlways('half an answer');
      expect((await rangeOf(mine, 0, 99)).status).toBe(500);
      await proxy.heal();
      const { status, bytes } = await rangeOf(mine, 0, MB - 1);
      expect([status, bytes.equals(film.bytes.subarray(0, MB))]).toEqual([206, true]);
    });

    test('fail a request that has begun its answer by closing the connection', async () => {
      const { film, mine } = await aFilm();
      expect((await rangeOf(mine, 0, 99)).status).toBe(206);
      await proxy.playAlways('unavailable');
      const response = await view('film.mp4', {}, mine);
      expect(response.status).toBe(200);
      await expect(response.arrayBuffer()).rejects.toThrow();
      const { severity } = await requestLineOf(response.headers.get('x-request-id')!);
      expect(severity).toBe('ERROR');
      await proxy.heal();
      const again = Buffer.from(await (await view('film.mp4', {}, mine)).arrayBuffer());
      expect(again.equals(film.bytes)).toBe(true);
    });
  });
});

test('a viewer that closes the connection does not read the rest of the file, and others still get it', async () => {
  const film = { ...blob(32 * MB, 'film.mp4'), contentType: 'video/mp4' };
  const mine = await world.aDeck(owner, [page(), film]);
  const open = () =>
    request(world.viewUrl(mine, 'film.mp4'), { agent: false })
      .on('error', () => {})
      .end();
  const answerOf = async (client: ClientRequest) => ((await once(client, 'response')) as [IncomingMessage])[0];
  const cost = await world.costOf(async () => {
    const leave = async () => {
      const answer = (await answerOf(open())).on('error', () => {});
      answer.destroy();
      // The line is written when the function has ended.
      return (await requestLineOf(answer.headers['x-request-id'] as string)).severity;
    };
    const severities = await Promise.all(Array.from({ length: 8 }, leave));
    expect(severities).toEqual(severities.map(() => 'INFO'));
    await gateway.idle();
  });
  // The buffers of a connection take up to 10 blocks.
  expect(cost.storageCalls).toBeLessThan(24);
  expect(Buffer.from(await (await view('film.mp4', {}, mine)).arrayBuffer()).equals(film.bytes)).toBe(true);
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
    const context = { trail: undefined, endsAt: performance.now() };
    const signing = signedBlobUrl(context, deck.presentationId, manifestRow(video));
    await expect(signing).rejects.toThrow(BackendTimeout);
  });
});

test('16 slow readers of a 16 MB file do not fill the memory', async () => {
  const film = { ...blob(16 * MB, 'film.mp4'), contentType: 'video/mp4' };
  const mine = await world.aDeck(owner, [page(), film]);
  await (await view('', {}, mine)).text();
  collect();
  // `external` counts array buffers, too.
  const before = process.memoryUsage().external;
  const readers = await Promise.all(
    Array.from(
      { length: 16 },
      () =>
        new Promise<IncomingMessage>((resolve, reject) => {
          // Each client reads the first bytes and then stops reading.
          request(world.viewUrl(mine, 'film.mp4'), { agent: false }, (response) => {
            response.once('readable', () => resolve(response));
          })
            .on('error', reject)
            .end();
        }),
    ),
  );
  // During these 20 requests the server fills the buffers of every connection.
  for (let i = 0; i < 20; i++) await (await view('a.svg')).arrayBuffer();
  collect();
  expect(process.memoryUsage().external - before).toBeLessThan(64 * MB);
  readers.forEach((reader) => reader.destroy());
});
