// `npm run bench -- --simulate`: many people at once, in the model of bench/cloud-model.mjs. The sizes are those of the
// deployed functions, the times are those of bench/calls.json, which `npm run bench -- --calls` measures.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { root } from '../scripts/root.mjs';
import { Region } from './cloud-model.mjs';
import { mixes, play, randomNumbers } from './mixes.mjs';
import { writesOfReaders } from './writes.mjs';

/** What a call waits for in the cloud, in ms. They are assumptions: no call was measured there. */
const DATABASE_CALL_MS = 15;
const BUCKET_CALL_MS = 40;
/** Processor time of a file in a form, in ms, Node 24: docs/performance.md. */
const FILE_MS = 1.1;

const calls = JSON.parse(readFileSync(join(root, 'bench/calls.json'), 'utf8'));

/** The functions as a deploy with this quota has them. */
function deployed(quota) {
  process.env.CPU_QUOTA = String(quota);
  const require = createRequire(import.meta.url);
  const lib = join(root, 'functions', 'lib');
  for (const file of Object.keys(require.cache)) if (file.startsWith(lib)) delete require.cache[file];
  const functions = require(join(lib, 'index.js'));
  return Object.fromEntries(
    Object.keys(calls).map((name) => {
      const { cpu, availableMemoryMb, concurrency, maxInstances } = functions[name].__endpoint;
      const { startMs } = calls[name];
      return [name, { cpu, memoryGiB: availableMemoryMb / 1024, concurrency, maxInstances, startMs }];
    }),
  );
}

function timeOf(call) {
  const [name, files = 0] = [call].flat();
  const { callMs, roundTrips, bucketCalls } = calls[name];
  const waitMs = roundTrips * DATABASE_CALL_MS + bucketCalls * BUCKET_CALL_MS;
  return [name, { cpuMs: callMs + files * FILE_MS, waitMs }];
}

const seconds = (ms) => Number((ms / 1000).toPrecision(2));

/** Who reads one deck at once, and the writes a second to its documents. */
export const writesOfOneDeck = () =>
  [1, 5].map((minutes) => ({
    what: `5 000 readers come within ${minutes} min and read at once`,
    ...Object.fromEntries(
      Object.entries(writesOfReaders({ count: 5000, ms: minutes * 60_000 }, randomNumbers(1))).map(
        ([of, perSecond]) => [`writes a second to ${of}`, Number(perSecond.toPrecision(2))],
      ),
    ),
  }));

/** Runs every mix under each quota, and passes its row on. */
export function simulate(quotas, onRow) {
  for (const quota of quotas) {
    const sizes = deployed(quota);
    for (const [what, groups] of Object.entries(mixes)) {
      const region = new Region(quota, sizes);
      play(groups, region, (call, onEnd) => region.send(...timeOf(call), onEnd));
      const { requests, refused, p50, p99, vcpu, dollars, firstRefusal } = region.run();
      onRow({
        quota,
        what,
        requests,
        'p50 s': seconds(p50),
        'p99 s': seconds(p99),
        refused,
        'most vCPU in use': Math.round(vcpu * 10) / 10,
        'US dollars': Number(dollars.toPrecision(2)),
        'first refusal': firstRefusal ?? '–',
      });
    }
  }
}
