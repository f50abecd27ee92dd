import { passSeconds } from '../../support/clock';
import { atSite, requestLocally } from '../../support/deck-origin';
import { runJob } from '../../support/jobs';
import { behindMailGateway } from '../../support/mail-gateway';
import { markOf } from '../../support/own-mark';
import { insightsOf, storeViews } from '../../support/stored-views';
import { aReader, browser, readOnce, slide, viewsOf } from '../../support/views';
import { page, startWorld, succeed, world, type Account, type Deck } from '../../support/world';
import { foldDeckViews } from '../../../functions/src/decks/fold-insights';
import { foldViews } from '../../../functions/src/records/insights';
import { linkTotalsRef, storeLinkTotals } from '../../../functions/src/records/link-totals';
import { transact } from '../../../functions/src/records/transact';
import { decksWithWaitingViews } from '../../../functions/src/records/views';
import { addDays, dayOf, lastDayOf, monthOf } from '../../../functions/src/values/days';
import { newId } from '../../../functions/src/values/ids';

/** The figures that are made of views and loads, and how a reader is forgotten in them and in all other records. */

let owner: Account;
let deck: Deck;
startWorld();
beforeEach(async () => {
  owner = await world.aPublisher();
  deck = await world.aDeck(owner, [page()]);
});

const fold = () => runJob('foldInsights');
const today = () => dayOf(new Date());
const insights = (query: Record<string, string> = {}) => insightsOf(owner, deck, query);
const ofOrganization = () => succeed(world.call('getOrganizationInsights', undefined, { key: owner.key }));
const call = <T = object>(name: string, input: object, { key } = owner) => succeed(world.call<T>(name, input, { key }));

/** Two people through two links, one of them twice, and a robot. */
async function twoReaders() {
  type Link = { tokenId: string; shareUrl: string };
  const link = { presentationId: deck.presentationId, tokenName: 'Board' };
  const board = await call<Link>('addPresentationToken', link);
  const [ada, grace] = [await aReader(deck, { referer: 'https://a.example/' }), await aReader(board)];
  passSeconds(60);
  const loads = [await ada.load(), await grace.load()] as const;
  const [a, b, c] = [slide('a', 0, 20), slide('b', 1, 20), slide('c', 2, 20)];
  await loads[0].tell({ seconds: 30, slideCount: 3, current: 'b', slides: [slide('a', 0, 10), b] });
  passSeconds(1);
  await loads[1].tell({ seconds: 60, slideCount: 3, current: 'c', slides: [a, b, c] });
  await requestLocally(atSite(deck.shareUrl), { headers: browser });
  await (await aReader(deck)).load();
  return { board, loads };
}

test('known beacons give known figures, for the deck, a link and a version', async () => {
  const { board } = await twoReaders();
  await fold();
  const figures = await insights();
  const day = today();
  const lastSeenAt = expect.any(String) as string;
  expect(figures).toEqual({
    from: addDays(day, -29),
    to: day,
    views: 2,
    people: 2,
    otherOpenings: 1,
    seconds: { median: expect.closeTo(30, -0.8) as number, p90: expect.closeTo(60, -1) as number },
    completion: 0.5,
    byDay: expect.arrayContaining([{ day, views: 2, people: 2, seconds: 90 }]) as object[],
    byLink: [
      { tokenId: board.tokenId, tokenName: 'Board', views: 1, people: 1, seconds: 60, lastSeenAt },
      { tokenId: deck.tokenId, tokenName: 'default', views: 1, people: 1, seconds: 30, lastSeenAt },
    ],
    bySlide: [
      { key: 'a', title: 'A', views: 2, medianSeconds: 10, exits: 0 },
      { key: 'b', title: 'B', views: 2, medianSeconds: expect.closeTo(20, -0.6) as number, exits: 1 },
      { key: 'c', title: 'C', views: 1, medianSeconds: expect.closeTo(20, -0.6) as number, exits: 1 },
    ],
    byDevice: [{ device: 'desktop', views: 2 }],
    byReferrer: expect.arrayContaining([
      { host: 'a.example', views: 1 },
      { host: null, views: 1 },
    ]) as object[],
    other: { byLink: { views: 0, seconds: 0 }, bySlide: { views: 0 }, byReferrer: { views: 0 } },
    isComplete: true,
  });
  expect(figures.byDay.length).toBe(30);
  const link = await insights({ tokenId: board.tokenId });
  expect(link).toMatchObject({ views: 1, people: 1, otherOpenings: 0, completion: 1, byLink: [] });
  expect(await insights({ version: '1' })).toMatchObject({ views: 2, otherOpenings: 1, byLink: [{}, {}] });
  expect(await insights({ version: '2' })).toMatchObject({ views: 0, people: 0, completion: null, bySlide: [] });
  const title = 'A deck';
  const { presentationId } = deck;
  expect(await ofOrganization()).toMatchObject({
    views: 2,
    people: 2,
    otherOpenings: 1,
    completion: 0.5,
    byDeck: [{ presentationId, title, views: 2, people: 2, seconds: 90 }],
    latestViews: [
      { presentationId, title, tokenName: 'Board', seconds: 60 },
      { presentationId, title, tokenName: 'default', seconds: 30 },
    ],
    isComplete: true,
  });
});

test('a view that goes on takes the place of what was folded of it, however often and by however many runs', async () => {
  const { loads } = await twoReaders();
  await fold();
  expect(await insights()).toMatchObject({ isComplete: true });
  passSeconds(30);
  await loads[0].tell({ seconds: 50, current: 'c', slides: [slide('c', 2, 20)] });
  expect(await insights()).toMatchObject({ isComplete: false });
  await Promise.all([fold(), fold()]);
  await fold();
  expect(await insights()).toMatchObject({
    views: 2,
    people: 2,
    otherOpenings: 1,
    completion: 1,
    byDay: expect.arrayContaining([{ day: today(), views: 2, people: 2, seconds: 110 }]) as object[],
    bySlide: [{ exits: 0 }, { exits: 0 }, { views: 2, exits: 2 }],
    isComplete: true,
  });
});

test('a fold that is cut off after any of its transactions is finished by the next one', async () => {
  await storeViews(owner, deck, 220);
  expect(await foldViews(deck.presentationId)).toBe(true);
  expect(await insights()).toMatchObject({ views: 100, isComplete: false });
  await fold();
  expect(await insights()).toMatchObject({ views: 220, isComplete: true });
});

test('a run comes to each deck once, and leaves views of a busy deck to the next run', async () => {
  await storeViews(owner, deck, 520);
  const found: string[] = [];
  for await (const { id } of decksWithWaitingViews()) if (id === deck.presentationId) found.push(id);
  expect(found).toHaveLength(1);
  await foldDeckViews(deck.presentationId, 2);
  expect(await insights()).toMatchObject({ views: 200, isComplete: false });
  await fold();
  expect(await insights()).toMatchObject({ views: 520, isComplete: true });
});

test('loads that become no view are other openings, and own loads are none', async () => {
  for (let i = 0; i < 3; i++) await (await aReader(deck)).load();
  await (await aReader(deck, { cookie: markOf(owner.userId) })).load();
  await fold();
  expect(await insights()).toMatchObject({ views: 0, otherOpenings: 3 });
  await readOnce(deck);
  await fold();
  await fold();
  expect(await insights()).toMatchObject({ views: 1, otherOpenings: 3 });
  const options = { key: owner.key, path: `/${deck.presentationId}` };
  const info = await succeed(world.call('getSharedPresentationInfo', undefined, options));
  expect(info).toMatchObject({ totalViews: 5, tracking: 'full' });
});

test('the totals of links fit into their document, whatever the names are', async () => {
  const of = { views: 1, seconds: 1, maxSlide: 1, slideCount: null };
  const total = (i: number) => ({ ...of, name: '漢'.repeat(100), lastSeenAt: new Date(i) });
  const links = Object.fromEntries(Array.from({ length: 2000 }, (_, i) => [`link-${i}`, total(i)]));
  const ref = linkTotalsRef(deck.presentationId, deck.tokenId);
  await transact((tx) => Promise.resolve(storeLinkTotals(tx, ref, { links })));
  const stored = (await world.database.doc(ref.path).get()).get('links') as object;
  expect(Object.keys(stored).sort()).toEqual(Object.keys(links).slice(1000).sort());
});

test('a range has at most 400 days, and ends after it begins', async () => {
  const options = { key: owner.key, path: `/${deck.presentationId}` };
  const queries: Record<string, string>[] = [
    { from: '2026-01-01', to: '2027-02-04' },
    { from: '2026-01-01', to: '2027-02-05' },
    { from: '2026-01-02', to: '2026-01-01' },
    { from: '2026-02-30' },
    { from: 'yesterday' },
    { tokenId: deck.tokenId, version: '1' },
  ];
  const ask = (query: Record<string, string>) =>
    world.call('getPresentationInsights', undefined, { ...options, query });
  const answers = await Promise.all(queries.map(ask));
  expect(answers.map(({ status }) => status)).toEqual([200, 400, 400, 400, 400, 400]);
});

test('views and figures are deleted after 400 days', async () => {
  await storeViews(owner, deck, 3);
  await fold();
  passSeconds(399 * 86_400);
  await runJob('removeOldViews');
  const count = async (name: string) => (await world.database.collectionGroup(name).get()).size;
  expect(await insights({ from: addDays(today(), -399) })).toMatchObject({ views: 3 });
  passSeconds(33 * 86_400);
  await runJob('removeOldViews');
  expect([await count('views'), await count('insights'), await count('organizationInsights')]).toEqual([0, 0, 0]);
});

test('loads of a day whose figures were deleted are not counted again', async () => {
  const now = new Date();
  passSeconds((Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 10) - now.getTime()) / 1000);
  process.env['VIEW_RETENTION_DAYS'] = '2';
  try {
    await (await aReader(deck)).load();
    await fold();
    passSeconds(4 * 86_400);
    await runJob('removeOldViews');
    await (await aReader(deck)).load();
    await fold();
  } finally {
    delete process.env['VIEW_RETENTION_DAYS'];
  }
  const month = monthOf(today());
  expect(await insights({ from: `${month}-01`, to: lastDayOf(month) })).toMatchObject({ otherOpenings: 2 });
});

test('a deck takes its views and figures with it, and what is left of it stops no fold', async () => {
  await storeViews(owner, deck, 2);
  await fold();
  await twoReaders();
  const { presentationId } = deck;
  await call('deletePresentation', { presentationId });
  await fold();
  const left = await world.database.doc(`presentations/${presentationId}`).listCollections();
  expect(left.map(({ id }) => id)).toEqual([]);
  expect(await ofOrganization()).toMatchObject({ views: 2, byDeck: [], other: { byDeck: { views: 2 } } });
});

describe('an address', () => {
  const READER = 'grace@example.org';
  async function forget(): Promise<void> {
    const key = await world.aDashboardSession(owner);
    const { status, data } = await world.call('forgetReader', { email: READER.toUpperCase() }, { key });
    expect([status, data]).toEqual([202, { email: READER }]);
    await runJob('forgetReaders');
  }

  /** A deck that has the address wherever a deck can have one. */
  async function aDeckWithReader(of: Account): Promise<Deck> {
    const deck = await world.aDeck(of, [page()]);
    const { presentationId, tokenId } = deck;
    const mail = { presentationId, emails: [READER] };
    const { sent } = await call<{ sent: [{ shareUrl: string }] }>('sharePresentationViaEmail', mail, of);
    await readOnce(sent[0]);
    await call('updateShareToken', { presentationId, tokenId, allowedEmails: [READER, '@example.com'] }, of);
    const opening = { tokenId, email: READER, createdAt: new Date(), expiresAt: new Date(Date.now() + 9e7) };
    await world.database.doc(`presentations/${presentationId}/openings/o`).set(opening);
    await askForAccess(of, deck, READER);
    await askForAccess(of, deck, 'ada@example.org');
    await runJob('foldInsights');
    return deck;
  }

  /** Stores a request for access, by an address, at a link that has the address of the reader as its name. */
  async function askForAccess({ userId: ownerId }: Account, { presentationId, tokenId }: Deck, email: string) {
    const requestId = newId();
    const times = { createdAt: new Date(), expiresAt: new Date(Date.now() + 9e7) };
    const asked = { requestId, label: 'a', email, message: null, ...times };
    const routed = { isDue: false, link: { presentationId, tokenId, tokenName: READER }, ownerId };
    const open = { status: 'open', mailingKey: null, claimedAt: null };
    await world.database.doc(`accessRequests/${requestId}`).set({ ...asked, ...routed, ...open });
  }

  const requestsTo = async ({ userId }: Account) => {
    const { docs } = await world.database.collection('accessRequests').get();
    const found = docs.filter((request) => request.get('ownerId') === userId);
    return found.map((request) => `${request.get('email')} ${request.get('link.tokenName')}`).sort();
  };

  /** The documents below a deck that have the address, by their collections. */
  async function traces({ presentationId }: Deck): Promise<string[]> {
    const collections = await world.database.doc(`presentations/${presentationId}`).listCollections();
    const found = await Promise.all(
      collections.map(async (each) => {
        const { docs } = await each.get();
        return docs.some((document) => JSON.stringify(document.data()).includes(READER)) ? [each.id] : [];
      }),
    );
    return found.flat().sort();
  }

  test('of a reader is forgotten in all decks of the organization, and the owner is told', async () => {
    const other = await world.aPublisher();
    const [seen, second] = [await aDeckWithReader(owner), await aDeckWithReader(owner)];
    const foreign = await aDeckWithReader(other);
    const all = ['emailSends', 'linkReaders', 'linkTotals', 'openings', 'shareTokens', 'views'];
    expect(await traces(seen)).toEqual(all);
    await forget();
    expect([await traces(seen), await traces(second)]).toEqual([[], []]);
    expect(await traces(foreign)).toEqual(all);
    expect(await requestsTo(owner)).toEqual(Array(2).fill('ada@example.org Forgotten reader'));
    expect(await requestsTo(other)).toEqual([`ada@example.org ${READER}`, `${READER} ${READER}`]);
    const view = { email: null, emailIsProven: false, tokenName: 'Forgotten reader' };
    expect(await viewsOf(owner, seen)).toMatchObject([view]);
    expect((await insightsOf(owner, seen)).byLink).toMatchObject([{ tokenName: 'Forgotten reader', views: 1 }]);
    const options = { key: owner.key, path: `/${seen.presentationId}` };
    const email = expect.stringMatching(/^forgotten-[\da-f]{24}$/) as string;
    expect(await succeed(world.call('listEmailSends', undefined, options))).toMatchObject({ sends: [{ email }] });
    const [mail] = await world.mails(owner.email);
    expect(mail!.text).toContain(READER);
    expect((await world.database.collection('readerRemovals').get()).size).toBe(0);
  });

  test('is forgotten also where the provider refuses the mail that tells it', async () => {
    await aDeckWithReader(owner);
    await behindMailGateway(async (gateway) => {
      gateway.plan({ do: 'answer', status: 422, name: 'validation_error' });
      await forget();
      expect(gateway.calls).toHaveLength(1);
    });
    expect((await world.database.collection('readerRemovals').get()).size).toBe(0);
  });

  test('that alone was admitted by a link leaves a link that admits nobody', async () => {
    const { presentationId, tokenId } = await aDeckWithReader(owner);
    await call('updateShareToken', { presentationId, tokenId, allowedEmails: [READER] });
    await forget();
    const path = `/${presentationId}/${tokenId}`;
    const row = await succeed(world.call('getShareToken', undefined, { key: owner.key, path }));
    expect(row).toMatchObject({ allowedEmails: [], allowedEmailCount: 0, state: 'open' });
  });
});
