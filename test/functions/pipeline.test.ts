import { z } from 'zod';
import { endpoint, rawEndpoint } from '../../functions/src/http/endpoint';
import { startHost, type Host } from '../../local/host';
import { World, type Account, type Deck } from '../support/world';

/** Endpoints as a hurried author would write them: they declare a role and do not check it. */
const secret = { secret: 'of the deck' };
const declared = { caller: { scope: 'presentations:read', deck: 'owner' }, errors: [] } as const;
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
  '%s, which forgets to check the role that it declares, answers 500 and nothing of the deck',
  async (name) => {
    const response = await fetch(`${host.baseUrl}/${name}?presentationId=${deck.presentationId}`, {
      headers: { authorization: `Bearer ${owner.key}` },
    });
    expect(response.status).toBe(500);
    expect(await response.text()).not.toContain(secret.secret);
  },
);
