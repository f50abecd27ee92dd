import { execFile, spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import type { Presentation } from '../../functions/src/records/presentations';
import { projectRoot } from '../../local/project';
import { firstRemixes } from '../../operator/remixes';
import { Screen } from '../cli/testbed';
import { aStoredListing, storeListings } from '../support/listings';
import { storeDocuments } from '../support/stored';
import { documentsWith } from '../support/whole-store';
import { startWorld, succeed, world, type Account, type Deck } from '../support/world';
import { actionsOn, done } from './fixture';

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
  const actions = await actionsOn(grandchild.presentationId);
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
  expect((await actionsOn(source.slug)).filter(({ action }) => action === 'take-down')).toHaveLength(1);

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

test('what was remixed from a listing is taken down completely when it is more than one page of decks', async () => {
  const { slug, presentationId } = await world.aListing(publisher);
  const template = (await world.database.doc(`presentations/${presentationId}`).get()).data()!;
  const base = { manifestId: randomUUID(), shardCount: 1 };
  const remixedFrom: Presentation['remixedFrom'] = { slug, generation: 1, version: 1, base };
  const decks = Array.from({ length: 101 }, (_, i) => {
    const id = `${presentationId.slice(0, -4)}${String(i).padStart(4, '0')}`;
    const own = { presentationId: id, listingSlug: null, firstTokens: [] };
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

describe('the command of the operator, as a person runs it', () => {
  let owner: Account;
  let deck: Deck;
  const command = [process.execPath, join(projectRoot, '.build', 'operator.js')] as const;
  /** The environment of a person's shell: nothing but the emulator is set. */
  const shell = () => ({
    PATH: process.env['PATH'],
    HOME: process.env['HOME'],
    FIRESTORE_EMULATOR_HOST: world.cloud.firestoreHost,
  });
  const change = (presentationId: string) =>
    ['take-down', '--presentation', presentationId, '--reason', 'x', '--project', 'demo-decks'] as const;

  beforeAll(async () => {
    owner = await world.anOwner();
    deck = await world.aDeck(owner);
    // Builds what has changed.
    const script = join(projectRoot, 'scripts', 'operator.mjs');
    expect(spawnSync(process.execPath, [script, '--help'], { encoding: 'utf8' })).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('mint-admin-key'),
    });
  });

  test('a command whose output nobody reads ends quietly', async () => {
    const child = spawn(command[0], [command[1], '--help'], { env: shell(), stdio: ['ignore', 'pipe', 'pipe'] });
    child.stdout.destroy();
    const errors = text(child.stderr);
    expect([await once(child, 'exit'), await errors]).toEqual([[0, null], '']);
  });

  test('a change needs a confirmation, and a demo project needs an emulator', async () => {
    const run = (args: readonly string[], env: NodeJS.ProcessEnv) =>
      promisify(execFile)(command[0], [command[1], ...change(deck.presentationId), ...args], { env });
    await expect(run([], shell())).rejects.toMatchObject({ code: 2, stderr: expect.stringContaining('--yes') });
    await expect(run(['--yes'], { ...shell(), FIRESTORE_EMULATOR_HOST: undefined })).rejects.toMatchObject({
      code: 2,
      stderr: expect.stringContaining('FIRESTORE_EMULATOR_HOST'),
    });
    expect(await world.visit(world.viewUrl(deck))).toBe(200);
  });

  test.each([
    ['y\n', 0, 410],
    ['n\n', 1, 200],
    ['\x04', 1, 200],
  ])('at a terminal the command names the change and the project, and asks: %j', async (keys, code, status) => {
    const other = await world.aDeck(owner, undefined, 'Asked');
    const screen = new Screen([...command, ...change(other.presentationId)], shell());
    await screen.shows('Decks of the same owner with the same files stay open:');
    await screen.shows(`Shut every link of the deck "Asked" (${other.presentationId}), in demo-decks on the emulator`);
    await screen.shows('[y/N] ');
    screen.type(keys);
    expect(await screen.exitCode()).toBe(code);
    expect(await world.visit(world.viewUrl(other))).toBe(status);
  });
});
