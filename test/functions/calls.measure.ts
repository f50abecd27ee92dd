import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { processorMs, residentMb } from '../../bench/processes.mjs';
import { aFolder } from '../local/folders';
import { deployTo } from '../support/deployed';
import { endpoints } from '../support/endpoints';
import { prepareCall } from '../support/every-call';
import { startInstance } from '../support/framework';
import { startWorld, world } from '../support/world';
import { buildBundles } from '../support/bundles';

/**
 * What an instance of each function costs, in processor time of its process: from its start to its first answer, and
 * then for each call, which is the example of the API reference. `npm run bench -- --calls` writes bench/calls.json, of
 * which the simulation is fed.
 */

/** In the cloud the first read also loads google-auth.js and gets a token: ms of a CPU, docs/performance.md. */
const TOKEN_MS = 64;
const STARTS = 3;
/** Calls after which the code of a call is compiled, and those that are measured. */
const [WARMING, MEASURED] = [5, 9];

const deployed = aFolder();
const node = process.env['INSTANCE_NODE'] ?? process.execPath;
const measured: Record<string, object> = {};

startWorld(async () => {
  buildBundles();
  deployTo(deployed);
  // npm runs it where the functions are built, on the Node of the instances.
  execFileSync(node, [join(deployed, 'compile.cjs')]);
  await world.aDeck(await world.anOwner());
});

const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
const round = (ms: number) => Number(ms.toPrecision(3));

/** Starts an instance and sends its first call. */
async function start(name: string) {
  // The hour of a network address has too few codes for these calls.
  await world.database.recursiveDelete(world.database.collection('requestWindows'));
  const environment = { ...world.cloud.environment, TRUSTED_PROXY_HOPS: '1' };
  const instance = await startInstance(name, environment, deployed, node);
  const send = async () => {
    const call = await prepareCall(world, name, instance.url);
    const before = processorMs(instance.pid)!;
    const { status, text } = await call.send();
    if (status >= 400) throw new Error(`${name} answered ${status}: ${text}`);
    return processorMs(instance.pid)! - before;
  };
  await send();
  return { instance, send, startMs: processorMs(instance.pid)! };
}

test.each(Object.keys(endpoints))('%s', async (name) => {
  const starts: number[] = [];
  for (let i = 1; i < STARTS; i++) {
    const { instance, startMs } = await start(name);
    starts.push(startMs);
    await instance.stop();
  }
  const { instance, send, startMs } = await start(name);
  for (let i = 0; i < WARMING; i++) await send();
  const calls: number[] = [];
  for (let i = 0; i < MEASURED; i++) calls.push(await send());
  const { roundTrips, bucketCalls = 0 } = endpoints[name]!.definition.cost;
  measured[name] = {
    startMs: TOKEN_MS + Math.round(median([...starts, startMs])),
    callMs: round(median(calls)),
    roundTrips,
    bucketCalls,
    mb: Math.round(residentMb(instance.pid)!),
  };
  await instance.stop();
});

test('the figures are written', () => {
  const file = process.env['FIGURES'];
  if (file) writeFileSync(file, `${JSON.stringify(measured, null, 2)}\n`);
  expect(Object.keys(measured)).toEqual(Object.keys(endpoints));
});
