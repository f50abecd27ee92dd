import { passSeconds } from '../../support/clock';
import { forged, requestLocally } from '../../support/deck-origin';
import { runJob } from '../../support/jobs';
import { markOf } from '../../support/own-mark';
import { insightsOf } from '../../support/stored-views';
import { aFramedReader, browser, slide, viewsOf } from '../../support/views';
import { page, startWorld, world, type Account, type Deck } from '../../support/world';

/** Beacons of decks in a frame, without origins of their own: a signed ticket takes the place of the cookie. */

let owner: Account;
let deck: Deck;
startWorld(
  async () => {
    owner = await world.aPublisher();
  },
  { deckOrigin: false },
);
beforeEach(async () => {
  deck = await world.aDeck(owner, [page()]);
});

const views = () => viewsOf(owner, deck);

test('the loads of one ticket are one view, and those of two are two', async () => {
  const reader = await aFramedReader(deck.shareUrl, { referer: 'https://chat.example/' });
  passSeconds(60);
  for (let i = 0; i < 2; i++) await reader.load().tell({ slides: [slide('a', 0, 12)] });
  expect(await views()).toMatchObject([{ seconds: 24, referrerHost: 'chat.example', slides: [{ visits: 2 }] }]);
  await (await aFramedReader(deck.shareUrl)).load().tell();
  expect((await views()).length).toBe(2);
});

test('a ticket that is forged, of another use, or a day old records nothing', async () => {
  const reader = await aFramedReader(deck.shareUrl);
  const other = await world.aDeck(owner, [page()]);
  const beacon = reader.load().beacon();
  const wrong = [forged(reader.ticket!, deck.presentationId, other.presentationId), `${reader.ticket}0`, '', 7];
  for (const ticket of wrong) expect((await reader.seen({ ...beacon, ticket })).status).toBe(204);
  passSeconds(86_401);
  expect((await reader.seen(beacon)).text).toBe('');
  expect(await views()).toEqual([]);
});

test.each(['sec-gpc', 'dnt'])('the page of a browser that sends %s has no ticket', async (name) => {
  expect((await aFramedReader(deck.shareUrl, { [name]: '1' })).ticket).toBeUndefined();
});

test('the owner gets no ticket, and a frame whose loads are no other openings', async () => {
  const own = await aFramedReader(deck.shareUrl, { cookie: markOf(owner.userId) });
  expect(own.ticket).toBeUndefined();
  const [, url] = /<iframe[^>]* src="([^"]+)"/.exec(own.text) ?? /src="([^"]+)"/.exec(own.text)!;
  expect(url).toContain('/_g/');
  expect((await requestLocally(url!, { headers: browser })).status).toBe(200);
  await requestLocally(world.framedUrl(deck), { headers: browser });
  await runJob('foldInsights');
  expect(await insightsOf(owner, deck)).toMatchObject({ views: 0, otherOpenings: 1 });
});
