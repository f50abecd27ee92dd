import { setMarketplaceState } from '../../../functions/src/records/marketplace-state';
import { runJob } from '../../support/jobs';
import { page, succeed, World, type Account } from '../../support/world';
import type { Deck } from '../../support/stored';

/** Decks in the form in which an earlier release stored them. */

let world: World;
let owner: Account;
beforeAll(async () => {
  world = await World.start();
  owner = await world.anOwner();
});
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
  await setMarketplaceState({ decks: { to: 0, after: null, isDone: false } });
  await runJob('refreshMarketplace');
}
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
  await setMarketplaceState({ decks: { to: 1, after: decks[0]!.presentationId, isDone: false } });
  await runJob('refreshMarketplace');
  expect(await Promise.all(decks.map(async (deck) => (await row(deck)).activeLinks))).toEqual([null, 1, 1]);
  const state = (await world.database.doc('marketplaceStates/current').get()).get('decks') as object;
  expect(state).toMatchObject({ to: 1, isDone: true });
  // All decks have been looked at.
  await makeOlder(decks[1]!);
  await runJob('refreshMarketplace');
  expect((await row(decks[1]!)).activeLinks).toBeNull();
});

test('are completed beside a damaged one', async () => {
  const deck = await world.aDeck(owner);
  await makeOlder(deck);
  await world.database.doc('presentations/00-damaged').set({ title: 'Without the other fields' });
  await update();
  expect((await row(deck)).activeLinks).toBe(1);
  await world.database.doc('presentations/00-damaged').delete();
});
