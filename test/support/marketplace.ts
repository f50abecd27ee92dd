import type { z } from 'zod';
import type { listingRow } from '../../functions/src/contract/listings';
import type { Answer as DetailAnswer } from '../../functions/src/endpoints/marketplace/getMarketplaceListing';
import { page, succeed, World, type Account, type Answered } from './world';

export type Row = z.output<typeof listingRow>;
export type Detail = z.output<typeof DetailAnswer>;
export interface Page {
  listings: Row[];
  nextCursor: string | null;
}

/** A world with a publisher, who may publish 20 listings in each test. */
export let world: World;
export let owner: Account;

/** Starts the world before the tests of this file. */
export function startMarketplace(): void {
  beforeAll(async () => {
    world = await World.start();
    owner = await world.aPublisher('enterprise');
  });
  afterAll(() => world.stop());
  beforeEach(() => world.forgetPublications(owner));
}

export const publish = (by: Account, fields: Record<string, unknown>, headers: Record<string, string> = {}) =>
  world.call<Row>(
    'publishMarketplaceListing',
    { kind: 'presentation', description: 'Worth a look.', ...fields },
    { key: by.key, headers },
  );
export const update = (by: Account, fields: Record<string, unknown>) =>
  world.call<Row>('updateMarketplaceListing', fields, { key: by.key });
export const list = (query: Record<string, string> = {}) =>
  world.call<Page>('listMarketplaceListings', undefined, { query });
export const detail = (slug: string, key?: string) =>
  world.call<Detail>('getMarketplaceListing', undefined, { query: { slug }, key });
export const remixesOf = (slug: string) =>
  world.call<{ slug: string; remixes: Row[]; nextCursor: string | null }>('listMarketplaceRemixes', undefined, {
    query: { slug },
  });
export const find = async (slug: string) =>
  (await list({ limit: '100' })).data.listings.find((each) => each.slug === slug);
export const contentUrl = (slug: string, path = '') =>
  `${world.cloud.baseUrl}/getMarketplaceListingContent/${slug}/${path}`;
export const problems = ({ status, error }: Answered<unknown>) => [
  status,
  error.code,
  error.details?.errors?.map(({ location }) => location),
];
/** A page with unique bytes. */
export const newPage = () => page(Math.random().toString(36));
/** Pushes a new version of a deck of the publisher. */
export const push = async (presentationId: string, files = [newPage()]) => {
  await world.uploadAll(owner, { presentationId }, files);
  return succeed(world.commit(owner, { presentationId }, files));
};
