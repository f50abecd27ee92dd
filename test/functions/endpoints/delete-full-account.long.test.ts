import { paths } from '../../../functions/src/records/collections';
import { finishAccountDeletions } from '../../support/account-deletion';
import { each } from '../../support/each';
import { aFullAccount, FILE_TEXT, NAMES, ORGANIZATION, type FullAccount } from '../../support/full-account';
import { runJob } from '../../support/jobs';
import { bucket, everyDocument, storedObjects } from '../../support/whole-store';
import { sha256, startWorld, succeed, world, type Account } from '../../support/world';

/** The deletion of an account that has something everywhere: nothing of it is left but what is named here. */

let person: FullAccount;
let other: Account;
startWorld(async () => {
  other = await world.aPublisher('pro');
  person = await aFullAccount(other);
});

/** The collections that the account does not fill. */
const UNFILLED = {
  accountDeletions: 'the deletion itself writes it',
  formerAccounts: 'the deletion itself writes it',
  operatorActions: 'the deletion itself writes it',
  sitemapParts: 'a part begins after as many listings as a file may have; it has slugs and times alone',
};

test('the account has something in every collection', async () => {
  const names = Object.entries(paths).map(([name, path]) => [
    name,
    (typeof path === 'string' ? path : path('id')).split('/').at(-1)!,
  ]);
  const found = await Promise.all(
    each(names).map(async ([name, last]) => {
      const { empty } = await world.database.collectionGroup(last!).limit(1).get();
      return empty ? [name] : [];
    }),
  );
  expect(found.flat().sort()).toEqual(Object.keys(UNFILLED).sort());
});

/** The texts by which somebody could find the account. */
function tracesOf({ email, userId, organizationId }: FullAccount): string[] {
  const hash = sha256(email);
  const base64url = Buffer.from(hash, 'hex').toString('base64url');
  return [email, userId, organizationId, hash, base64url, ORGANIZATION, ...NAMES];
}

/** What stays: docs/data-protection.md, When a person asks. */
const KEPT: Record<string, (trace: string) => boolean> = {
  // By a keyed hash of the mailbox, for 90 days.
  formerAccounts: (trace) => trace === person.organizationId,
  // The record of the deletion, without the address.
  operatorActions: (trace) => trace === person.organizationId,
  // Recipients who stopped its mails, and the counts of their day.
  mailRecipients: (trace) => trace === person.organizationId,
};

/** Where the documents have a trace of the account. */
async function findTraces(): Promise<{ path: string; collection: string; trace: string }[]> {
  const documents = await everyDocument(world);
  const traces = each(tracesOf(person));
  return documents.flatMap(({ path, text }) =>
    traces
      .filter((trace) => text.includes(trace) || path.includes(trace))
      .map((trace) => ({ path, collection: path.split('/').at(-2)!, trace })),
  );
}

test('before its deletion the account is found by its traces, also in what others have', async () => {
  const found = new Set((await findTraces()).map(({ collection }) => collection));
  const ofOthers = 'accessRequests collaborators emailSends events linkReaders linkTotals liveSessions openings';
  const expected = `${ofOthers} presentations remixers shareTokens stars versions views users organizations`.split(' ');
  expect(expected.filter((collection) => !found.has(collection))).toEqual([]);
});

test('no document is found by a plain hash of its address, not even before', async () => {
  const [, , , ...hashes] = tracesOf(person).slice(0, 5);
  expect(hashes).toHaveLength(2);
  expect((await findTraces()).filter(({ trace }) => hashes.includes(trace))).toEqual([]);
});

test('after its deletion no document and no object has a trace of it', async () => {
  const { session } = person;
  await succeed(world.call('requestAccountCode', { purpose: 'delete' }, { key: session }));
  const input = { code: await world.mailedCode(person.email), confirm: ORGANIZATION };
  await succeed(world.call('deleteAccount', input, { key: session }));
  await finishAccountDeletions();
  for (const job of [
    ...(['finishDeletions', 'forgetReaders', 'makePictures', 'sendViewNotices', 'sweepWebhooks'] as const),
    ...(['foldMarketplaceCounters', 'refreshMarketplace', 'foldInsights', 'notifyOwners', 'exportAccounts'] as const),
  ])
    await runJob(job);
  await fetch(`${world.cloud.hostingUrl}/sitemap.xml`);

  expect((await everyDocument(world)).length).toBeGreaterThan(50);
  const found = (await findTraces()).filter(({ path, trace }) => !KEPT[path.split('/')[0]!]?.(trace));
  expect(found).toEqual([]);

  const traces = each(tracesOf(person));
  const objects = await storedObjects();
  expect(objects.length).toBeGreaterThan(0);
  expect(objects.filter((name) => traces.some((trace) => name.includes(trace)))).toEqual([]);
  const contents = await Promise.all(
    objects.map(async (name) => (await bucket().file(name.slice('bucket:'.length)).download())[0].toString('latin1')),
  );
  expect(objects.filter((_name, i) => contents[i]!.includes(FILE_TEXT))).toEqual([]);
});

test('what others made stays', async () => {
  const mine = await succeed(
    world.call<{ presentations: { title: string }[] }>('listMyPresentations', undefined, { key: other.key }),
  );
  expect(mine.presentations.map(({ title }) => title)).toEqual(
    expect.arrayContaining(['Their deck', 'Their gated deck', 'Listed by its owner']),
  );
});
