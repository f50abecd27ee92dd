import type { z } from 'zod';
import type { listingRow } from '../../functions/src/contract/listings';
import type { Answer as DetailAnswer } from '../../functions/src/endpoints/marketplace/getMarketplaceListing';
import { readIn } from '../../functions/src/records/database';
import { listingRef, updateListing, type Listing } from '../../functions/src/records/listings';
import { transact } from '../../functions/src/records/transact';
import { aStoredListing, storeListings } from './listings';
import { page, startWorld, succeed, world, type Account, type Answered, type Deck } from './world';

export type Row = z.output<typeof listingRow>;
type Detail = z.output<typeof DetailAnswer>;
export type Page = { listings: Row[]; nextCursor: string | null };

/** A publisher, who may publish 20 listings in each test. */
export let owner: Account;

/** Starts the world before the tests of this file. */
export function startMarketplace(): void {
  startWorld(async () => {
    owner = await world.aPublisher('enterprise');
  });
  beforeEach(() => world.forgetPublications(owner));
}

export const publish = (by: Account, fields: Record<string, unknown>, headers: Record<string, string> = {}) =>
  world.call<Row>(
    'publishMarketplaceListing',
    { kind: 'presentation', description: 'Worth a look.', ...fields },
    { key: by.key, headers },
  );
/** Publishes a new deck. */
export const publishNew = async (fields: Record<string, unknown>, by = owner, title?: string) =>
  publish(by, { presentationId: (await world.aDeck(by, [page()], title)).presentationId, ...fields });
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
/** The document of a listing. */
export const listingDoc = (slug: string) => world.database.doc(`listings/${slug}`);
/** The fields of a listing as they are stored. */
export const storedListing = async (slug: string) => (await listingDoc(slug).get()).data() as Listing;
/** Takes a listing down as the operator does, or puts it back. */
export const setTakedown = (slug: string, takedown: Listing['takedown']) =>
  transact(async (tx) => {
    const [listing] = await readIn(tx, listingRef(slug));
    updateListing(tx, listing!, { takedown });
  });
/** Writes listings that publishing would refuse, for the deck and the owner of a published one. */
export async function storeLike(slug: string, ...listings: (Partial<Listing> & { slug: string })[]): Promise<void> {
  const { ownerId, organizationId, presentationId, pinned } = await storedListing(slug);
  const deck = { ownerId, organizationId, presentationId, pinned };
  await storeListings(listings.map((each) => aStoredListing({ ...deck, ...each })));
}
/** Fails unless a listing has ended: it is in no list, and its detail and content answer 410. */
export async function expectEnded(slug: string): Promise<void> {
  const { filters } = (await listingDoc(slug).get()).data() as { filters: string[] };
  expect([filters, (await detail(slug)).status, await world.visit(contentUrl(slug))]).toEqual([[], 410, 410]);
}
/** Makes a deck of the publisher from a listing. */
export const remixOf = (slug: string) =>
  succeed(world.call<Deck>('remixMarketplaceListing', { slug }, { key: owner.key }));
/** A page with unique bytes. */
export const newPage = () => page(Math.random().toString(36));
/** Pushes a new version of a deck of the publisher. */
export const push = async (presentationId: string, files = [newPage()]) => {
  await world.uploadAll(owner, { presentationId }, files);
  return succeed(world.commit(owner, { presentationId }, files));
};
