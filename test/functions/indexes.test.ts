import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pendingInvitations } from '../../functions/src/records/collaborators';
import { paths } from '../../functions/src/records/collections';
import { caseGroups, listOpenCases } from '../../functions/src/records/listing-reports';
import { listOpenMailCases } from '../../functions/src/records/mail-reports';
import type { IndexFile } from '../../local/firestore';
import { projectRoot } from '../../local/project';
import { succeed, World } from '../support/world';

/**
 * The local engine refuses a query without its index, so every other test proves that firestore.indexes.json is
 * complete. These tests prove that it has no unused entry.
 */
const file = JSON.parse(readFileSync(join(projectRoot, 'firestore.indexes.json'), 'utf8')) as Required<IndexFile>;

let world: World;
beforeAll(async () => {
  world = await World.start();
});
afterAll(() => world.stop());

test('every composite index serves a query', async () => {
  const owner = await world.aPublisher();
  const { key } = owner;
  const { presentationId, tokenId } = await world.aDeck(owner);
  const invited = 'somebody@example.org';
  const calls: [name: string, input: object][] = [
    ['listMyPresentations', {}],
    ['listApiKeys', {}],
    ['setTokenVersionMode', { presentationId, tokenId, versionMode: { type: 'pinned', version: 1 } }],
    ['inviteCollaborator', { presentationId, email: invited }],
    ['listCollaborators', { presentationId }],
    ['listMarketplaceListings', { sort: 'recent' }],
    ['listMarketplaceListings', { sort: 'popular' }],
    ['listMarketplaceListings', { sort: 'stars' }],
  ];
  for (const [name, input] of calls) {
    const isGet = world.functions[name]!.definition!.method === 'GET';
    await succeed(isGet ? world.call(name, undefined, { key, query: { ...input } }) : world.call(name, input, { key }));
  }
  // An organization that was not counted yet is counted at its next call.
  await world.database.doc(`organizations/${owner.organizationId}`).update({ usageCountedAt: null });
  await succeed(world.call('getUsage', undefined, { key }));
  for (const group of caseGroups) await listOpenCases(group, 1);
  await listOpenMailCases(1);
  await pendingInvitations(invited, 1);
  expect(world.cloud.firestore.unusedIndexes()).toEqual([]);
});

test('every index and every exception names an existing collection', () => {
  const names = Object.values(paths).map((path) => (typeof path === 'string' ? path : path('id')).split('/').at(-1));
  for (const { collectionGroup } of [...file.indexes, ...file.fieldOverrides]) expect(names).toContain(collectionGroup);
});
