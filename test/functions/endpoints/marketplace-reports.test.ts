import { randomUUID } from 'node:crypto';
import type { Timestamp } from 'firebase-admin/firestore';
import { reportReasons } from '../../../functions/src/policy/listing-reports';
import {
  addReport,
  closeReports,
  listPlaceCounts,
  listReportPlaces,
  readReports,
  reportCaseRef,
} from '../../../functions/src/records/listing-reports';
import { read } from '../../../functions/src/records/database';
import { transact } from '../../../functions/src/records/transact';
import { countReports, listTexts } from '../../../operator/reports';
import { passSeconds } from '../../support/clock';
import { succeed, World, type Account } from '../../support/world';

let world: World;
let owner: Account;
beforeAll(async () => {
  world = await World.start();
  owner = await world.aPublisher();
});
afterAll(() => world.stop());

const report = (fields: Record<string, unknown>, from: string = randomUUID(), key?: string) =>
  world.call<{ slug: string; reported: boolean }>('reportMarketplaceListing', fields, {
    headers: { 'x-forwarded-for': from },
    key,
  });
const places = (slug: string) => world.database.collection(`listingReports/${slug}/reports`);
const stored = async (slug: string) => (await places(slug).get()).docs.map((each) => each.data());
/** What the operator sees of the reports. */
const seen = async (slug: string, limit = 10_000) => {
  const found = await listReportPlaces(slug);
  return {
    ...countReports(found),
    texts: listTexts(found, limit) as { by: string; reason: string; details: string }[],
  };
};
const caseOf = async (slug: string) => (await world.database.doc(`listingReports/${slug}`).get()).data();

test('a report is stored for the operator without its sender', async () => {
  const { slug } = await world.aListing(owner);
  const answer = await report(
    { slug, reason: 'phishing', details: ' It asks\nfor my\u001b[2J\u009b password. ' },
    '192.0.2.1',
  );
  expect(answer.data).toEqual({ slug, reported: true });
  const [kept, ...others] = await stored(slug);
  expect(others).toEqual([]);
  expect(kept).toEqual({
    ...{ reason: 'phishing', by: 'network', count: 1 },
    reporters: [expect.stringMatching(/^[0-9a-f]{16}$/)],
    texts: [{ details: 'It asks\nfor my[2J password.', reportedAt: expect.anything() as unknown }],
  });
  expect(await caseOf(slug)).toEqual({ slug, isOpen: true, lastReportedAt: expect.anything() as unknown });
});

test('reports of one network count once for each listing and reason, however many calls race', async () => {
  const { slug } = await world.aListing(owner);
  await Promise.all(Array.from({ length: 8 }, () => succeed(report({ slug, reason: 'spam' }, '192.0.2.2'))));
  await succeed(report({ slug, reason: 'malware', details: '' }, '192.0.2.2'));
  expect(await seen(slug)).toMatchObject({
    otherReports: { spam: 1, malware: 1 },
    texts: [{ details: null }, { details: null }],
  });
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

test('a reason that is full counts further reports, and keeps a sample of their texts in twenty documents', async () => {
  const { slug } = await world.aListing(owner);
  const text = (details: string) => ({ details, reportedAt: new Date() });
  for (let place = 0; place < 20; place++) {
    const texts = Array.from({ length: 10 }, (_, i) => text(`${place} ${i}`));
    const full = { reason: 'spam', by: 'network', count: 14, reporters: [], texts };
    await places(slug).doc(`spam-${place}`).set(full);
  }
  await Promise.all(
    Array.from({ length: 20 }, (_, i) => succeed(report({ slug, reason: 'spam', details: `new ${i}` }))),
  );
  await succeed(report({ slug, reason: 'copyright', details: 'It is mine.' }));
  const { otherReports, texts } = await seen(slug);
  expect(otherReports).toEqual({ spam: 300, copyright: 1 });
  const spam = texts.filter(({ reason }) => reason === 'spam');
  expect(new Set(spam.map(({ details }) => details)).size).toBe(spam.length);
  // Each of the 20 places keeps 10 texts.
  expect(spam).toHaveLength(200);
  expect((await stored(slug)).filter(({ reason }) => reason === 'spam')).toHaveLength(20);
  // Many reports for one reason do not hide the reports for another one.
  expect((await seen(slug, 2)).texts.map(({ reason }) => reason).sort()).toEqual(['copyright', 'spam']);
  // The case of the listing is written once a minute: a report writes its place and the window of its sender.
  const cost = await world.costOf(() => succeed(report({ slug, reason: 'spam' })));
  expect(cost.documentWrites).toBeLessThanOrEqual(5);
  const writes = async (seconds: number) => {
    passSeconds(seconds);
    const before = (await caseOf(slug))!['lastReportedAt'] as Timestamp;
    await report({ slug, reason: 'spam' });
    return !(await caseOf(slug))!['lastReportedAt'].isEqual(before);
  };
  expect([await writes(61), await writes(30), await writes(31)]).toEqual([true, false, true]);
});

test('ninety reports without an account hide no report of an account, which counts apart and is read first', async () => {
  const { slug } = await world.aListing(owner);
  const reporter = await world.anOwner();
  const network = '192.0.2.77';
  await Promise.all(
    Array.from({ length: 90 }, (_, i) => succeed(report({ slug, reason: reportReasons[i % 9], details: 'junk' }))),
  );
  // The network has no report left, which does not limit the account.
  for (let i = 0; i < 10; i++) await succeed(report({ slug, reason: 'spam', details: 'junk' }, network));
  expect((await report({ slug, reason: 'privacy' }, network)).status).toBe(429);
  await succeed(report({ slug, reason: 'privacy', details: 'Slide 4 shows my photo.' }, network, reporter.key));
  const session = await world.aDashboardSession(reporter);
  await succeed(report({ slug, reason: 'privacy', details: 'again' }, randomUUID(), session));
  expect(await seen(slug, 1)).toMatchObject({
    accountReports: { privacy: 1 },
    texts: [{ by: 'account', details: 'Slide 4 shows my photo.' }],
  });
  expect((await caseOf(slug))?.['lastAccountReportAt']).toBeDefined();
  expect(JSON.stringify(await stored(slug))).not.toContain(reporter.userId);
});

test('a key that is not live counts as no key', async () => {
  const { slug } = await world.aListing(owner);
  const former = await world.anOwner();
  await succeed(world.call('revokeApiKey', {}, { key: former.key }));
  for (const key of ['nonsense', former.key]) {
    await succeed(report({ slug, reason: 'spam' }, `2001:db8:${key.length}::1`, key));
  }
  expect(await seen(slug)).toMatchObject({ accountReports: {}, otherReports: { spam: 2 } });
});

test('one account may send ten reports an hour, from any number of networks', async () => {
  const { key } = await world.anOwner();
  const slugs = await Promise.all(Array.from({ length: 12 }, async () => (await world.aListing(owner)).slug));
  const sent = await Promise.all(slugs.map((slug) => report({ slug, reason: 'spam' }, randomUUID(), key)));
  expect(sent.map(({ status }) => status).sort()).toEqual([...Array<number>(10).fill(200), 429, 429]);
});

test('reports are counted and closed without reading their texts, which may have 21 MB', async () => {
  const { slug } = await world.aListing(owner);
  for (const i of [1, 2]) await succeed(report({ slug, reason: 'spam' }, `192.0.2.${i}`));
  // A place whose texts cannot be read.
  const unreadable = { reason: 'privacy', by: 'account', count: 3, reporters: [], texts: 'unreadable' };
  await places(slug).doc('account-privacy-1').set(unreadable);
  expect(countReports(await listPlaceCounts(slug))).toEqual({
    accountReports: { privacy: 3 },
    otherReports: { spam: 2 },
  });
  const { count } = await transact(async (tx) => {
    const reports = await readReports(tx, slug);
    closeReports(tx, reports);
    return reports;
  });
  expect([count, (await caseOf(slug))!['isOpen']]).toEqual([5, false]);
});

test('a report that races with the end of the reports leaves them open', async () => {
  const { slug } = await world.aListing(owner);
  await succeed(report({ slug, reason: 'spam' }));
  const [place] = (await places(slug).get()).docs;
  const [found] = await read(reportCaseRef(slug));
  await transact(async (tx) => closeReports(tx, await readReports(tx, slug)));
  const late = { reason: 'spam', by: 'network', details: null, reportedAt: new Date() } as const;
  await addReport(slug, found, { ...late, place: { id: place!.id, mark: 'another reporter' } });
  expect([(await seen(slug)).otherReports, (await caseOf(slug))!['isOpen']]).toEqual([{ spam: 2 }, true]);
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
