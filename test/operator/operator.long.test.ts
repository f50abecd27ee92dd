import { randomUUID } from 'node:crypto';
import type { Presentation } from '../../functions/src/records/presentations';
import { firstRemixes } from '../../operator/remixes';
import { aStoredListing, storeListings } from '../support/listings';
import { storeDocuments } from '../support/stored';
import { documentsWith } from '../support/whole-store';
import { startWorld, world } from '../support/world';
import { done } from './fixture';

startWorld();

test('what was remixed from a listing is taken down completely when it is more than one page of decks', async () => {
  const { slug, presentationId } = await world.aListing(await world.aPublisher());
  const template = (await world.database.doc(`presentations/${presentationId}`).get()).data()!;
  const base = { manifestId: randomUUID(), shardCount: 1 };
  const remixedFrom: Presentation['remixedFrom'] = { slug, generation: 1, version: 1, base };
  const decks = Array.from({ length: 101 }, (_, i) => {
    const id = `${presentationId.slice(0, -4)}${String(i).padStart(4, '0')}`;
    const own = { presentationId: id, listingSlug: null, firstToken: null };
    return [`presentations/${id}`, { ...template, ...own, remixedFrom }] as const;
  });
  await storeDocuments(world.database, decks);
  // The first remixes are shown without reading all public descendants.
  const lineage = [{ slug, generation: 1, title: slug }];
  await storeListings(Array.from({ length: 20 }, (_, i) => aStoredListing({ slug: `${slug}-below-${i}`, lineage })));
  const shown = await world.costOf(async () => {
    expect((await firstRemixes({ slug, generation: 1 }, 50)).remixes).toHaveLength(50);
  });
  expect(shown).toMatchObject({ documentReads: 100, roundTrips: 1 });
  const takedowns = async () => (await documentsWith(world, 'presentations', 'takedown.reason', 'many')).length;
  const deck = ['--presentation', presentationId, '--with-remixes'] as const;
  await done('take-down', ...deck, '--reason', 'many');
  expect(await takedowns()).toBe(102);
  await done('put-back', ...deck);
  expect(await takedowns()).toBe(0);
});
