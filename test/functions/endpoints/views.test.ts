import { passSeconds } from '../../support/clock';
import { atSite, forged, openOnOrigin, requestLocally } from '../../support/deck-origin';
import { runJob } from '../../support/jobs';
import { markOf } from '../../support/own-mark';
import { insightsOf } from '../../support/stored-views';
import { aFramedReader, aReader, browser, newLoadId, PageLoad, slide, viewsOf } from '../../support/views';
import { page, startWorld, succeed, world, type Account, type Deck } from '../../support/world';

/** What becomes of the beacons of a deck on its origin, and in a frame. */

let owner: Account;
let deck: Deck;
startWorld(async () => {
  owner = await world.aPublisher();
});
beforeEach(async () => {
  deck = await world.aDeck(owner, [page()]);
});

const views = () => viewsOf(owner, deck);
const track = (tracking: string) =>
  succeed(world.call('setPresentationTracking', { presentationId: deck.presentationId, tracking }, owner));
/** A beacon of a page that could not ask for its deck. */
const aBeacon = () => new PageLoad(() => Promise.reject(new Error())).beacon();
/** What a reader does whose visit is a view. */
const look = async (headers: Record<string, string> = {}) => (await (await aReader(deck, headers)).load()).tell();

test('a person becomes a view at the first beacon, with what the beacon and the headers tell', async () => {
  const load = await (await aReader(deck, { referer: 'https://mail.example.com/inbox?secret' })).load();
  await load.tell({ seconds: 4, hasInput: false });
  expect(await views()).toEqual([]);
  passSeconds(10);
  const slides = [slide('intro', 0, 8), slide('numbers', 1, 4, 2)];
  await load.tell({ seconds: 12, hasInput: false, slideCount: 3, current: 'numbers', slides });
  const [view, ...others] = await views();
  expect(others).toEqual([]);
  const { viewId, startedAt } = view!;
  expect(view).toEqual({
    viewId,
    tokenId: deck.tokenId,
    tokenName: 'default',
    email: null,
    emailIsProven: false,
    version: 1,
    startedAt,
    lastSeenAt: startedAt,
    seconds: 12,
    slides: slides.map(({ index: _, ...of }) => of),
    slideCount: 3,
    maxSlide: 2,
    hasScript: true,
    device: 'desktop',
    language: 'en-GB',
    referrerHost: 'mail.example.com',
  });
});

test('an input makes a person at once, and a page of the site or a deck is not a referrer', async () => {
  await look({ referer: world.cloud.hostingUrl });
  expect(await views()).toMatchObject([{ seconds: expect.any(Number) as number, referrerHost: null }]);
});

test('a beacon that is repeated, late or out of order changes no total twice', async () => {
  const reader = await aReader(deck);
  const load = await reader.load();
  const [first, second, third] = [
    load.beacon({ seconds: 10, slides: [slide('a', 0, 10)], current: 'a' }),
    load.beacon({ seconds: 40, slides: [slide('b', 1, 30)], current: 'b' }),
    load.beacon({ seconds: 70, slides: [slide('a', 0, 40, 2)], current: 'a' }),
  ];
  passSeconds(15);
  await reader.seen(first);
  passSeconds(60);
  // The second one was under way for longer than the third one.
  for (const beacon of [third, second, second, first, third]) await reader.seen(beacon);
  const [a, b] = [slide('a', 0, 40, 2), slide('b', 1, 30)].map(({ index: _, ...of }) => of);
  expect(await views()).toMatchObject([{ seconds: 70, slides: [a, b] }]);
});

test('a beacon that brings nothing new writes nothing, and any other costs three reads and a write', async () => {
  const reader = await aReader(deck);
  const load = await reader.load();
  await load.tell();
  passSeconds(60);
  const next = load.beacon({ seconds: 30 });
  expect(await world.costOf(() => reader.seen(next))).toMatchObject({ documentReads: 3, documentWrites: 1 });
  expect(await world.costOf(() => reader.seen(next))).toMatchObject({ documentReads: 3, documentWrites: 0 });
});

describe('the loads of one grant', () => {
  test('are one view while they are at most 30 minutes apart, and add up', async () => {
    const reader = await aReader(deck);
    await (await reader.load()).tell({ slides: [slide('a', 0, 12)] });
    passSeconds(29 * 60);
    await (await reader.load()).tell({ slides: [slide('a', 0, 7), slide('b', 1, 5)] });
    expect(await views()).toMatchObject([{ slides: [{ key: 'a', visits: 2 }, { key: 'b' }] }]);
    passSeconds(31 * 60);
    await (await reader.load()).tell();
    passSeconds(10);
    await (await reader.load()).tell();
    expect((await views()).map(({ slides }) => slides.length)).toEqual([0, 2]);
  });

  test('are as many views as readers: two grants are two', async () => {
    await look();
    await look();
    expect((await views()).length).toBe(2);
  });

  test('that go on after a long pause stay in their view', async () => {
    const load = await (await aReader(deck)).load();
    passSeconds(12);
    await load.tell({ seconds: 12 });
    passSeconds(3 * 3600);
    await load.tell({ seconds: 200 });
    expect(await views()).toMatchObject([{ seconds: 200 }]);
  });

  test('that go on after a newer view began stay in their view, and are counted once', async () => {
    const reader = await aReader(deck);
    const load = await reader.load();
    passSeconds(300);
    await load.tell({ seconds: 300 });
    passSeconds(3 * 3600);
    await (await reader.load()).tell({ seconds: 12 });
    passSeconds(60);
    await load.tell({ seconds: 310 });
    expect((await views()).map(({ seconds }) => seconds)).toEqual([12, 310]);
  });

  test('lose nothing when their beacons race', async () => {
    const reader = await aReader(deck);
    passSeconds(60);
    const loads = Array.from({ length: 6 }, () => new PageLoad((beacon) => reader.seen(beacon)));
    await Promise.all(loads.map((load) => load.tell({ seconds: 12, slides: [slide('a', 0, 12)] })));
    expect(await views()).toMatchObject([{ seconds: 72, slides: [{ seconds: 72, visits: 6 }] }]);
  });
});

describe('nothing is recorded', () => {
  afterEach(async () => expect(await views()).toEqual([]));

  test.each(['sec-gpc', 'dnt'])('of a browser that sends %s at the opening', async (name) => {
    const reader = await aReader(deck, { [name]: '1' });
    await reader.seen(aBeacon(), { [name]: undefined });
  });

  test.each(['sec-gpc', 'dnt'])('of a browser that sends %s with a beacon', async (name) => {
    const reader = await aReader(deck);
    await reader.seen((await reader.load()).beacon(), { [name]: '1' });
  });

  test('of the readers of a deck that only counts, until its owner changes that', async () => {
    await track('count');
    await look();
    expect(await views()).toEqual([]);
    await track('full');
    await look();
    expect((await views()).length).toBe(1);
    await world.database.recursiveDelete(world.database.collection(`presentations/${deck.presentationId}/views`));
  });

  test('of the owner, whose browser has a mark', async () => {
    const opened = await openOnOrigin(deck.shareUrl, { ...browser, cookie: markOf(owner.userId) });
    const body = JSON.stringify(aBeacon());
    const headers = { ...browser, 'sec-fetch-site': 'same-origin' };
    expect((await opened.get('/_deck/seen', { method: 'POST', body, headers })).status).toBe(204);
  });

  test('of robots and prefetches, whatever they send', async () => {
    const reader = await aReader(deck);
    const load = await reader.load();
    await reader.seen(load.beacon(), { 'user-agent': 'Mozilla/5.0 (compatible; Googlebot/2.1)' });
    await reader.seen(load.beacon(), { 'sec-purpose': 'prefetch;prerender' });
  });

  test.each([
    ['a sibling deck', { 'sec-fetch-site': 'same-site' }],
    ['another site', { 'sec-fetch-site': 'cross-site' }],
    ['a window of its own', { 'sec-fetch-site': 'none' }],
    ['an old browser on another origin', { 'sec-fetch-site': undefined, origin: 'http://a.decks.localhost' }],
    ['a program without an origin', { 'sec-fetch-site': undefined }],
  ])('of what %s sends', async (_, headers) => {
    const reader = await aReader(deck);
    const answer = await reader.seen((await reader.load()).beacon(), headers);
    expect([answer.status, answer.text]).toEqual([204, '']);
  });

  test('without a grant, and with that of another deck', async () => {
    const [reader, other] = [await aReader(deck), await aReader(await world.aDeck(owner, [page()]))];
    const load = await reader.load();
    for (const cookie of ['', other.cookie, `${reader.cookie.slice(0, -2)}00`])
      expect((await reader.seen(load.beacon(), { cookie })).status).toBe(204);
  });

  test('after the link was revoked', async () => {
    const reader = await aReader(deck);
    const load = await reader.load();
    const { presentationId } = deck;
    await succeed(world.call('unsharePresentation', { presentationId, all: true }, { key: owner.key }));
    await load.tell();
  });
});

test('a browser without Sec-Fetch-Site tells its origin instead', async () => {
  const reader = await aReader(deck);
  await reader.seen((await reader.load()).beacon(), { 'sec-fetch-site': undefined, origin: reader.origin });
  expect((await views()).length).toBe(1);
});

test('every body gets the same answer, and one that is not a beacon does nothing', async () => {
  const reader = await aReader(deck);
  const { loadId } = await reader.load();
  const beacon = { loadId, sequence: 1, seconds: 20, hasInput: true };
  const bodies = ['', '{', 'null', '[]', '{"a":1}', ...['x', 7, null].map((loadId) => ({ ...beacon, loadId }))];
  const wrong = [{ sequence: 0 }, { sequence: 41 }, { seconds: -1 }, { seconds: 1.5 }, { seconds: 1e300 }];
  const large = { ...beacon, current: 'x'.repeat(17_000) };
  for (const body of [...bodies, ...wrong.map((change) => ({ ...beacon, ...change })), large]) {
    expect((await reader.seen(body)).status).toBe(204);
  }
  expect(await views()).toEqual([]);
});

describe('a hostile reader', () => {
  test('claims no more time than has passed', async () => {
    const load = await (await aReader(deck)).load();
    passSeconds(20);
    await load.tell({ seconds: 14_000, slides: [slide('a', 0, 14_000, 1_000_000_000)] });
    passSeconds(100);
    await load.tell({ seconds: 14_400, slides: [slide('a', 0, 14_400)] });
    const [view] = await views();
    expect(view!.seconds).toBeGreaterThanOrEqual(120);
    expect(view!.seconds).toBeLessThanOrEqual(130);
    expect(view!.slides).toMatchObject([{ seconds: view!.seconds, visits: 10_000 }]);
  });

  test('fills no more than 50 loads, 40 beacons of each, and 500 slides', async () => {
    const reader = await aReader(deck);
    passSeconds(600);
    for (let i = 0; i < 60; i++) await reader.seen({ loadId: newLoadId(), sequence: 1, seconds: 1, hasInput: true });
    expect(await views()).toMatchObject([{ seconds: 50 }]);
    passSeconds(1);
    const other = await aReader(deck);
    const load = await other.load();
    const slides = Array.from({ length: 600 }, (_, i) => ({ key: `${i}`, index: i, seconds: 0, visits: 1 }));
    await load.tell({ slides: slides.slice(0, 300) });
    await load.tell({ slides: slides.slice(300) });
    expect((await views())[0]!.slides.length).toBe(500);
  });

  test('writes no text that people may not read', async () => {
    const load = await (await aReader(deck)).load();
    const bad = ['a\u0000b', '\u202eevil', '\u{e0041}', ' ', 'x'.repeat(101), ''];
    const slides = [...bad, '__proto__', 'constructor'].map((key, i) => ({ ...slide('t', i, 1), key }));
    const titles = { ...slide('ok', 9, 1), title: 'x\u0007' };
    await load.tell({ slides: [...slides, titles, { ...slide('n', -1, 1) }], current: '\u202e' });
    const [view] = await views();
    expect(view!.slides.map(({ key, title }) => `${key} ${title}`)).toEqual(['__proto__ T', 'constructor T', 'ok ']);
  });
});

/** A signed ticket takes the place of the cookie. */
describe('a deck in a frame, without an origin of its own', () => {
  beforeAll(() => {
    process.env['DECK_ORIGIN'] = '';
  });
  afterAll(() => {
    process.env['DECK_ORIGIN'] = world.cloud.deckOrigin!;
  });

  test('the loads of one ticket are one view, and those of two are two', async () => {
    const reader = await aFramedReader(atSite(deck.shareUrl), { referer: 'https://chat.example/' });
    passSeconds(60);
    for (let i = 0; i < 2; i++) await reader.load().tell({ slides: [slide('a', 0, 12)] });
    expect(await views()).toMatchObject([{ seconds: 24, referrerHost: 'chat.example', slides: [{ visits: 2 }] }]);
    await (await aFramedReader(atSite(deck.shareUrl))).load().tell();
    expect((await views()).length).toBe(2);
  });

  test('a ticket that is forged, of another use, or a day old records nothing', async () => {
    const reader = await aFramedReader(atSite(deck.shareUrl));
    const other = await world.aDeck(owner, [page()]);
    const beacon = reader.load().beacon();
    const wrong = [forged(reader.ticket!, deck.presentationId, other.presentationId), `${reader.ticket}0`, '', 7];
    for (const ticket of wrong) expect((await reader.seen({ ...beacon, ticket })).status).toBe(204);
    passSeconds(86_401);
    expect((await reader.seen(beacon)).text).toBe('');
    expect(await views()).toEqual([]);
  });

  test.each(['sec-gpc', 'dnt'])('nothing is recorded of a browser that sends %s at the opening', async (name) => {
    const reader = await aFramedReader(atSite(deck.shareUrl), { [name]: '1' });
    expect((await reader.seen(reader.load().beacon(), { [name]: undefined })).status).toBe(204);
    expect(await views()).toEqual([]);
  });

  test('nothing is recorded of the owner, who gets a frame whose loads are no other openings', async () => {
    const own = await aFramedReader(atSite(deck.shareUrl), { cookie: markOf(owner.userId) });
    await own.load().tell();
    const [, url] = /<iframe[^>]* src="([^"]+)"/.exec(own.text) ?? /src="([^"]+)"/.exec(own.text)!;
    expect(url).toContain('/_g/');
    expect((await requestLocally(url!, { headers: browser })).status).toBe(200);
    await requestLocally(world.framedUrl(deck), { headers: browser });
    await runJob('foldInsights');
    expect(await insightsOf(owner, deck)).toMatchObject({ views: 0, otherOpenings: 1 });
  });
});
