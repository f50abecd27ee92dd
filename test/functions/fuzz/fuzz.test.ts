import fc from 'fast-check';
import { deviationsOf } from '../../support/documented';
import { World } from '../../support/world';
import { operations, type Operation } from './operations';
import { requestsOf, validRequestsOf } from './requests';
import { makeScene, type Scene } from './scene';
import { send, type WireRequest } from './wire';

/*
 * Sends requests that are made from the API description to every operation. `FUZZ_SEED` repeats a run, and
 * `FUZZ_REQUESTS` says how many requests each operation gets.
 */
const seed = Number(process.env['FUZZ_SEED'] ?? 20_261_122);
const numRuns = Number(process.env['FUZZ_REQUESTS'] ?? 40);

let world: World;
let scene: Scene;

beforeAll(async () => {
  world = await World.start();
  scene = await makeScene(world);
});
afterAll(() => world.stop());

/** What is wrong with the answer to a request. */
async function problemsOf({ endpoint }: Operation, wire: WireRequest, base = world.cloud.baseUrl): Promise<string[]> {
  const path = base === world.cloud.baseUrl ? `${new URL(base).pathname}/${endpoint}` : '';
  const answer = await send(base, path, wire);
  if (!answer) return [];
  const { status, headers, body } = answer;
  // The host answers what is not HTTP or has another host, before it calls a function.
  if (headers['x-request-id'] === undefined)
    return [400, 421, 431].includes(status) ? [] : [`${status} is not from the function`];
  const found = deviationsOf({ name: endpoint, method: wire.method, url: wire.url, status, headers, body });
  return [...(status >= 500 ? [`the status is ${status}`] : []), ...found];
}

/** Fails with the shortest request that is answered wrongly, and with what repeats it. */
async function holds(property: fc.IAsyncProperty<[WireRequest]>, ownSeed: number, runs = numRuns): Promise<void> {
  await fc.assert(property, { seed: ownSeed, numRuns: runs, endOnFailure: process.env['FUZZ_SHRINK'] === undefined });
}

const shown = ({ method, url, headers, body }: WireRequest) =>
  `${method} ${url.slice(0, 300)} ${JSON.stringify(headers).slice(0, 600)} ${body?.subarray(0, 400).toString() ?? ''}`;

const demand = async (operation: Operation, wire: WireRequest, base?: string) => {
  const problems = await problemsOf(operation, wire, base);
  if (problems.length > 0) throw new Error(`${problems.join('; ')}\nSeed ${seed}: ${shown(wire)}`);
};

test.each(operations.map((each) => [each.id, each] as const))(
  'every answer of %s is described',
  async (_id, operation) => {
    await holds(fc.asyncProperty(requestsOf(operation, scene.known), (wire) => demand(operation, wire)));
  },
);
