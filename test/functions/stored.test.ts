import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Timestamp, type DocumentData } from 'firebase-admin/firestore';
import { listAccessRequests } from '../../functions/src/records/access-requests';
import { findKeys } from '../../functions/src/records/api-keys';
import { findCollaborator, pendingInvitations } from '../../functions/src/records/collaborators';
import { paths } from '../../functions/src/records/collections';
import { caseGroups, listOpenCases } from '../../functions/src/records/listing-reports';
import { listingsRemixedFrom } from '../../functions/src/records/listings';
import { listOpenMailCases } from '../../functions/src/records/mail-reports';
import { decksRemixedFrom, decksTakenDownWith } from '../../functions/src/records/presentations';
import { listDashboardSessions } from '../../functions/src/records/dashboard-sessions';
import { transact } from '../../functions/src/records/transact';
import { findUserByEmail } from '../../functions/src/records/users';
import { listingSorts } from '../../functions/src/values/listing-cursor';
import type { IndexFile } from '../../local/firestore';
import { projectRoot } from '../../local/project';
import { endAccount } from '../support/account-deletion';
import { askFor } from '../support/ask';
import { each } from '../support/each';
import { anExport } from '../support/exports';
import { runJob } from '../support/jobs';
import { makeWebhook } from '../support/webhooks';
import { bucket, everythingStored } from '../support/whole-store';
import { type Account, blob, type Deck, page, sha256, startWorld, succeed, world } from '../support/world';

/**
 * The local engine refuses a query without its index, so every other test proves that firestore.indexes.json is
 * complete. The first tests prove that no index is stored that no query uses. They come before the queries of the
 * others.
 */
const file = JSON.parse(readFileSync(join(projectRoot, 'firestore.indexes.json'), 'utf8')) as Required<IndexFile>;

const collectionPaths = Object.values(paths).map((path) => (typeof path === 'string' ? path : path('id')));
const collectionNames = collectionPaths.map((path) => path.split('/').at(-1)!);

startWorld();

/**
 * Automatic indexes that no query uses and that stay. An exemption of a map holds for the fields in it: a deploy would
 * delete the index of the field that queries search, and build it again.
 */
const besideSearchedFields = [
  'listings: source ASCENDING',
  'presentations: remixedFrom ASCENDING',
  'presentations: takedown ASCENDING',
  'presentations: takedown.withSources ASCENDING',
];

/** Consumes an iteration of query results. */
const drain = async (pages: AsyncIterable<unknown>) => {
  for await (const _page of pages);
};

/** Writes the fields that no call of this file writes, and reads them as the operator and the jobs do. */
async function useRemixesAndTakedowns(): Promise<void> {
  const { slug, presentationId } = await world.aListing(await world.aPublisher());
  const source = { slug, generation: 1 };
  const takedown = { at: new Date(), reason: 'a reason', withSources: [slug] };
  const deck = world.database.doc(`presentations/${presentationId}`);
  const base = { manifestId: 'none', shardCount: 1 };
  await deck.update({ takedown, remixedFrom: { ...source, version: 1, base } });
  await world.database.doc(`listings/${slug}`).update({ source });
  await world.database.doc(`listings/${slug}!1`).set({ partOf: slug, stars: 1, remixCount: 1, viewCount: 1 });
  await drain(decksTakenDownWith(slug));
  await drain(decksRemixedFrom(source));
  await drain(listingsRemixedFrom(source));
  await runJob('foldMarketplaceCounters');
}

/** Searches views as their owner does, and an address as its removal does. */
async function useViews(owner: Account, { presentationId, tokenId }: Pick<Deck, 'presentationId' | 'tokenId'>) {
  const email = 'reader@example.org';
  const queries: Record<string, string>[] = [
    { tokenId, limit: '1' },
    { email, limit: '1' },
    { version: '1', limit: '1' },
    // By two indexes that the database merges.
    { tokenId, email, version: '1' },
  ];
  for (const query of queries) {
    const options = { key: owner.key, path: `/${presentationId}`, query };
    await succeed(world.call('listPresentationViews', undefined, options));
  }
  await succeed(world.call('getOrganizationInsights', undefined, { key: owner.key }));
  await succeed(world.call('forgetReader', { email }, { key: await world.aDashboardSession(owner) }));
  await runJob('forgetReaders');
}

/** Reads the feed of events in both orders, with each filter, and looks for what is to be sent to webhooks. */
async function useEvents(key: string, presentationId: string): Promise<void> {
  const filters = [{}, { type: 'presentation.published' }, { presentationId }];
  for (const order of ['asc', 'desc']) {
    for (const filter of [...filters, Object.assign({}, ...filters) as object]) {
      await succeed(world.call('listEvents', undefined, { key, query: { order, ...filter } }));
    }
  }
  await runJob('sweepWebhooks');
  const { webhookId } = await makeWebhook(world, { key });
  await succeed(world.call('listWebhookDeliveries', undefined, { key, query: { webhookId } }));
}

test('every index that has an entry serves a query', async () => {
  const owner = await world.aPublisher('pro');
  const { key } = owner;
  const { presentationId, tokenId } = await world.aDeck(owner);
  const deleted = (await world.aDeck(owner)).presentationId;
  const invited = 'somebody@example.org';
  const versionMode = { type: 'pinned', version: 1 };
  const calls: [name: string, input: object][] = [
    ['listMyPresentations', {}],
    ['listApiKeys', {}],
    ['inviteCollaborator', { presentationId, email: invited }],
    ['setTokenVersionMode', { presentationId, tokenId, versionMode }],
    ['listCollaborators', { presentationId }],
    ['listPresentationVersions', { presentationId }],
    ['getSharedPresentationInfo', { presentationId }],
    ['sharePresentationViaEmail', { presentationId, emails: ['friend@example.org'] }],
    ['listEmailSends', { presentationId }],
    ...listingSorts.map((sort): [string, object] => ['listMarketplaceListings', { sort }]),
    ['listMarketplaceListings', { q: 'x' }],
    ['precheckAssets', { hashes: [] }],
    ['cliRequestLoginOtp', { email: owner.email }],
    ['deletePresentation', { presentationId: deleted }],
  ];
  for (const [name, input] of calls) {
    const isGet = world.functions[name]!.definition!.method === 'GET';
    await succeed(isGet ? world.call(name, undefined, { key, query: { ...input } }) : world.call(name, input, { key }));
  }
  await world.cloud.mailEvents.runDue();
  expect((await fetch(`${world.cloud.hostingUrl}/sitemap.xml`)).status).toBe(200);
  await succeed(world.call('getUsage', undefined, { key }));
  for (const group of caseGroups) await listOpenCases(group, 1);
  await listOpenMailCases(1);
  await pendingInvitations(invited, 1);
  await transact((tx) => findUserByEmail(tx, owner.email));
  await transact((tx) => findCollaborator(tx, { presentationId, collaboratorId: 'none' }));
  await listDashboardSessions(owner.userId, 1, undefined);
  await findKeys({ keyId: 'none' });
  await findKeys({ keyPrefix: 'none' });
  await askFor({ tokenId }, invited);
  await listAccessRequests(owner.userId, 1, undefined, new Date());
  await useRemixesAndTakedowns();
  await useEvents(key, presentationId);
  await useViews(owner, { presentationId, tokenId });
  await anExport(owner);
  await endAccount(await world.anOwner());
  await runJob('deleteAccounts');
  // Its counts are compared with the decks again.
  await world.database.doc(`organizationUsages/${owner.organizationId}`).update({ countedAt: new Date(0) });
  for (const job of ['finishDeletions', 'makePictures', 'recountUsage', 'removeExpiredSessions'] as const)
    await runJob(job);
  // Its picture is not made yet.
  await world.aDeck(owner);

  // A collection without a document has no entries.
  const exempt = file.fieldOverrides.flatMap((each) => (each.fieldPath === '*' ? each.collectionGroup : []));
  for (const name of each(collectionNames.filter((known) => !exempt.includes(known)))) {
    const { empty } = await world.database.collectionGroup(name).limit(1).get();
    expect([name, empty]).toEqual([name, false]);
  }
  expect(world.cloud.firestore.unusedIndexes().sort()).toEqual(besideSearchedFields);
});

test('the exceptions are fewer than the 200 that a database may have without billing', () => {
  expect(file.fieldOverrides.length).toBeLessThan(200);
});

test('every index and every exception names an existing collection', () => {
  const named = [...file.indexes, ...file.fieldOverrides].map(({ collectionGroup }) => collectionGroup);
  expect(named.filter((name) => !collectionNames.includes(name))).toEqual([]);
});

/** The fields that differ between two records of the same kind. */
const OWN = ['sealed', 'hash', 'label', 'keyPrefix'];

/**
 * The documents and objects of `names` with their fields. `ids` are the values that differ between two accounts or
 * decks.
 */
async function contentsOf(names: string[], ids: Record<string, string>): Promise<Record<string, unknown>> {
  const named = (text: string) =>
    Object.entries(ids).reduce((all, [name, id]) => all.replaceAll(id, `<${name}>`), text);
  const alike = (value: unknown, field = ''): unknown => {
    if (OWN.includes(field)) return typeof value;
    if (value instanceof Timestamp) return 'a time';
    if (typeof value === 'string') return named(value);
    if (Array.isArray(value)) return value.map((each) => alike(each));
    if (value === null || typeof value !== 'object' || Buffer.isBuffer(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, alike(each, key)]));
  };
  const contents: Record<string, unknown> = {};
  for (const name of names) {
    const isObject = name.startsWith('bucket:');
    const data = isObject ? await objectOf(name.slice(7)) : (await world.database.doc(name).get()).data()!;
    contents[named(name)] = alike(data);
  }
  return contents;
}

async function objectOf(name: string): Promise<Record<string, unknown>> {
  const file = bucket().file(name);
  const [[metadata], [bytes]] = await Promise.all([file.getMetadata(), file.download()]);
  const { id, name: _name, generation, etag, selfLink, mediaLink, timeCreated, updated, ...rest } = metadata;
  for (const each of [id, generation, etag, selfLink, mediaLink, timeCreated, updated]) expect(each).toBeTruthy();
  return { ...rest, timeFinalized: undefined, timeStorageClassUpdated: undefined, bytes };
}

/** The result of `work`, and the names of the documents and objects that it stored. */
async function storedBy<T>(work: () => Promise<T>): Promise<[T, string[]]> {
  const before = new Set(await everythingStored(world));
  return [await work(), (await everythingStored(world)).filter((name) => !before.has(name))];
}

async function signUp(): Promise<Account> {
  const email = `owner-${randomUUID()}@example.org`;
  await succeed(world.call('cliRequestSignupOtp', { email }));
  const code = await world.mailedCode(email);
  type Signup = { organizationId: string; apiKey: { raw: string; keyId: string } };
  const input = { email, code, user: { firstName: 'Ada' } };
  const { organizationId, apiKey } = await succeed(world.call<Signup>('cliCompleteSignup', input));
  const { userId } = (await world.database.doc(`apiKeys/${sha256(apiKey.raw)}`).get()).data()!;
  return { email, key: apiKey.raw, keyId: apiKey.keyId, userId, organizationId };
}

/** The identity provider's user of an account. */
async function identityOf({ userId }: Account): Promise<Record<string, unknown>> {
  const { authHost, project } = world.cloud;
  const url = `http://${authHost}/identitytoolkit.googleapis.com/v1/projects/${project}/accounts:lookup`;
  const headers = { authorization: 'Bearer owner', 'content-type': 'application/json' };
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify({ localId: [userId] }) });
  const { users } = (await response.json()) as { users: Record<string, unknown>[] };
  return users[0]!;
}

test('an account written into the store has the same records as an account that signed up', async () => {
  const idsOf = ({ key, ...ids }: Account) => ({ ...ids, keyHash: sha256(key) });
  const [signedUp, itsRecords] = await storedBy(signUp);
  const [written, records] = await storedBy(() => world.anOwner());
  const kept = itsRecords.filter((name) => !/^(oneTimeCodes|requestWindows)\//.test(name));
  expect(kept).toHaveLength(4);
  expect(await contentsOf(records, idsOf(written))).toEqual(await contentsOf(kept, idsOf(signedUp)));
  const expected = { ...(await identityOf(signedUp)), localId: written.userId, email: written.email };
  expect(await identityOf(written)).toEqual({ ...expected, createdAt: expect.any(String) });
  const [publisher, more] = await storedBy(() => world.aPublisher('pro'));
  const contents = (await contentsOf(more, idsOf(publisher))) as Record<string, DocumentData>;
  expect(contents['organizations/<organizationId>']!['plan']).toBe('pro');
  expect(contents['apiKeys/<keyHash>']!['scopes']).toContain('marketplace:publish');
});

test('a deck written into the store has the same records and objects as a deck that was pushed', async () => {
  const owner = await world.anOwner();
  const entry = page('One & the same', 'index.html');
  const large = blob(5000, 'a/large.bin');
  const files = [entry, large, { ...large, path: 'b/twin.bin' }, blob(0, 'empty.css')];
  const [pushed, itsContents] = await storedBy(() => world.aPushedDeck(owner, files, 'A title'));
  const [written, contents] = await storedBy(() => world.aDeck(owner, files, 'A title'));
  // The key stores its last use. A push writes no other document outside of its deck.
  const idsOf = ({ presentationId, tokenId }: Deck) => ({ presentationId, tokenId });
  expect(itsContents.length).toBeGreaterThanOrEqual(11);
  expect(await contentsOf(contents, idsOf(written))).toEqual(await contentsOf(itsContents, idsOf(pushed)));

  const answerOf = ({ presentationId, token, tokenId, ...rest }: Deck) =>
    JSON.stringify({ ...rest, ids: [presentationId, token, tokenId].map((id) => typeof id) })
      .replaceAll(presentationId, 'id')
      .replaceAll(token, 't');
  expect(answerOf(written)).toEqual(answerOf(pushed));
  for (const deck of [pushed, written]) {
    for (const { path, bytes, contentType } of files) {
      const response = await fetch(world.viewUrl(deck, path));
      const seen = [response.status, response.headers.get('content-type'), Buffer.from(await response.arrayBuffer())];
      expect(seen).toEqual([200, contentType, bytes]);
    }
  }
});
