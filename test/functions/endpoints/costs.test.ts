import type { Cost } from '../../../functions/src/http/definition';
import { recipientKey } from '../../../functions/src/records/recipient-key';
import { labelOfListing, originOf } from '../../../functions/src/values/deck-origins';
import { passSeconds } from '../../support/clock';
import { atSite, navigation, openOnOrigin, requestLocally } from '../../support/deck-origin';
import { endpoints } from '../../support/endpoints';
import { prepareCall, successOf } from '../../support/every-call';
import { jobNames, runJob } from '../../support/jobs';
import { makePictures, pictureFile } from '../../support/pictures';
import { requestLineOf } from '../../support/request-lines';
import { seedBlobs } from '../../support/stored';
import { type Account, blob, type Deck, page, sha256, startWorld, succeed, world } from '../../support/world';

/** The round trip of the key of an authenticated call: one read. The write that notes its use is made once a minute. */
const KEY = 1;

let owner: Account;

startWorld(async () => {
  owner = await world.anOwner('enterprise');
  // The first instance of a new service makes this key. Every later call finds it in memory.
  await recipientKey();
});
// The date stands still, and the keys were used: no measured call notes the use of its key.
beforeEach(async () => {
  passSeconds(0);
  await world.useKey(owner);
  // A test that makes pictures makes those of its own deck, and not those of the tests before it.
  const { docs } = await world.database.collection('pictureTasks').get();
  await Promise.all(docs.map(({ ref }) => ref.delete()));
});

/** The cost of a request. Fails when the log line of the request and the database count differently. */
async function measure(
  work: () => Promise<{ requestId: string } | { headers: Headers } | void>,
): Promise<Required<Cost>> {
  let answer: Awaited<ReturnType<typeof work>> | undefined;
  const cost = await world.costOf(async () => (answer = await work()));
  const { roundTrips, documentReads: reads, documentWrites: writes, storageCalls: bucketCalls } = cost;
  const requestId = answer && ('headers' in answer ? answer.headers.get('x-request-id') : answer.requestId);
  if (requestId) {
    const { databaseReads, databaseWrites } = await requestLineOf(requestId);
    expect([databaseReads, databaseWrites]).toEqual([reads, writes]);
  }
  return { roundTrips, reads, writes, bucketCalls };
}

/** Which of the costs exceed their bound. */
function excessOf(cost: Required<Cost>, atMost: Partial<Cost>): string[] {
  const bounds = { bucketCalls: 0, ...atMost };
  return (Object.keys(bounds) as (keyof Cost)[]).flatMap((each) =>
    cost[each] > bounds[each]! ? [`${each}: ${cost[each]}, and at most ${bounds[each]}`] : [],
  );
}

// They run first, while the service has no decks.
test.each(jobNames)('%s without work makes a call for each of its queries, and writes nothing', async (name) => {
  // The first run of refreshMarketplace notes that nothing is left to renew.
  await runJob(name);
  const cost = await measure(() => runJob(name));
  expect(excessOf(cost, { roundTrips: 6, reads: 8, writes: 0, bucketCalls: 1 })).toEqual([]);
});

// In the order of their names: the lists of the marketplace show four listings of calls before them.
test.each(Object.entries(endpoints))('%s costs at most what it declares', async (name, { definition }) => {
  const call = await prepareCall(world, name);
  await world.useKey(call);
  const cost = await measure(async () => {
    const answer = await call.send();
    const success = successOf(name);
    expect([answer.status, answer.status === success || answer.text]).toEqual([success, true]);
    return answer;
  });
  expect(excessOf(cost, definition.cost)).toEqual([]);
});

/** The page behind the link of a mail. */
const ofMail = (method: string, query: string) => async (by: Account, deck: Deck) => {
  const to = `new-${Math.random()}@example.org`;
  const { presentationId } = deck;
  await world.call('sharePresentationViaEmail', { presentationId, emails: [to] }, { key: by.key });
  const link = /https?:\/\/\S+\/mail\/[\w-]+/.exec((await world.mails(to))[0]!.text)![0];
  return () => fetch(link + query, { method });
};
/** A search for words of a new listing, which are the same in no other listing. */
const ofWords = (words: string, query: Record<string, string>) => async (by: Account) => {
  const mark = Math.random().toString(36).slice(2);
  const title = words.replaceAll(/\w+/g, (word) => `${mark}${word}`);
  await world.aListing(by, { title, tags: ['tagged'] });
  await runJob('foldMarketplaceCounters');
  const searching = () => world.call('listMarketplaceListings', undefined, { query: { q: title, ...query } });
  // The first search of an instance reads the parts.
  await searching();
  return searching;
};

type Prepare = (by: Account, deck: Deck) => Promise<() => Promise<{ status: number }>>;
const retitling: Prepare = async (by) => {
  const { slug } = await world.aListing(by);
  return () => world.call('updateMarketplaceListing', { slug, title: 'Other' }, { key: by.key });
};
const unsharing: Prepare = async ({ key }, { presentationId }) => {
  const add = (tokenName: string) => world.call('addPresentationToken', { presentationId, tokenName }, { key });
  await Promise.all(['a', 'b'].map((name) => succeed(add(name))));
  return () => world.call('unsharePresentation', { presentationId, all: true }, { key });
};
const renaming: Prepare = async ({ key }, { presentationId, token, tokenId }) => {
  const add = (tokenName: string) => world.call<Deck>('addPresentationToken', { presentationId, tokenName }, { key });
  const added = await Promise.all(['a', 'b', 'c', 'd'].map((name) => succeed(add(name))));
  for (const link of [{ token }, ...added]) await world.visit(world.viewUrl({ presentationId, token: link.token }));
  return () => world.call('updateShareToken', { presentationId, tokenId, name: 'Other' }, { key });
};
const aNextVersion: Prepare = (by, { presentationId }) =>
  Promise.resolve(() => world.commit(by, { presentationId }, [page()]));
const aPageOfRemixes: Prepare = async (by) => {
  const { slug } = await world.aListing(by);
  const remix = await succeed(world.call<Deck>('remixMarketplaceListing', { slug }, { key: by.key }));
  await world.aListing(by, {}, remix);
  return () => world.call('listMarketplaceRemixes', undefined, { query: { slug } });
};
const anEntry: Prepare = async (by) => {
  const { slug } = await world.aListing(by);
  const origin = originOf(world.cloud.deckOrigin!, labelOfListing(slug));
  return () => requestLocally(`${origin}/`, { headers: navigation });
};

/** What else people do often: the round trips, the documents read and written, the calls of the bucket. */
const others: [what: string, atMost: [number, number, number, number], prepare: Prepare][] = [
  ['a listing gets another title', [KEY + 3, 3, 3, 0], retitling],
  ['three links are revoked in one write', [KEY + 3, 5, 3, 0], unsharing],
  ['a link gets another name, beside four that were viewed', [KEY + 4, 5, 3, 0], renaming],
  ['the next version of one file', [KEY + 4, 10, 8, 0], aNextVersion],
  ['the recipient of a mail stops mails', [4, 2, 2, 0], ofMail('POST', '')],
  ['the recipient of a mail reports it', [5, 4, 3, 0], ofMail('POST', '?choice=report&reason=spam')],
  ['a search for one word and a kind', [4, 4, 0, 0], ofWords('word', { kind: 'presentation' })],
  ['a search for two words and a tag', [4, 4, 0, 0], ofWords('word other', { tag: 'tagged' })],
  ['a page of one remix', [4, 4, 0, 0], aPageOfRemixes],
  ['the entry of a listing on its origin', [3, 3, 0, 1], anEntry],
];

test.each(others)('%s costs at most %j', async (_what, atMost, prepare) => {
  const by = await world.aPublisher();
  await world.useKey(by);
  const work = await prepare(by, await world.aDeck(by, [page()]));
  let status = 0;
  const cost = await measure(async () => void ({ status } = await work()));
  const [roundTrips, reads, writes, bucketCalls] = atMost;
  expect([status, ...excessOf(cost, { roundTrips, reads, writes, bucketCalls })]).toEqual([200]);
});

test('the round trips of a push do not depend on the number of its files', async () => {
  const { sessionId, presentationId } = await world.aSession(owner);
  const files = [page(), ...Array.from({ length: 19 }, (_, i) => blob(40, `f${i}.css`))];
  await seedBlobs(world, presentationId, files);
  const cost = await world.costOf(() => succeed(world.commit(owner, { sessionId, title: 'x' }, files)));
  expect(cost.roundTrips).toBeLessThanOrEqual(6);
  const known = { presentationId, hashes: files.map(({ bytes }) => sha256(bytes)) };
  const precheck = await world.costOf(() => succeed(world.call('precheckAssets', known, { key: owner.key })));
  expect([precheck.roundTrips, precheck.documentReads]).toEqual([KEY + 1, 3]);
});

test('a warm share page, picture or file: one round trip of two reads, and no bucket call; an entry view adds a commit', async () => {
  const files = [page(), blob(1024 * 1024, 'big.png'), pictureFile('thumbnail.png')];
  const deck = await world.aDeck(owner, files);
  await makePictures();
  const link = await openOnOrigin(deck.shareUrl);
  const sharePage = `${world.cloud.baseUrl}/sharePage${new URL(deck.shareUrl).pathname}?token=${deck.token}`;
  const [, picture] = /property="og:image" content="([^"]*)"/.exec(await (await fetch(sharePage)).text())!;
  const view = (path: string) => world.visit(world.viewUrl(deck, path));
  for (const [status, look] of [
    [200, () => fetch(sharePage).then((answer) => answer.status)],
    [200, () => fetch(picture!).then((answer) => answer.status)],
    [303, () => requestLocally(atSite(deck.shareUrl), { headers: navigation }).then((answer) => answer.status)],
    [200, () => view('big.png')],
    [200, () => link.get('/big.png', { headers: navigation }).then((answer) => answer.status)],
    [404, () => link.get('/none', { headers: navigation }).then((answer) => answer.status)],
  ] as const) {
    await look();
    const cost = await world.costOf(async () => expect(await look()).toBe(status));
    expect(cost).toMatchObject({ roundTrips: 1, documentReads: 2, documentWrites: 0, storageCalls: 0 });
  }
  await view('');
  const entry = await world.costOf(() => view(''));
  expect(entry).toMatchObject({ calls: { BatchGetDocuments: 1, Commit: 1 }, documentReads: 2, storageCalls: 0 });
  expect(entry.roundTrips).toBe(2);
});
