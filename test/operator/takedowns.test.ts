import { type Account, type Deck, startWorld, succeed, world } from '../support/world';
import { actionsOn, done, refused } from './fixture';

let publisher: Account;
let remixer: Account;
startWorld(async () => {
  publisher = await world.aPublisher();
  remixer = await world.aPublisher();
});

/** Whether the public list contains the listing, and the status of a view. */
const seen = async (slug: string) => {
  const { listings } = (await world.call<{ listings: { slug: string }[] }>('listMarketplaceListings')).data;
  const { status } = await world.call('recordMarketplaceView', { slug });
  return [listings.some((each) => each.slug === slug), status];
};
const shown = [true, 200];
const down = [false, 410];
const report = (slug: string, reason: string, from: string) =>
  world.call('reportMarketplaceListing', { slug, reason }, { headers: { 'x-forwarded-for': from } });

test('a listing that is taken down answers 410 and is not listed until put-back, whatever status its owner sets', async () => {
  const { slug, presentationId } = await world.aListing(publisher);
  const mine = { key: publisher.key };
  const link = { presentationId, tokenName: 'x' };
  const { token } = (await world.call<{ token: string }>('addPresentationToken', link, mine)).data;
  expect(await seen(slug)).toEqual(shown);
  const taken = await done('take-down', '--listing', slug, '--reason', 'spam');
  expect(taken).toMatchObject({ slug, takedown: { reason: 'spam' } });
  expect(await seen(slug)).toEqual(down);
  for (const status of ['unlisted', 'public']) {
    expect((await world.call('updateMarketplaceListing', { slug, status }, mine)).status).toBe(200);
    expect(await seen(slug)).toEqual(down);
  }
  // A take-down of the listing does not touch the deck's links.
  expect(await world.visit(world.viewUrl({ presentationId, token }))).toBe(200);
  await done('put-back', '--listing', slug);
  expect(await seen(slug)).toEqual(shown);
  expect(await actionsOn(world, slug)).toMatchObject([{ action: 'take-down', reason: 'spam' }, { action: 'put-back' }]);
});

test('a listing is taken down and put back with its deck, unless the listing was taken down separately', async () => {
  const { slug, presentationId } = await world.aListing(publisher);
  const ofDeck = ['--presentation', presentationId] as const;
  const alone = ['--listing', slug] as const;
  expect(await done('take-down', ...ofDeck, '--reason', 'phishing')).toMatchObject({ listingSlug: slug });
  expect(await seen(slug)).toEqual(down);
  // The listing is down already: it stays down with its deck, whichever of both the command names again.
  for (const target of [alone, ofDeck]) {
    const takedown = { reason: 'phishing', at: expect.any(String) as string };
    expect(await done('take-down', ...target, '--reason', 'again')).toMatchObject({ takedown });
    const stored = (await world.database.doc(`listings/${slug}`).get()).get('takedown') as object;
    expect(stored).toMatchObject({ reason: 'phishing', withDeck: true });
  }
  expect(await refused('put-back', ...alone)).toContain('--presentation');
  expect(await seen(slug)).toEqual(down);
  await done('put-back', ...ofDeck);
  expect(await seen(slug)).toEqual(shown);

  await done('take-down', ...alone, '--reason', 'spam');
  await done('take-down', ...ofDeck, '--reason', 'phishing');
  expect(await done('show', 'listing', ...alone)).toMatchObject({ takedown: { reason: 'spam' } });
  await done('put-back', ...ofDeck);
  expect(await seen(slug)).toEqual(down);
  await done('put-back', ...alone);
  expect(await seen(slug)).toEqual(shown);
});

test('a listing has its reports shown; show reports has one entry for each listing, most reporters first, until the reports are closed or deleted', async () => {
  const first = await world.aListing(publisher, { title: 'Reported' });
  const [second, third] = [await world.aListing(publisher), await world.aListing(publisher)];
  for (let i = 0; i < 5; i++) await report(first.slug, 'spam', `192.0.2.${i}`);
  await report(second.slug, 'malware', '192.0.2.1');
  await report(first.slug, 'phishing', '192.0.2.1');
  await report(third.slug, 'other', '192.0.2.1');
  type Line = { slug: string; otherReports: Record<string, number> };
  const lines = async (...args: string[]) => (await done<Line[]>('show', 'reports', ...args)).map(({ slug }) => slug);

  const [reported, newest] = await done<Line[]>('show', 'reports');
  expect(reported).toMatchObject({ slug: first.slug, title: 'Reported', otherReports: { phishing: 1, spam: 5 } });
  expect(newest).toMatchObject({ slug: third.slug, otherReports: { other: 1 }, takedown: null });
  expect(await lines()).toEqual([first.slug, third.slug, second.slug]);
  // The newest listings are shown, and the next page begins before them.
  expect(await lines('--limit', '1')).toEqual([third.slug]);
  const two = await done<{ lastReportedAt: string }[]>('show', 'reports', '--by', 'others', '--limit', '2');
  const [oldest] = two.map(({ lastReportedAt }) => lastReportedAt).sort();
  expect(await lines('--by', 'others', '--before', oldest!)).toEqual([second.slug]);
  expect(await lines('--by', 'accounts')).toEqual([]);
  expect(await done('show', 'listing', '--listing', first.slug)).toMatchObject({
    slug: first.slug,
    ownerEmail: publisher.email,
    reports: [{ reason: 'phishing' }, ...Array.from({ length: 5 }, () => ({ reason: 'spam' }))],
  });

  // take-down closes and keeps the reports. dismiss-reports and put-back delete them. A later report counts again.
  await done('take-down', '--listing', first.slug, '--reason', 'phishing');
  expect(await done('dismiss-reports', '--listing', third.slug)).toMatchObject({ dismissed: 1 });
  expect(await lines()).toEqual([second.slug]);
  const { reports } = await done<{ reports: object[] }>('show', 'listing', '--listing', first.slug);
  expect(reports.length).toBeGreaterThan(1);
  await done('put-back', '--listing', first.slug);
  expect(await lines()).toEqual([second.slug]);
  await report(third.slug, 'other', '192.0.2.1');
  await report(first.slug, 'phishing', '192.0.2.1');
  expect(await lines()).toEqual([first.slug, third.slug, second.slug]);
  // A report of an account comes first, however many newer reports without an account there are.
  await world.call('reportMarketplaceListing', { slug: second.slug, reason: 'privacy' }, { key: publisher.key });
  await report(third.slug, 'spam', '192.0.2.2');
  const all = await done<Line[]>('show', 'reports');
  expect(all.map(({ slug }) => slug)).toEqual([second.slug, third.slug, first.slug]);
  expect(all[0]).toMatchObject({ accountReports: { privacy: 1 }, otherReports: { malware: 1 } });
  // One account that reports many listings does not hide a listing that several accounts reported before.
  const other = await world.anOwner();
  await world.call('reportMarketplaceListing', { slug: second.slug, reason: 'privacy' }, { key: other.key });
  await world.call('reportMarketplaceListing', { slug: third.slug, reason: 'spam' }, { key: other.key });
  await world.call('reportMarketplaceListing', { slug: third.slug, reason: 'malware' }, { key: other.key });
  expect(await lines('--by', 'accounts')).toEqual([second.slug, third.slug]);
  expect(await lines('--by', 'others', '--limit', '1')).toEqual([first.slug]);
  for (const { slug } of [first, second, third]) await done('dismiss-reports', '--listing', slug);
  expect(await lines()).toEqual([]);
  const actions = (await actionsOn(world, third.slug)).map(({ action }) => action);
  expect(actions).toEqual(['dismiss-reports', 'dismiss-reports']);
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
