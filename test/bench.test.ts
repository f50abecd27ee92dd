import { spawnSync } from 'node:child_process';
import { createServer, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { Region } from '../bench/cloud-model.mjs';
import { Audience } from '../bench/followers.mjs';
import { service } from '../bench/writes.mjs';
import { VIEWS_AT_ONCE } from '../functions/src/records/insights';
import { POPULAR_SHARDS } from '../functions/src/records/view-counters';
import { projectRoot } from '../local/project';
import { close, listen } from './support/sockets';

/** Runs the command up to its options, which loads every module of the bench. */
const bench = (...args: string[]) =>
  spawnSync(process.execPath, [join(projectRoot, 'bench/run.mjs'), ...args], { encoding: 'utf8' });

test.each([
  ['loads and lists its rows', ['--help'], { status: 0, stderr: '' }, 'stdout'],
  ['refuses a row that does not exist', ['--only', 'entries'], { status: 2, stdout: '' }, 'stderr'],
] as const)('the bench %s', (_what, args, expected, output) => {
  const ended = bench(...args);
  expect(ended).toMatchObject(expected);
  for (const row of ['entry-16', 'cold-deck', 'uploads-500', 'viewer-start', 'client-start', 'growth'])
    expect(ended[output]).toContain(row);
});

test('the model of writes has the numbers of the code', () => {
  expect(service).toEqual({ shards: POPULAR_SHARDS, viewsAtOnce: VIEWS_AT_ONCE });
});

test('a move that a follower misses is not measured', async () => {
  const streams: ServerResponse[] = [];
  const state = (sequence: number) => `event: state\ndata: {"sequence":${sequence}}\n\n`;
  const server = createServer((_request, response) => {
    streams.push(response);
    response.write(state(0));
  });
  const audience = new Audience();
  await audience.open(3, [await listen(server)], '/');
  const write = (sequence: number, to: ServerResponse[]) => () => to.forEach((stream) => stream.write(state(sequence)));
  expect(await audience.follow(1, write(1, streams))).toHaveLength(3);
  const missed = audience.follow(2, () => {
    write(2, streams.slice(1))();
    streams[0]!.destroy();
  });
  await expect(missed).rejects.toThrow(/of 3 followers got a move/);
  audience.close();
  await close(server);
});

describe('the model of the cloud', () => {
  const size = { cpu: 1, memoryGiB: 1, concurrency: 1, maxInstances: 2, startMs: 500 };
  /** What becomes of `count` calls at once, each with 1 s of CPU and 1 s of waiting. */
  const calls = (count: number, quota: number, changes = {}) => {
    const region = new Region(quota, { call: { ...size, ...changes } });
    for (let i = 0; i < count; i++) region.send('call', { cpuMs: 1000, waitMs: 1000 });
    return region.run();
  };

  test.each([
    ['an instance starts, works and waits', 1, 20, {}, { p99: 2500, refused: 0, vcpu: 1 }],
    ['half of a CPU takes twice the time', 1, 20, { cpu: 0.5 }, { p99: 4000, refused: 0, vcpu: 0.5 }],
    ['a second call starts a second instance', 2, 20, {}, { p99: 2500, refused: 0, vcpu: 2 }],
    ['or waits where the quota has no room', 2, 1, {}, { p99: 4500, refused: 0, vcpu: 1 }],
    ['calls in one instance wait together', 2, 1, { concurrency: 2 }, { p99: 3500, refused: 0, vcpu: 1 }],
    ['a call waits for 60 s at most', 70, 20, {}, { refused: 10, vcpu: 2 }],
  ])('%s', (_what, count, quota, changes, expected) => {
    expect(calls(count, quota, changes)).toMatchObject({ requests: count, ...expected });
  });
});
