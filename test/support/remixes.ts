import { bucket } from './whole-store';
import { succeed, World, type Account, type Deck } from './world';

export interface Remix extends Deck {
  fileCount: number;
  totalBytes: number;
  remixedFrom: { slug: string; version: number };
}

/** A world in which the author publishes listings and the reader remixes them. */
export let world: World;
export let author: Account;
export let reader: Account;

/** Starts the world before the tests of this file. */
export function startRemixing(): void {
  beforeAll(async () => {
    world = await World.start();
    author = await world.aPublisher('enterprise');
    reader = await world.aPublisher('enterprise');
  });
  afterAll(() => world.stop());
}

export const remix = (by: Account, fields: Record<string, unknown>, headers: Record<string, string> = {}) =>
  world.call<Remix>('remixMarketplaceListing', fields, { key: by.key, headers });
export const update = (slug: string, fields: Record<string, unknown>) =>
  succeed(world.call('updateMarketplaceListing', { slug, ...fields }, { key: author.key }));
export const listingOf = (slug: string) => world.database.doc(`listings/${slug}`);
export const blobsOf = (presentationId: string) => world.database.collection(`presentations/${presentationId}/blobs`);
export const objectOf = (presentationId: string, hash: string) =>
  bucket().file(`presentations/${presentationId}/blobs/${hash}`);
export const countOf = async (presentationId: string) => (await blobsOf(presentationId).count().get()).data().count;
export const decksOf = async (account: Account) =>
  (
    await world.call<{ presentations: { id: string; title: string }[] }>('listMyPresentations', undefined, {
      key: account.key,
    })
  ).data.presentations;
export const view = async (deck: Deck, path = '') => (await fetch(world.viewUrl(deck, path))).text();

/** The deck ids that unfinished remixes reserve. */
export async function begun(): Promise<string[]> {
  const sessions = await world.database.collection('uploadSessions').get();
  return sessions.docs.filter(({ id }) => id.startsWith('remix-')).map((each) => each.get('presentationId') as string);
}
