import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findKeys } from '../../functions/src/records/api-keys';
import { findCollaborator, pendingInvitations } from '../../functions/src/records/collaborators';
import { paths } from '../../functions/src/records/collections';
import { caseGroups, listOpenCases } from '../../functions/src/records/listing-reports';
import { listingsRemixedFrom } from '../../functions/src/records/listings';
import { listOpenMailCases } from '../../functions/src/records/mail-reports';
import { decksRemixedFrom, decksTakenDownWith } from '../../functions/src/records/presentations';
import { transact } from '../../functions/src/records/transact';
import { findUserByEmail } from '../../functions/src/records/users';
import { listingSorts } from '../../functions/src/values/listing-cursor';
import type { IndexFile } from '../../local/firestore';
import { projectRoot } from '../../local/project';
import { each } from '../support/each';
import { runJob } from '../support/jobs';
import { succeed, World } from '../support/world';

/**
 * The local engine refuses a query without its index, so every other test proves that firestore.indexes.json is
 * complete. These tests prove that no index is stored that no query uses.
 */
const file = JSON.parse(readFileSync(join(projectRoot, 'firestore.indexes.json'), 'utf8')) as Required<IndexFile>;

const collectionNames = Object.values(paths).map((path) =>
  (typeof path === 'string' ? path : path('id')).split('/').at(-1)!,
);

let world: World;
beforeAll(async () => {
  world = await World.start();
});
afterAll(() => world.stop());

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
  const owner = await world.aPublisher();
  const { slug, presentationId } = await world.aListing(owner);
  const source = { slug, generation: 1 };
  const takedown = { at: new Date(), reason: 'a reason', withSources: [slug] };
  const deck = world.database.doc(`presentations/${presentationId}`);
  await deck.update({ takedown, remixedFrom: { ...source, version: 1 } });
  await world.database.doc(`listings/${slug}`).update({ source });
  await world.database.doc(`listings/${slug}!1`).set({ partOf: slug, stars: 1, remixCount: 1, viewCount: 1 });
  await drain(decksTakenDownWith(slug));
  await drain(decksRemixedFrom(source));
  await drain(listingsRemixedFrom(source));
  await runJob('foldMarketplaceCounters');
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
    ['precheckAssets', { hashes: [] }],
    ['cliRequestLoginOtp', { email: owner.email }],
    ['deletePresentation', { presentationId: deleted }],
  ];
  for (const [name, input] of calls) {
    const isGet = world.functions[name]!.definition!.method === 'GET';
    await succeed(isGet ? world.call(name, undefined, { key, query: { ...input } }) : world.call(name, input, { key }));
  }
  expect((await fetch(`${world.cloud.hostingUrl}/sitemap.xml`)).status).toBe(200);
  await succeed(world.call('getUsage', undefined, { key }));
  for (const group of caseGroups) await listOpenCases(group, 1);
  await listOpenMailCases(1);
  await pendingInvitations(invited, 1);
  await transact((tx) => findUserByEmail(tx, owner.email));
  await transact((tx) => findCollaborator(tx, presentationId, 'none'));
  await findKeys({ keyId: 'none' });
  await findKeys({ keyPrefix: 'none' });
  await useRemixesAndTakedowns();
  // Its counts are compared with the decks again.
  await world.database.doc(`organizationUsages/${owner.organizationId}`).update({ countedAt: new Date(0) });
  for (const job of ['finishDeletions', 'recountUsage', 'removeExpiredSessions'] as const) await runJob(job);

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
