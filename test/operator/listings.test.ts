import { World, type Account } from '../support/world';
import { actionsOn, done, refused } from './fixture';

let world: World;
let publisher: Account;
beforeAll(async () => {
  world = await World.start();
  publisher = await world.aPublisher();
});
afterAll(() => world.stop());

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
  expect(await done('take-down', '--listing', slug, '--reason', 'spam')).toMatchObject({
    slug,
    takedown: { reason: 'spam' },
  });
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
  const [first, second, third] = [
    await world.aListing(publisher, { title: 'Reported' }),
    await world.aListing(publisher),
    await world.aListing(publisher),
  ];
  for (let i = 0; i < 5; i++) await report(first.slug, 'spam', `192.0.2.${i}`);
  await report(second.slug, 'malware', '192.0.2.1');
  await report(first.slug, 'phishing', '192.0.2.1');
  await report(third.slug, 'other', '192.0.2.1');
  interface Line {
    slug: string;
    otherReports: Record<string, number>;
  }
  const lines = async (...args: string[]) => (await done<Line[]>('show', 'reports', ...args)).map(({ slug }) => slug);

  const [reported, newest] = await done<Line[]>('show', 'reports');
  expect(reported).toMatchObject({ slug: first.slug, title: 'Reported', otherReports: { phishing: 1, spam: 5 } });
  expect(newest).toMatchObject({ slug: third.slug, otherReports: { other: 1 }, takedown: null });
  expect(await lines()).toEqual([first.slug, third.slug, second.slug]);
  // The newest listings are shown, and the next page begins before them.
  expect(await lines('--limit', '1')).toEqual([third.slug]);
  const times = async (...args: string[]) =>
    (await done<{ lastReportedAt: string }[]>('show', 'reports', '--by', 'others', ...args))
      .map(({ lastReportedAt }) => lastReportedAt)
      .sort();
  const [oldest] = await times('--limit', '2');
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
  expect((await actionsOn(world, third.slug)).map(({ action }) => action)).toEqual([
    'dismiss-reports',
    'dismiss-reports',
  ]);
});
