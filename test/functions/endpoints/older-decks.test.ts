import { decksToComplete } from '../../../functions/src/decks/older-decks';
import { read } from '../../../functions/src/records/database';
import { emptyState, marketplaceStateRef, setMarketplaceState } from '../../../functions/src/records/marketplace-state';
import { runJob } from '../../support/jobs';
import { watchLog } from '../../support/request-lines';
import { page, succeed, World, type Account } from '../../support/world';
import type { Deck } from '../../support/stored';

/** Decks in the form in which an earlier release stored them. */

let world: World;
let owner: Account;
/** The records that the job could not process, as its lines of the log name them. */
const failed: string[] = [];
beforeAll(async () => {
  watchLog((text) => {
    if (!text.includes('"severity":"ERROR"')) return;
    const { message, function: name, id } = JSON.parse(text) as Record<'message' | 'function' | 'id', string>;
    failed.push(message === 'A job could not process an item.' && name === 'refreshMarketplace' ? id : text);
  });
  world = await World.start();
  owner = await world.anOwner();
});
afterEach(() => expect(failed.splice(0)).toEqual([]));
afterAll(() => world.stop());

const picture = { path: 'thumbnail.png', contentType: 'image/png', bytes: Buffer.from('a picture') };
const record = ({ presentationId }: Pick<Deck, 'presentationId'>) =>
  world.database.doc(`presentations/${presentationId}`);

async function makeOlder(deck: Pick<Deck, 'presentationId'>): Promise<void> {
  const { picture: _, activeLinks: __, ...older } = (await record(deck).get()).data()!;
  await record(deck).set(older);
}
/** A run of the job after an update of the service. */
async function update(): Promise<void> {
  await setMarketplaceState({ decks: { to: 0, after: null, isDone: false, failed: [] } });
  await runJob('refreshMarketplace');
}
const state = () => world.database.doc('marketplaceStates/current');
const progress = async (of: 'decks' | 'renewal' = 'decks') => (await state().get()).get(of) as object;
const rows = async () => {
  const { data } = await world.call<{ presentations: { id: string; picture: unknown; activeLinks: number | null }[] }>(
    'listMyPresentations',
    undefined,
    { key: owner.key, method: 'GET' },
  );
  return data.presentations;
};
const row = async ({ presentationId }: Pick<Deck, 'presentationId'>) => {
  const { picture, activeLinks } = (await rows()).find(({ id }) => id === presentationId)!;
  return { picture, activeLinks };
};
const call = <T = unknown>(name: string, input: object) => world.call<T>(name, input, { key: owner.key });

test('get their picture and the number of their open links from the hourly job, and keep everything else', async () => {
  const pictured = await world.aPushedDeck(owner, [page(), picture]);
  const plain = await world.aDeck(owner);
  const { presentationId } = pictured;
  const add = () => succeed(call<{ tokenId: string }>('addPresentationToken', { presentationId, tokenName: 'more' }));
  const { tokenId } = await add();
  await add();
  await succeed(call('unsharePresentation', { presentationId, tokenId }));
  const before = (await record(pictured).get()).data();
  const shown = await row(pictured);
  expect(shown).toMatchObject({ picture: { contentType: 'image/png', size: 9 }, activeLinks: 2 });

  for (const deck of [pictured, plain]) await makeOlder(deck);
  expect(await row(pictured)).toEqual({ picture: null, activeLinks: null });
  await update();
  expect(await row(pictured)).toEqual(shown);
  expect(await row(plain)).toEqual({ picture: null, activeLinks: 1 });
  expect((await record(pictured).get()).data()).toEqual(before);
  expect((await record(plain).get()).get('picture')).toBeNull();
  // From now on the number is kept.
  await add();
  expect((await row(pictured)).activeLinks).toBe(3);
});

test('are counted right when commits, new links and revocations race with the job', async () => {
  const decks = await Promise.all(Array.from({ length: 4 }, () => world.aDeck(owner)));
  await Promise.all(
    decks.map(({ presentationId }) => world.uploadAll(owner, { presentationId }, [page('two'), picture])),
  );
  for (const deck of decks) await makeOlder(deck);
  await Promise.all([
    update(),
    runJob('refreshMarketplace'),
    ...decks.flatMap(({ presentationId, tokenId }) => [
      succeed(call('addPresentationToken', { presentationId, tokenName: 'second' })),
      succeed(call('addPresentationToken', { presentationId, tokenName: 'third' })),
      succeed(call('unsharePresentation', { presentationId, tokenId })),
      succeed(world.commit(owner, { presentationId }, [page('two'), picture])),
    ]),
  ]);
  await update();
  for (const deck of decks) {
    expect(await row(deck)).toMatchObject({ picture: { contentType: 'image/png' }, activeLinks: 2 });
  }
});

test('are looked at once: the job notes its place, continues there, and ends', async () => {
  const decks = [...(await Promise.all([world.aDeck(owner), world.aDeck(owner), world.aDeck(owner)]))].sort((a, b) =>
    a.presentationId < b.presentationId ? -1 : 1,
  );
  for (const deck of decks) await makeOlder(deck);
  // As an earlier release stored it.
  const decksOfState = { to: 1, after: decks[0]!.presentationId, isDone: false };
  await state().set({ decks: decksOfState }, { merge: true });
  await runJob('refreshMarketplace');
  expect(await Promise.all(decks.map(async (deck) => (await row(deck)).activeLinks))).toEqual([null, 1, 1]);
  expect(await progress()).toEqual({ to: 1, after: null, isDone: true, failed: [] });
  // All decks have been looked at.
  await makeOlder(decks[1]!);
  await runJob('refreshMarketplace');
  expect((await row(decks[1]!)).activeLinks).toBeNull();
});

/** Stores decks that no job can read. Their ids come before all others. */
const damage = (count: number) =>
  Promise.all(
    Array.from({ length: count }, async (_, i) => {
      const id = `00-${String(i).padStart(3, '0')}`;
      await world.database.doc(`presentations/${id}`).set({ title: 'Without the other fields' });
      return id;
    }),
  );
const remove = (ids: string[]) => Promise.all(ids.map((id) => world.database.doc(`presentations/${id}`).delete()));

test('are completed beside a damaged one, which is tried again alone, for 24 runs at most', async () => {
  const deck = await world.aDeck(owner);
  // Its owner cannot list decks until it is repaired.
  const repaired = await world.aDeck(await world.anOwner());
  for (const each of [deck, repaired]) await makeOlder(each);
  const older = (await record(repaired).get()).data()!;
  await record(repaired).update({ current: 'damaged' });
  const [id] = (await damage(1)) as [string];
  await update();
  expect((await row(deck)).activeLinks).toBe(1);
  expect(failed.splice(0)).toEqual([id, repaired.presentationId]);
  const tried = (tries: number) => [id, repaired.presentationId].map((each) => ({ id: each, tries }));
  expect(await progress()).toEqual({ to: 1, after: null, isDone: true, failed: tried(1) });

  await makeOlder(deck);
  await runJob('refreshMarketplace');
  expect(failed.splice(0)).toEqual([id, repaired.presentationId]);
  expect(await progress()).toMatchObject({ isDone: true, failed: tried(2) });
  expect((await row(deck)).activeLinks).toBeNull();

  await record(repaired).set(older);
  await state().set({ decks: { failed: tried(24) } }, { merge: true });
  await runJob('refreshMarketplace');
  expect((await record(repaired).get()).get('activeLinks')).toBe(1);
  expect(failed.splice(0)).toEqual([id]);
  expect(await progress()).toMatchObject({ isDone: true, failed: [] });
  await remove([id]);
});

test('a run that is cut off notes the deck that it tried, and the next run begins with the others', async () => {
  const [first, second] = await damage(2);
  const given = [first, second].map((id) => ({ id: id!, tries: 1 }));
  await setMarketplaceState({ decks: { to: 1, after: null, isDone: true, failed: given } });
  for (const expected of [
    { tried: first, failed: [given[1], { id: first, tries: 2 }] },
    {
      tried: second,
      failed: [
        { id: first, tries: 2 },
        { id: second, tries: 2 },
      ],
    },
  ]) {
    const { decks } = (await read(marketplaceStateRef()))[0]!;
    for await (const { id } of decksToComplete({ ...emptyState, decks })) {
      expect(id).toBe(expected.tried);
      break;
    }
    expect(await progress()).toEqual({ to: 1, after: null, isDone: true, failed: expected.failed });
  }
  await remove([first!, second!]);
});

test('wait while 100 decks fail, and are completed when these decks are deleted', async () => {
  const deck = await world.aDeck(owner);
  await makeOlder(deck);
  const ids = (await damage(101)).sort();
  const first = ids.slice(0, 100);
  await update();
  expect(failed.splice(0)).toEqual(first);
  const tried = (tries: number) => first.map((id) => ({ id, tries }));
  expect(await progress()).toEqual({ to: 1, after: first.at(-1), isDone: false, failed: tried(1) });
  await runJob('refreshMarketplace');
  expect(failed.splice(0)).toEqual(first);
  expect(await progress()).toEqual({ to: 1, after: first.at(-1), isDone: false, failed: tried(2) });
  await remove(ids);
  await runJob('refreshMarketplace');
  expect((await row(deck)).activeLinks).toBe(1);
  expect(await progress()).toEqual({ to: 1, after: null, isDone: true, failed: [] });
});

test('are completed beside a damaged listing, which does not stop the renewal of the others', async () => {
  const deck = await world.aDeck(owner);
  await makeOlder(deck);
  const { slug } = await world.aListing(await world.aPublisher());
  const listing = world.database.doc(`listings/${slug}`);
  const { tokenRules } = (await listing.get()).data() as { tokenRules: number };
  await listing.update({ tokenRules: tokenRules - 1 });
  const damaged = world.database.doc('listings/00-damaged');
  await damaged.set({ title: 'Without the other fields' });
  await setMarketplaceState({ renewal: { to: 0, after: null, isDone: false, failed: [] } });
  await update();
  expect(failed.splice(0)).toEqual(['00-damaged']);
  expect((await listing.get()).get('tokenRules')).toBe(tokenRules);
  expect((await row(deck)).activeLinks).toBe(1);
  expect(await progress('renewal')).toMatchObject({ isDone: true, failed: [{ id: '00-damaged', tries: 1 }] });
  await damaged.delete();
  await runJob('refreshMarketplace');
  expect(await progress('renewal')).toMatchObject({ isDone: true, failed: [] });
});
