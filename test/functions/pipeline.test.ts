import { z } from 'zod';
import { runIn } from '../../functions/src/context';
import { endpoint, rawEndpoint } from '../../functions/src/http/endpoint';
import { deleteRecords } from '../../functions/src/records/deletions';
import { db } from '../../functions/src/records/sdk';
import { startHost } from '../../local/host';
import { World } from '../support/world';

let world: World;
beforeAll(async () => (world = await World.start()));
afterAll(() => world.stop());

// It runs first, because a call of it opens the connection.
test('the end of the request that opened the connection does not end what the SDK sends for a later one', async () => {
  const endsAt = performance.now() + 1000;
  await runIn({ trail: undefined, endsAt }, () => db().doc('presentations/none').get());
  while (performance.now() < endsAt) await new Promise(setImmediate);
  const below = world.database.doc('presentations/late/novelties/none/below/a');
  await below.set({});
  // The recursive deletion of the SDK sends its writes when its query ends.
  await runIn({ trail: undefined, endsAt: performance.now() + 60_000 }, () => deleteRecords('late'));
  expect((await below.get()).exists).toBe(false);
});

/** Endpoints that declare a role and do not check it. */
const secret = { secret: 'of the deck' };
const declared = {
  about: 'Forgets its role.',
  caller: { scope: 'presentations:read', deck: 'owner' },
  method: 'GET',
  errors: [],
  cost: { roundTrips: 0, reads: 0, writes: 0 },
} as const;
const careless = endpoint({
  ...declared,
  name: 'careless',
  input: z.object({ presentationId: z.string() }),
  answer: z.object({ secret: z.string() }),
  handle: () => Promise.resolve(secret),
});
const carelessFile = rawEndpoint({ ...declared, name: 'carelessFile', answers: {}, handle: () => Promise.resolve() });

test('an endpoint that does not check its declared role answers 500 without data of the deck', async () => {
  const host = await startHost({ functions: { careless, carelessFile }, project: world.cloud.project });
  const owner = await world.anOwner();
  const { presentationId } = await world.aDeck(owner);
  for (const name of ['careless', 'carelessFile']) {
    const headers = { authorization: `Bearer ${owner.key}` };
    const response = await fetch(`${host.baseUrl}/${name}?presentationId=${presentationId}`, { headers });
    expect([name, response.status]).toEqual([name, 500]);
    expect(await response.text()).not.toContain(secret.secret);
  }
  await host.close();
});
