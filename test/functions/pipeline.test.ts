import { z } from 'zod';
import { endpoint, rawEndpoint } from '../../functions/src/http/endpoint';
import { startHost, type Host } from '../../local/host';
import { World, type Account, type Deck } from '../support/world';

/** Endpoints that declare a role and do not check it. */
const secret = { secret: 'of the deck' };
const declared = {
  about: 'Forgets its role.',
  caller: { scope: 'presentations:read', deck: 'owner' },
  errors: [],
  cost: { roundTrips: 0, reads: 0, writes: 0 },
} as const;
const careless = endpoint({
  ...declared,
  name: 'careless',
  method: 'GET',
  input: z.object({ presentationId: z.string() }),
  answer: z.object({ secret: z.string() }),
  handle: () => Promise.resolve(secret),
});
const carelessFile = rawEndpoint({
  ...declared,
  name: 'carelessFile',
  method: 'GET',
  answers: {},
  handle: () => Promise.resolve(),
});

let world: World;
let host: Host;
let owner: Account;
let deck: Deck;

beforeAll(async () => {
  world = await World.start();
  host = await startHost({ functions: { careless, carelessFile }, project: world.cloud.project });
  owner = await world.anOwner();
  deck = await world.aDeck(owner);
});
afterAll(async () => {
  await host.close();
  await world.stop();
});

test.each(['careless', 'carelessFile'])(
  '%s, which does not check its declared role, answers 500 without data of the deck',
  async (name) => {
    const response = await fetch(`${host.baseUrl}/${name}?presentationId=${deck.presentationId}`, {
      headers: { authorization: `Bearer ${owner.key}` },
    });
    expect(response.status).toBe(500);
    expect(await response.text()).not.toContain(secret.secret);
  },
);
