import { passSeconds } from '../../support/clock';
import { atSite, requestLocally } from '../../support/deck-origin';
import { runJob } from '../../support/jobs';
import { markOf } from '../../support/own-mark';
import { insightsOf, storeViews } from '../../support/stored-views';
import { aReader, browser, slide } from '../../support/views';
import { page, startWorld, succeed, world, type Account, type Deck } from '../../support/world';
import { foldViews } from '../../../functions/src/records/insights';
import { addDays, dayOf } from '../../../functions/src/values/days';

/** The figures that are made of views and loads. */

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
const ofOrganization = (query: Record<string, string> = {}) =>
  succeed(
    world.call<Awaited<ReturnType<typeof insightsOf>> & { byDeck: object[]; latestViews: object[] }>(
      'getOrganizationInsights',
      undefined,
      { key: owner.key, query },
    ),
  );
const addLink = async (name: string) => {
  const { presentationId } = deck;
  const input = { presentationId, tokenName: name };
  return succeed(world.call<{ tokenId: string; shareUrl: string }>('addPresentationToken', input, { key: owner.key }));
};

/** Two people through two links, one of them twice, and a robot. */
async function twoReaders() {
  const board = await addLink('Board');
  const [ada, grace] = [await aReader(deck, { referer: 'https://a.example/' }), await aReader(board)];
  passSeconds(60);
  const loads = [await ada.load(), await grace.load()] as const;
  await loads[0].tell({
    seconds: 30,
    slideCount: 3,
    current: 'b',
    slides: [slide('a', 0, 10), slide('b', 1, 20)],
  });
  passSeconds(1);
  await loads[1].tell({
    seconds: 60,
    slideCount: 3,
    current: 'c',
    slides: [slide('a', 0, 20), slide('b', 1, 20), slide('c', 2, 20)],
  });
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

test('loads that become no view are other openings, and own loads are none', async () => {
  for (let i = 0; i < 3; i++) await (await aReader(deck)).load();
  await (await aReader(deck, { cookie: markOf(owner.userId) })).load();
  await fold();
  expect(await insights()).toMatchObject({ views: 0, otherOpenings: 3 });
  await (await (await aReader(deck)).load()).tell();
  await fold();
  await fold();
  expect(await insights()).toMatchObject({ views: 1, otherOpenings: 3 });
  const { presentationId } = deck;
  const options = { key: owner.key, path: `/${presentationId}` };
  const info = await succeed(world.call('getSharedPresentationInfo', undefined, options));
  expect(info).toMatchObject({ totalViews: 5, tracking: 'full' });
});

test('a range has at most 400 days, and ends after it begins', async () => {
  const options = (query: Record<string, string>) => ({ key: owner.key, path: `/${deck.presentationId}`, query });
  const queries: Record<string, string>[] = [
    { from: '2026-01-01', to: '2027-02-04' },
    { from: '2026-01-01', to: '2027-02-05' },
    { from: '2026-01-02', to: '2026-01-01' },
    { from: '2026-02-30' },
    { from: 'yesterday' },
    { tokenId: deck.tokenId, version: '1' },
  ];
  const statuses = await Promise.all(
    queries.map(async (query) => (await world.call('getPresentationInsights', undefined, options(query))).status),
  );
  expect(statuses).toEqual([200, 400, 400, 400, 400, 400]);
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

test('a deck takes its views and figures with it, and what is left of it stops no fold', async () => {
  await storeViews(owner, deck, 2);
  await fold();
  await twoReaders();
  const { presentationId } = deck;
  await succeed(world.call('deletePresentation', { presentationId }, { key: owner.key }));
  await fold();
  const left = await world.database.doc(`presentations/${presentationId}`).listCollections();
  expect(left.map(({ id }) => id)).toEqual([]);
  expect(await ofOrganization()).toMatchObject({ views: 2, byDeck: [], other: { byDeck: { views: 2 } } });
});
