import type { z } from 'zod';
import type { listingRow } from '../../../functions/src/http/listings';
import { passSeconds } from '../../support/clock';
import { page, succeed, World, type Account } from '../../support/world';

type Listing = z.output<typeof listingRow>;
interface Page {
  listings: Listing[];
  nextCursor: string | null;
}

let world: World;
let owner: Account;
beforeAll(async () => {
  world = await World.start();
  owner = await world.aPublisher();
});
afterAll(() => world.stop());

const publish = (by: Account, fields: Record<string, unknown>, headers: Record<string, string> = {}) =>
  world.call<Listing>(
    'publishMarketplaceListing',
    { kind: 'presentation', description: 'Worth a look.', ...fields },
    { key: by.key, headers },
  );
const update = (by: Account, fields: Record<string, unknown>) =>
  world.call<Listing>('updateMarketplaceListing', fields, { key: by.key });
const list = (query: Record<string, string> = {}) => world.call<Page>('listMarketplaceListings', undefined, { query });
const find = async (slug: string, query: Record<string, string> = {}) =>
  (await list(query)).data.listings.find((each) => each.slug === slug);

describe('publishMarketplaceListing', () => {
  test('lists the current version of a deck under a slug made from its title', async () => {
    const deck = await world.aDeck(owner, [page()], 'Q3 Roadmap — 2026');
    const { presentationId } = deck;
    await succeed(world.commit(owner, { presentationId }, [page()]));
    const answer = await publish(owner, { presentationId });
    expect(answer.data).toEqual({
      slug: 'q3-roadmap-2026',
      kind: 'presentation',
      interactive: false,
      version: 2,
      status: 'public',
      marketplaceUrl: `${world.cloud.hostingUrl}/marketplace/q3-roadmap-2026`,
    });
    expect(await find('q3-roadmap-2026')).toMatchObject({ title: 'Q3 Roadmap — 2026', tags: [], stars: 0, version: 2 });
  });
});
