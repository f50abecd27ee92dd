import { readFileSync } from 'node:fs';
import { join } from 'node:path';
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
import { type Account, type Deck, startWorld, succeed, world } from '../support/world';

/**
 * The local engine refuses a query without its index, so every other test proves that firestore.indexes.json is
 * complete. This test proves that no index is stored that no query uses.
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
    for (const filter of [...filters, Object.assign({}, ...filters) as object])
      await succeed(world.call('listEvents', undefined, { key, query: { order, ...filter } }));
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
