// One engine for the simulation: the local cloud in a process that also counts, for each commit, what the database's
// statistics do not have. It prints its addresses in one line and answers with its counts over HTTP.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { startLocalCloud } from '../local';
import { Engine } from '../local/firestore/engine';
import { projectRoot } from '../local/project';

interface Counts {
  commits: number;
  /** Commits that the engine refused, by their code. ABORTED is contention. */
  refused: Record<string, number>;
  /** The most writes to one counter of views within one second. */
  maxWritesPerSecond: number;
}

const none = (): Counts => ({ commits: 0, refused: {}, maxWritesPerSecond: 0 });
let counts = none();
let second = 0;
let writesOfSecond = new Map<string, number>();

function countWrite(path: string): void {
  const now = Math.floor(Date.now() / 1000);
  if (now !== second) writesOfSecond = new Map();
  second = now;
  const writes = (writesOfSecond.get(path) ?? 0) + 1;
  writesOfSecond.set(path, writes);
  counts.maxWritesPerSecond = Math.max(counts.maxWritesPerSecond, writes);
}

// eslint-disable-next-line @typescript-eslint/unbound-method -- called with the engine below
const { commit } = Engine.prototype;
Engine.prototype.commit = async function (...given) {
  try {
    const committed = await commit.apply(this, given);
    counts.commits++;
    for (const { path } of given[0]) if (path.segments.includes('viewCounters')) countWrite(path.segments.join('/'));
    return committed;
  } catch (error) {
    const { code } = error as { code?: number };
    counts.refused[String(code)] = (counts.refused[String(code)] ?? 0) + 1;
    throw error;
  }
};

async function main(): Promise<void> {
  globalThis.console = new console.Console(process.stderr, process.stderr);
  const loadFunctions = async () =>
    createRequire(__filename)(join(projectRoot, 'functions', 'lib', 'index.js')) as Record<string, unknown>;
  const cloud = await startLocalCloud({ ephemeral: true, loadFunctions });
  // A GET returns the counts since the last POST.
  const server = createServer((request, response) => {
    response.end(JSON.stringify({ ...cloud.firestore.stats(), ...counts }));
    if (request.method !== 'POST') return;
    cloud.firestore.resetStats();
    counts = none();
  }).listen(0, '127.0.0.1', () => {
    const { project, dataDir, baseUrl, firestoreHost, storageHost, authHost, mailUrl } = cloud;
    const countsUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const ready = { project, dataDir, baseUrl, firestoreHost, storageHost, authHost, mailUrl, countsUrl };
    process.stdout.write(`${JSON.stringify(ready)}\n`);
  });
  process.once('SIGTERM', () => void cloud.close().then(() => process.exit(0)));
}

void main();
