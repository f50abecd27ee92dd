import { MAX_STORED } from '../../../functions/src/policy/insight-figures';
import { viewLimits } from '../../../functions/src/policy/view-totals';
import { foldViews } from '../../../functions/src/records/insights';
import { slidesOf, type View } from '../../../functions/src/records/views';
import { addDays, dayOf } from '../../../functions/src/values/days';
import { passSeconds } from '../../support/clock';
import { runJob } from '../../support/jobs';
import { insightsOf, storeViews } from '../../support/stored-views';
import { succeed, startWorld, world, type Account } from '../../support/world';

/** Insights of many views. */

let owner: Account;
startWorld(async () => {
  owner = await world.aPublisher();
});

const STORED = 100_000;
/** The views that the job folds: it folds so many in its time. */
const VIEWS = 4000;
const DAYS = 400;
const PEOPLE = 3000;
/** Five standard errors of a count of people, which has other hashes in each run. */
const MAX_ERROR = 0.08;

test('a deck with 100 000 views costs as much to look at as one with 200, and a fold that is cut off counts each view once', async () => {
  const [few, many] = [await world.aDeck(owner), await world.aDeck(owner)];
  await storeViews(owner, few, 200, { days: DAYS, links: 3 });
  await storeViews(owner, many, STORED, { days: DAYS, links: 3, people: PEOPLE, waiting: VIEWS });
  // The first run is cut off. Then two runs meet.
  for (let i = 0; i < 30; i++) expect(await foldViews(many.presentationId)).toBe(true);
  await Promise.all([runJob('foldInsights'), runJob('foldInsights')]);

  const to = dayOf(new Date());
  const range = { from: addDays(to, 1 - DAYS), to };
  const year = await insightsOf(owner, many, range);
  const secondsOf = (i: number) => 10 + (i % 60);
  const seconds = Array.from({ length: VIEWS }, (_, i) => secondsOf(i)).reduce((sum, each) => sum + each, 0);
  expect(year).toMatchObject({ views: VIEWS, completion: 1, isComplete: true });
  expect(year.byDay.map(({ views }) => views)).toEqual(Array.from({ length: DAYS }, () => VIEWS / DAYS));
  expect(year.byDay.reduce((sum, day) => sum + day.seconds, 0)).toBe(seconds);
  expect(year.byLink.map(({ views }) => views)).toEqual([1334, 1333, 1333]);
  expect(year.bySlide.map(({ key, views }) => [key, views])).toEqual([
    ['a', VIEWS],
    ['b', VIEWS],
  ]);
  expect(Math.abs(year.people / PEOPLE - 1)).toBeLessThanOrEqual(MAX_ERROR);

  const costs = async (deck: typeof few) => {
    const options = (query: Record<string, string>) => ({ key: owner.key, path: `/${deck.presentationId}`, query });
    const call = (name: string, query: Record<string, string>) =>
      world.costOf(() => succeed(world.call(name, undefined, options(query))));
    const [insights, list] = [await call('getPresentationInsights', range), await call('listPresentationViews', {})];
    return [insights.documentReads, list.documentReads, list.roundTrips];
  };
  const [small, large] = [await costs(few), await costs(many)];
  expect(large[0]).toBeLessThanOrEqual(100);
  expect(large.slice(1)).toEqual(small.slice(1));
}, 600_000);

test('the figures of 400 days cost at most 100 reads, however many views there are', async () => {
  const deck = await world.aDeck(owner);
  await storeViews(owner, deck, 1200, { days: 400, links: 120, people: 700 });
  await runJob('foldInsights');
  const to = dayOf(new Date());
  const from = addDays(to, -399);
  const queries: Record<string, string>[] = [
    { from, to },
    { from: addDays(to, -61), to },
    { from, to, version: '1' },
  ];
  for (const query of queries) {
    const cost = await world.costOf(() => insightsOf(owner, deck, query));
    expect(cost.documentReads).toBeLessThanOrEqual(100);
  }
  const year = await insightsOf(owner, deck, { from, to });
  expect(year).toMatchObject({ views: 1200, isComplete: true });
  expect(Math.abs(year.people / 700 - 1)).toBeLessThanOrEqual(MAX_ERROR);
  expect(year.byLink.length).toBe(100);
  const inLists = year.byLink.reduce((sum, { views }) => sum + views, year.other.byLink.views);
  expect([inLists, year.byDay.length]).toEqual([1200, 400]);
  expect(year.byDay.reduce((sum, { views }) => sum + views, 0)).toBe(1200);
});

/** Texts of letters that no compression makes small. */
let letters = 1;
function hostileText(length: number): string {
  return Array.from({ length }, () => {
    letters = (letters * 48_271) % 2_147_483_647;
    return String.fromCodePoint(0x4e00 + (letters % 20_000));
  }).join('');
}

const hostileSlides = () =>
  Array.from({ length: viewLimits.slides }, (_, index) => ({
    key: hostileText(viewLimits.keyLength),
    title: hostileText(viewLimits.titleLength),
    index,
    seconds: 10,
    visits: 1,
  }));

const MIB = 1_048_576;

test('views with as many slides, titles, hosts and links as readers can send are folded into documents below 1 MiB', async () => {
  const deck = await world.aDeck(owner);
  const [waves, each] = [3, 15];
  for (let wave = 0; wave < waves; wave++) {
    await storeViews(owner, deck, each, {
      links: each,
      slides: hostileSlides,
      host: () => `${'h'.repeat(60)}${letters}.example`,
    });
    await runJob('foldInsights');
  }
  const figures = await insightsOf(owner, deck);
  expect(figures).toMatchObject({ views: waves * each, bySlide: { length: MAX_STORED.slides }, isComplete: false });
  const { docs } = await world.database.collection(`presentations/${deck.presentationId}/insights`).get();
  const sizes = docs.map((document) => (document.get('figures') as Buffer).length);
  expect(sizes.length).toBeGreaterThan(each);
  expect(Math.max(...sizes)).toBeLessThan(MIB);
  const { docs: views } = await world.database.collection(`presentations/${deck.presentationId}/views`).get();
  const seen = views.reduce((sum, view) => sum + slidesOf(view.data() as View).length, 0);
  expect(seen).toBeGreaterThan(waves * each * 70);
  expect(figures.other.bySlide.views).toBe(seen - MAX_STORED.slides);
  const ofViews = views.map((view) => (view.get('totals') as Buffer).length + (view.get('folded') as Buffer).length);
  expect(Math.max(...ofViews)).toBeLessThan(MIB);
});

test('views with as many texts of slides as readers can send end in few transactions', async () => {
  const deck = await world.aDeck(owner);
  await storeViews(owner, deck, 60, { waiting: 0, slides: hostileSlides });
  const views = world.database.collection(`presentations/${deck.presentationId}/views`).select('endsAt');
  await Promise.all((await views.get()).docs.map(({ ref }) => ref.update({ endsAt: new Date() })));
  passSeconds(31 * 60);
  await runJob('foldInsights');
  const ends = (await views.get()).docs.map((view) => view.get('endsAt') as unknown);
  expect(ends).toEqual(Array(60).fill(null));
});
