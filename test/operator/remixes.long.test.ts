import { startWorld, succeed, world, type Account, type Deck } from '../support/world';
import { actionsOn, done } from './fixture';

/** Take-downs of listings with what was remixed from them. */

let publisher: Account;
let remixer: Account;

startWorld(async () => {
  publisher = await world.aPublisher();
  remixer = await world.aPublisher();
});

const remixOf = async (slug: string) =>
  succeed(world.call<Deck>('remixMarketplaceListing', { slug }, { key: remixer.key }));
const statusesOf = (decks: Deck[]) => Promise.all(decks.map((each) => world.visit(world.viewUrl(each))));
const contentOf = ({ slug }: { slug: string }) =>
  world.visit(`${world.cloud.baseUrl}/getMarketplaceListingContent/${slug}/`);
type Shown = { remixes: { presentationId: string; listing: { slug: string } | null }[]; hasMoreRemixes: boolean };

test('what was remixed from a listing is shown, taken down and put back with it: listed or not, remixes of remixes, and remixes of deleted decks', async () => {
  const source = await world.aListing(publisher);
  const root = ['--listing', source.slug] as const;
  const [published, notListed] = [await remixOf(source.slug), await remixOf(source.slug)];
  const apart = await remixOf(source.slug);
  const child = await world.aListing(remixer, {}, published);
  const grandchild = await remixOf(child.slug);
  const passing = await world.aListing(remixer, {}, await remixOf(source.slug));
  const belowPassing = await remixOf(passing.slug);
  await succeed(world.call('deletePresentation', { presentationId: passing.presentationId }, { key: remixer.key }));
  await done('take-down', '--presentation', apart.presentationId, '--reason', 'spam');

  const all = [published, notListed, grandchild, belowPassing];
  const shown = await done<Shown>('show', 'listing', ...root);
  const ids = shown.remixes.map(({ presentationId }) => presentationId);
  expect(ids.sort()).toEqual([...all, apart].map(({ presentationId }) => presentationId).sort());
  expect(shown.remixes.map(({ listing }) => listing?.slug).filter(Boolean)).toEqual([child.slug]);
  const { remixes, hasMoreRemixes } = await done<Shown>('show', 'listing', ...root, '--limit', '2');
  expect([remixes.length, hasMoreRemixes]).toEqual([2, true]);

  const takeDown = ['take-down', ...root, '--with-remixes', '--reason', 'phishing'] as const;
  expect(await done(...takeDown)).toMatchObject({ slug: source.slug, remixes: { takenDown: 4, alreadyDown: 1 } });
  expect([...(await statusesOf(all)), await contentOf(child), await contentOf(source)]).toEqual(Array(6).fill(410));
  const actions = await actionsOn(world, grandchild.presentationId);
  expect(actions).toMatchObject([{ action: 'take-down', reason: 'phishing' }]);
  const republish = { presentationId: notListed.presentationId, kind: 'plan', description: 'x' };
  expect((await world.call('publishMarketplaceListing', republish, { key: remixer.key })).status).toBe(409);

  // The same command continues a command that was cut off. The source keeps the time and reason of its takedown.
  const takedownOf = async () => (await world.database.doc(`listings/${source.slug}`).get()).get('takedown') as object;
  const before = await takedownOf();
  await world.database.doc(`presentations/${grandchild.presentationId}`).update({ takedown: null });
  const counts = { takenDown: 1, alreadyDown: 4 };
  const again = await done(...takeDown.slice(0, -1), 'again');
  expect(again).toMatchObject({ takedown: { reason: 'phishing' }, remixes: counts });
  expect(await takedownOf()).toEqual(before);
  expect((await actionsOn(world, source.slug)).filter(({ action }) => action === 'take-down')).toHaveLength(1);

  expect(await done('put-back', ...root, '--with-remixes')).toMatchObject({ remixes: { putBack: 4, stillDown: 0 } });
  expect([...(await statusesOf(all)), await contentOf(child), await contentOf(source)]).toEqual(Array(6).fill(200));
  // A deck that was taken down by itself is put back by itself.
  expect(await statusesOf([apart])).toEqual([410]);
});

test('what was remixed from a listing is taken down behind a deleted listing whose slug belongs to another listing now', async () => {
  const source = await world.aListing(publisher);
  const between = await world.aListing(remixer, {}, await remixOf(source.slug));
  const [published, notListed] = [await remixOf(between.slug), await remixOf(between.slug)];
  const child = await world.aListing(remixer, {}, published);
  await succeed(world.call('deletePresentation', { presentationId: between.presentationId }, { key: remixer.key }));
  const next = { generation: 2, deletedAt: null, source: null, lineage: [], filters: [] };
  await world.database.doc(`listings/${between.slug}`).update(next);
  const status = async () => [...(await statusesOf([published, notListed])), await contentOf(child)];

  const takeDown = ['take-down', '--listing', source.slug, '--with-remixes', '--reason', 'phishing'] as const;
  expect(await done(...takeDown)).toMatchObject({ remixes: { takenDown: 2, alreadyDown: 0 } });
  expect(await status()).toEqual([410, 410, 410]);
  // The same command continues a command that was cut off after it took the listed remix down.
  await world.database.doc(`presentations/${notListed.presentationId}`).update({ takedown: null });
  expect(await done(...takeDown)).toMatchObject({ remixes: { takenDown: 1, alreadyDown: 1 } });
  await done('put-back', '--listing', source.slug, '--with-remixes');
  expect(await status()).toEqual([200, 200, 200]);
  // The next listing of the slug is not a remix.
  expect((await world.database.doc(`listings/${between.slug}`).get()).data()).toMatchObject({ takedown: null });
});

test('what was remixed from a listing stays down while one of the listings with which it was taken down is down', async () => {
  const source = await world.aListing(publisher);
  const child = await world.aListing(remixer, {}, await remixOf(source.slug));
  const deck = await remixOf(child.slug);
  const command = (name: string, slug: string) =>
    done(name, '--listing', slug, '--with-remixes', '--reason', 'phishing');
  await command('take-down', child.slug);
  await command('take-down', source.slug);
  expect(await command('put-back', source.slug)).toMatchObject({ remixes: { putBack: 1, stillDown: 1 } });
  expect([await contentOf(source), await contentOf(child), ...(await statusesOf([deck]))]).toEqual([200, 410, 410]);
  expect(await command('put-back', child.slug)).toMatchObject({ remixes: { putBack: 1, stillDown: 0 } });
  expect([await contentOf(child), ...(await statusesOf([deck]))]).toEqual([200, 200]);
});
