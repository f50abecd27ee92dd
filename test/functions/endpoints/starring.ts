import { randomUUID } from 'node:crypto';
import { hashKey, mintKey } from '../../../functions/src/values/keys';
import { atOnce } from '../../support/answers';
import { runJob } from '../../support/jobs';
import { list, owner } from '../../support/marketplace';
import { succeed, type Account, world } from '../../support/world';

/** Users who star, view and remix listings, and how their counts are stored. */

type Starred = Record<'stars', number>;

export const star = (slug: string, { key } = owner) => world.call<Starred>('starMarketplaceListing', { slug }, { key });
export const unstar = (slug: string, { key } = owner) =>
  world.call<Starred>('unstarMarketplaceListing', { slug }, { key });
export const signal = (name: string, slug: string, from: string) =>
  world.call<Record<string, number>>(name, { slug }, { headers: { 'x-forwarded-for': from } });
export const view = async (slug: string, from: string) =>
  (await succeed(signal('recordMarketplaceView', slug, from)))['viewCount'];

/** Other users whose keys may publish. */
export async function users(count: number): Promise<Account[]> {
  const template = (await world.database.doc(`apiKeys/${hashKey(owner.key)}`).get()).data()!;
  return atOnce(count, async () => {
    const [key, keyId, userId] = [mintKey('organization'), randomUUID(), randomUUID()];
    await world.database.doc(`apiKeys/${hashKey(key)}`).set({ ...template, keyId, userId });
    return { ...owner, key, keyId, userId };
  });
}

/** As many other users, each with a star for the listing. */
export const starredBy = async (count: number, slug: string) =>
  Promise.all((await users(count)).map((user) => succeed(star(slug, user))));

export const starsOf = async (slug: string) => (await world.database.collection(`listings/${slug}/stars`).get()).size;
export const partsOf = async (slug: string) =>
  (await world.database.collection('listings').where('partOf', '==', slug).get()).docs.map((part) => part.data());
export const fold = () => runJob('foldMarketplaceCounters');
export const listed = async (sort: string) =>
  (await succeed(list({ sort, limit: '100' }))).listings.map(({ slug }) => slug);
