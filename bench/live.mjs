// `npm run bench -- --live`: live sessions, in instances of the real functions and beside a bare server of events.
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { build } from 'esbuild';
import { root } from '../scripts/root.mjs';
import { median, percentile, spread } from './comparison.mjs';
import { databaseOf, startEngine } from './counting.mjs';
import { Audience } from './followers.mjs';
import { environmentOf, firstAnswer, startInstance } from './instances.mjs';
import { Connection, loadFor, requestText } from './load.mjs';
import { processorMs, Program, residentMb, waitedMs } from './processes.mjs';
import { file } from './service.mjs';
import { mostWithin } from './writes.mjs';

const MOVES = 20;
/** The service takes a move a second. */
const MOVE_EVERY_MS = 1100;
const STARTS = 5;
const ASKING_CONNECTIONS = 64;
const ASKING_MS = 4000;
const goals = { p50: 150, p99: 1000 };

/** Measures everything, and passes each row on. */
export async function measureLive(node, onRow) {
  const service = await startEngine(node, { pinned: true });
  await payFor(service);
  const bench = { node, service, environment: environmentOf(service.ready), mover: undefined };
  bench.mover = await startInstance(node, { name: 'moveLiveSession', environment: bench.environment });
  await measureFirstStream(bench, onRow);
  await measureFollowers(bench, { followers: 900, instances: 1 }, onRow);
  await measureFollowers(bench, { followers: 2000, instances: 3 }, onRow);
  await measureAsking(bench, onRow);
}

/** The organization of the bench gets a plan with which 5 000 may follow. */
async function payFor({ ready }) {
  const database = databaseOf(ready);
  const { docs } = await database.collection('organizations').get();
  for (const { ref } of docs) await ref.update({ plan: 'pro' });
  await database.terminate();
}

/** A live session of a new deck: the path of its stream for the audience, and what moves it. */
async function startSession({ service, mover }) {
  const { presentationId } = await service.push([file('index.html', 22_000, 'text/html')]);
  const { liveId, tokenId, presenterUrl, expiresAt } = await service.call('startLiveSession', { presentationId });
  const { writeLiveTicket } = await loadTickets();
  const of = { presentationId, tokenId, liveId, until: new Date(expiresAt) };
  const [secret] = environmentOf(service.ready).SERVICE_SECRET.trim().split('\n');
  const ticket = presenterUrl.split('#present=')[1];
  return {
    path: () => `/?ticket=${writeLiveTicket(secret, 'audience', of, new Date())}`,
    move: async (sequence) => {
      const { data } = await post(mover.port, { ticket, ...moveTo(sequence) });
      if (!data?.taken) throw new Error(`The move ${sequence} was not taken.`);
    },
  };
}

const moveTo = (sequence) => ({
  sequence,
  slide: { key: `slide-${sequence}`, title: `Slide ${sequence}`, index: sequence, count: 24, step: 0, steps: 0 },
});

async function post(port, body) {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', headers, body: JSON.stringify(body) });
  return response.json();
}

/** The code of the functions signs tickets. A page that is open gets one from the answer to its beacon. */
async function loadTickets() {
  const outfile = join(root, '.build/live-tickets.mjs');
  const entry = join(root, 'functions/src/values/live-tickets.ts');
  await build({ entryPoints: [entry], outfile, bundle: true, platform: 'node', format: 'esm', logLevel: 'warning' });
  return import(outfile);
}

/** Followers of a session, and as many of a bare server, which are moved in turn. */
async function measureFollowers(bench, { followers, instances: count }, onRow) {
  const what = `${followers} followers, ${count} instance${count > 1 ? 's' : ''}`;
  const session = await startSession(bench);
  const instances = [];
  for (let i = 0; i < count; i++) instances.push(await startFollowing(bench, session));
  const bare = new Program(bench.node, [join(root, 'bench/servers/bare-events.mjs')]);
  const { port } = await bare.ready();
  const ours = { name: 'ours', programs: instances, ports: instances.map((of) => of.port), path: session.path() };
  const base = { name: 'bare', programs: [bare], ports: [port], path: '/' };
  for (const run of [ours, base]) onRow({ what, server: run.name, ...(await connectAll(run, followers)) });

  const counts = [];
  const works = [
    { run: ours, move: session.move, counts },
    { run: base, move: (sequence) => post(port, moveTo(sequence)) },
  ];
  const rows = await alternate(works, bench.service.ready.countsUrl);
  for (const row of rows) onRow({ what, ...row });
  onRow({ what, ...ratiosOf(rows) });
  onRow({ what, ...countsOf(counts) });
  if (count > 1) onRow({ what, ...(await stopOne(bench, session, ours)) });
  for (const { audience } of [ours, base]) audience.close();
  for (const { program } of instances) await program.stop();
  await bare.stop();
}

/** An instance that has answered, so that its code is loaded. */
async function startFollowing({ node, environment }, session) {
  const instance = await startInstance(node, { name: 'followLiveSession', environment });
  await firstAnswer(`http://127.0.0.1:${instance.port}${session.path()}`);
  return instance;
}

const memoryOf = ({ programs }) => programs.reduce((sum, { pid }) => sum + residentMb(pid), 0);

/** Opens all streams. Memory is compared with that of one stream on each instance. */
async function connectAll(run, followers) {
  run.audience = new Audience();
  await run.audience.open(run.ports.length, run.ports, run.path);
  const [before, begunAt] = [memoryOf(run), performance.now()];
  const times = await run.audience.open(followers - run.audience.size, run.ports, run.path);
  const seconds = (performance.now() - begunAt) / 1000;
  // What the requests left behind may be collected.
  await pause(3000);
  const after = memoryOf(run);
  return {
    'connect p50 ms': round(median(times)),
    'connect p99 ms': round(percentile(times, 0.99)),
    'all connected s': round(seconds),
    'MB before': round(before),
    'MB after': round(after),
    'KB a stream': round(((after - before) * 1024) / times.length),
  };
}

/** Moves the audiences in turn. The first move warms the code and is not counted. */
async function alternate(works, countsUrl) {
  const moves = works.map(() => []);
  for (let sequence = 1; sequence <= MOVES + 1; sequence++) {
    for (const [i, work] of works.entries()) {
      const nextAt = performance.now() + MOVE_EVERY_MS / works.length;
      const measured = await measureMove(work, sequence, countsUrl);
      if (sequence > 1) moves[i].push(measured);
      await pause(Math.max(0, nextAt - performance.now()));
    }
  }
  return works.map(({ run }, i) => rowOf(run, moves[i]));
}

async function measureMove({ run, move, counts }, sequence, countsUrl) {
  if (counts) await fetch(countsUrl, { method: 'POST' });
  const [cpuBefore, waitedBefore] = [sumOf(run, processorMs), sumOf(run, waitedMs)];
  const times = await run.audience.follow(sequence, () => move(sequence));
  const [cpuMs, waitMs] = [sumOf(run, processorMs) - cpuBefore, sumOf(run, waitedMs) - waitedBefore];
  if (counts) counts.push(await (await fetch(countsUrl)).json());
  return { times, last: Math.max(...times), cpuMs, waitMs };
}

function rowOf(run, moves) {
  const times = moves.flatMap((of) => of.times);
  const middle = (key) => round(median(moves.map((of) => of[key])));
  return {
    server: run.name,
    'event p50 ms': round(median(times)),
    'event p99 ms': round(percentile(times, 0.99)),
    'last follower, median ms': middle('last'),
    'last follower, worst ms': round(Math.max(...moves.map(({ last }) => last))),
    'CPU ms a move': middle('cpuMs'),
    'waits for CPU, ms a move': middle('waitMs'),
    'MB after the moves': round(memoryOf(run)),
  };
}

const sumOf = ({ programs }, of) => programs.reduce((sum, { pid }) => sum + of(pid), 0);

function ratiosOf([ours, base]) {
  const ratio = (key) => round(ours[key] / base[key]);
  const [p50, p99] = [ours['event p50 ms'], ours['event p99 ms']];
  return {
    server: 'ours / bare',
    p50: ratio('event p50 ms'),
    p99: ratio('event p99 ms'),
    'last follower': ratio('last follower, median ms'),
    [`p50 ≤ ${goals.p50} ms`]: p50 <= goals.p50 ? 'met' : 'not met',
    [`p99 ≤ ${goals.p99} ms`]: p99 <= goals.p99 ? 'met' : 'not met',
  };
}

/** What the engine counted for a move. Instances look after their streams every 5 seconds, which some moves include. */
function countsOf(counts) {
  const of = (key) => counts.map((count) => count[key]);
  return {
    'documents written a move': spreadText(of('documentWrites')),
    'documents read a move': spreadText(of('documentReads')),
    'commits a move': spreadText(of('commits')),
  };
}

const spreadText = (values) => {
  const { min, median: middle, max } = spread(values);
  return `${middle} (${min}–${max})`;
};

/** Stops an instance while another one has started, as a deploy does. All followers get the next move. */
async function stopOne(bench, session, { audience, programs, ports }) {
  const replacement = await startFollowing(bench, session);
  const rows = await audience.comeBack(ports[0], replacement.port, session.path(), () => programs[0].program.stop());
  const back = rows.map(({ backAfterMs }) => backAfterMs);
  await audience.follow(MOVES + 2, () => session.move(MOVES + 2));
  await replacement.program.stop().catch(() => undefined);
  return {
    'came back': rows.length,
    'streams ended after ms, last': round(Math.max(...rows.map(({ endedAfterMs }) => endedAfterMs))),
    'asked to wait ms': spreadText(rows.map(({ waitMs }) => waitMs)),
    'back after ms': spreadText(back.map(round)),
    'most in 100 ms': mostWithin(back, 100),
  };
}

/** From the start of an instance to the first state of its first stream, and a function without code. */
async function measureFirstStream(bench, onRow) {
  const session = await startSession(bench);
  const runs = { ours: [], bare: [] };
  // The first repetition reads the files from disk and is not counted.
  for (let repetition = 0; repetition <= STARTS; repetition++) {
    for (const [name, start] of [
      ['ours', () => firstStream(bench, session)],
      ['bare', () => bareStart(bench)],
    ]) {
      const begunAt = performance.now();
      const program = await start();
      if (repetition > 0) runs[name].push(performance.now() - begunAt);
      await program.stop();
    }
  }
  onRow({
    what: 'first stream of an instance, ms',
    ours: spreadText(runs.ours.map(round)),
    'bare framework': spreadText(runs.bare.map(round)),
    ratio: round(median(runs.ours.map((ms, i) => ms / runs.bare[i]))),
  });
}

async function firstStream({ node, environment }, session) {
  const { port, program } = await startInstance(node, { name: 'followLiveSession', environment });
  const audience = new Audience();
  const isOpen = () =>
    audience.add(port, session.path()).catch((error) => {
      if (error.code !== 'ECONNREFUSED') throw error;
    });
  while ((await isOpen()) === undefined) await pause(2);
  audience.close();
  return program;
}

async function bareStart({ node }) {
  const { port, program } = await startInstance(node, { name: 'bare' });
  await firstAnswer(`http://127.0.0.1:${port}/`);
  return program;
}

/** Followers without a stream, who ask where the presenter is. */
async function measureAsking(bench, onRow) {
  const session = await startSession(bench);
  const { port, pid, program } = await startFollowing(bench, session);
  const path = session.path();
  const connections = await Promise.all(Array.from({ length: ASKING_CONNECTIONS }, () => Connection.open(port)));
  const text = requestText(path);
  const { status, length, head } = await connections[0].send(text);
  const expected = { status: 200, length };
  if (status !== 200) throw new Error(`Asking was answered with ${status}.`);
  const ask = () => loadFor(ASKING_MS, connections, () => text, expected);
  await ask();
  await fetch(bench.service.ready.countsUrl, { method: 'POST' });
  const cpuBefore = processorMs(pid);
  const { latencies, seconds } = await ask();
  const cpuMs = processorMs(pid) - cpuBefore;
  const { documentReads } = await (await fetch(bench.service.ready.countsUrl)).json();
  for (const connection of connections) connection.close();
  await program.stop();
  onRow({
    what: `asking without a stream, ${ASKING_CONNECTIONS} connections`,
    'requests a second': round(latencies.length / seconds),
    'CPU ms a request': round(cpuMs / latencies.length),
    'documents read a request': round(documentReads / latencies.length),
    'answer, bytes with head': expected.length + head.length + '\r\n\r\n'.length,
  });
}

/** Three digits. */
const round = (value) => Number(value.toPrecision(3));
