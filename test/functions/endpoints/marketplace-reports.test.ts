import { randomUUID } from 'node:crypto';
import { reportReasons } from '../../../functions/src/policy/listing-reports';
import { passSeconds } from '../../support/clock';
import { succeed, World, type Account } from '../../support/world';

let world: World;
let owner: Account;
beforeAll(async () => {
  world = await World.start();
  owner = await world.aPublisher();
});
afterAll(() => world.stop());

const report = (fields: Record<string, unknown>, from: string = randomUUID()) =>
  world.call<{ slug: string; reported: boolean }>('reportMarketplaceListing', fields, {
    headers: { 'x-forwarded-for': from },
  });
const reportsOf = async (slug: string) =>
  (await world.database.collection(`listingReports/${slug}/reports`).get()).docs.map((each) => each.data());
const caseOf = async (slug: string) => (await world.database.doc(`listingReports/${slug}`).get()).data();

test('a report is stored for the operator without its sender', async () => {
  const { slug } = await world.aListing(owner);
  const answer = await report(
    { slug, reason: 'phishing', details: ' It asks\nfor my\u001b[2J\u009b password. ' },
    '192.0.2.1',
  );
  expect(answer.data).toEqual({ slug, reported: true });
  const [kept, ...others] = await reportsOf(slug);
  expect(others).toEqual([]);
  expect(kept).toEqual({
    reason: 'phishing',
    details: 'It asks\nfor my[2J password.',
    reportedAt: expect.anything() as unknown,
  });
  expect(await caseOf(slug)).toMatchObject({ slug, isOpen: true, counts: { phishing: 1 } });
});

test('reports of one network count once for each listing and reason, however many calls race', async () => {
  const { slug } = await world.aListing(owner);
  await Promise.all(Array.from({ length: 8 }, () => succeed(report({ slug, reason: 'spam' }, '192.0.2.2'))));
  await succeed(report({ slug, reason: 'malware', details: '' }, '192.0.2.2'));
  expect((await caseOf(slug))?.['counts']).toEqual({ spam: 1, malware: 1 });
  expect((await reportsOf(slug)).map(({ details }) => details as unknown)).toEqual([null, null]);
});

test('one network may send ten reports an hour; other networks are not limited by it', async () => {
  const { slug } = await world.aListing(owner);
  const sent = await Promise.all(
    Array.from({ length: 14 }, (_, i) =>
      report({ slug: i % 2 ? slug : 'no-such-listing', reason: 'other' }, `2001:db8::${i}`),
    ),
  );
  const refused = sent.filter(({ status }) => status === 429);
  expect(refused).toHaveLength(4);
  for (const { error, headers } of refused) {
    expect(error.code).toBe('rate-limited');
    expect(error.details).toEqual({ retryInSeconds: expect.any(Number) as number, limit: 10, windowSeconds: 3600 });
    expect(headers.get('retry-after')).toBe(String(error.details!['retryInSeconds']));
  }
  expect((await report({ slug, reason: 'spam' }, '2001:db8:1::1')).status).toBe(200);
  passSeconds(3600);
  expect((await report({ slug, reason: 'other' }, '2001:db8::9')).status).toBe(200);
});

test('a listing keeps at most twenty reports of each reason', async () => {
  const { slug } = await world.aListing(owner);
  await Promise.all(Array.from({ length: 300 }, () => succeed(report({ slug, reason: 'spam', details: 'x' }))));
  await succeed(report({ slug, reason: 'copyright', details: 'It is mine.' }));
  const kept = await reportsOf(slug);
  expect(kept.filter(({ reason }) => reason === 'spam')).toHaveLength(20);
  expect(kept.filter(({ reason }) => reason === 'copyright')).toMatchObject([{ details: 'It is mine.' }]);
  expect((await caseOf(slug))?.['counts']).toEqual({ spam: 20, copyright: 1 });
  // A report above the limit costs as much as the first one and writes only its sender's window.
  const cost = await world.costOf(() => succeed(report({ slug, reason: 'spam' })));
  expect(cost.documentWrites).toBe(2);
});

test('every reason is accepted, and no other text', async () => {
  const { slug } = await world.aListing(owner);
  for (const reason of reportReasons) expect((await report({ slug, reason })).status).toBe(200);
  for (const [fields, location] of [
    [{ slug, reason: 'boring' }, 'body.reason'],
    [{ slug }, 'body.reason'],
    [{ reason: 'spam' }, 'body.slug'],
    [{ slug, reason: 'spam', details: 'x'.repeat(2001) }, 'body.details'],
    [{ slug, reason: 'spam', details: 7 }, 'body.details'],
  ] as const) {
    const { status, error } = await report(fields);
    expect([status, error.details?.errors?.map((each) => each.location)]).toEqual([400, [location]]);
  }
});

test('an unlisted listing can be reported; a taken-down, deleted or unknown listing cannot', async () => {
  const { slug } = await world.aListing(owner);
  await succeed(world.call('updateMarketplaceListing', { slug, status: 'unlisted' }, { key: owner.key }));
  expect((await report({ slug, reason: 'privacy' })).status).toBe(200);
  const takedown = { at: new Date(), reason: 'x' };
  for (const state of [{ takedown }, { takedown: null, deletedAt: new Date() }]) {
    await world.database.doc(`listings/${slug}`).update(state);
    const { status, error } = await report({ slug, reason: 'privacy' });
    expect([status, error.code]).toEqual([410, 'expired']);
  }
  for (const unknown of ['no-such-listing', `${slug}!0`, 'a/b', '__x__']) {
    expect((await report({ slug: unknown, reason: 'spam' })).status).toBe(404);
  }
});
