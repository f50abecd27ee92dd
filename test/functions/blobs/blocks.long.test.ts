import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { Socket } from 'node:net';
import { duplexPair } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setImmediate as turn } from 'node:timers/promises';
import { readBytes } from '../../../functions/src/blobs/blocks';
import { BackendTimeout, withinCall, withinTimeout } from '../../../functions/src/deadlines';
import { sendFile } from '../../../functions/src/http/send-file';
import { each } from '../../support/each';
import { collect } from '../../support/garbage';
import { gateway } from '../../support/gateways';
import { close, listen } from '../../support/sockets';
import { page, sha256, world } from '../../support/world';
import { MB, owner, useBucket, fileOf, sourceOf, stored, sourceIn, startBlocks } from './block-sources';

/** Many reads of blocks at the same time, their memory, and a read that outlives its request. */

startBlocks();

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

test('when the time of a request is over, another one still gets the bytes of a small file whose download they share', async () => {
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
