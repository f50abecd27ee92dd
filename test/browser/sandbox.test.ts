import type { Frame, Page } from 'playwright-core';
import { each } from '../support/each';
import type { Deck } from '../support/world';
import { describeInBrowser, until } from './browser';
import { colourOf } from './colour';
import { FILM } from './decks';
import { handmadeOn } from './handmade';
import { activeFiles, disguisedFiles, hostileDeck } from './hostile-deck';
import { proveLiveInFrames } from './live-in-frames';
import { provePdfShare } from './pdf-share';
import { proveLinks, proveRuntime } from './runtime';
import { proveSharePage } from './share-page';
import { filesOf } from './small-decks';
import { Stage } from './stage';

process.env['LIVE_BEAT_MS'] = '50';

const stage = new Stage({ platformLimits: true, deckOrigin: false });

/** Data that a page of the service could store, on each of its origins. */
const treasure = `(async () => {
  document.cookie = 'treasure=1; path=/';
  localStorage.setItem('treasure', '1');
  sessionStorage.setItem('treasure', '1');
  await caches.open('treasure');
  await new Promise((resolve) => { indexedDB.open('treasure').onsuccess = resolve; });
})()`;
const kept = `(async () => ({
  cookie: document.cookie,
  stored: localStorage.getItem('treasure'),
  caches: await caches.keys(),
  databases: (await indexedDB.databases()).map(({ name }) => name),
  workers: (await navigator.serviceWorker.getRegistrations()).length,
}))()`;
const treasureItself = { cookie: 'treasure=1', stored: '1', caches: ['treasure'], databases: ['treasure'], workers: 0 };

const refusedTo = (names: string[]) => Object.fromEntries(names.map((name) => [name, 'SecurityError']));
const storages = ['localStorage', 'sessionStorage', 'indexedDB', 'openDatabase', 'caches', 'files', 'serviceWorker'];
const nothing = { origin: 'null', ...refusedTo(['cookie', 'setCookie', 'cookieStore', ...storages]) };
/** What a deck in a frame finds of the page around it. */
const noParent = {
  ...refusedTo(['parentDocument', 'parentAddress', 'topAddress', 'topByScript', 'topByReplace', 'parentByScript']),
  frameElement: null,
  referrer: '',
  sharePageInTimings: false,
};
/** The storage of the runtime, in memory. */
const inMemory = { localStorage: {}, sessionStorage: {} };
const lootOf = (page: Page | Frame) => until(page, 'window.loot');

describeInBrowser('the sandbox of a deck', () => {
  let deck: Deck;
  /** A page of the functions' origin that is not part of a deck. */
  const ownPage = () => stage.world.viewUrl(deck, 'plain.txt');
  beforeAll(async () => {
    deck = await stage.aDeck(filesOf(hostileDeck()));
  });

  async function hideTreasure(): Promise<void> {
    for (const url of [stage.world.cloud.hostingUrl, ownPage()]) {
      await stage.page.goto(url);
      await stage.page.evaluate(treasure);
      expect(await stage.page.evaluate(kept)).toEqual(treasureItself);
    }
  }

  test('hides cookies, storage and the page around the deck', async () => {
    await hideTreasure();
    const frame = await stage.viewer.open(deck.shareUrl);
    expect(await lootOf(frame)).toEqual({ ...nothing, ...inMemory, ...noParent });
    expect(stage.page.url()).toBe(deck.shareUrl);
    await stage.page.goto(ownPage());
    expect(await stage.page.evaluate(kept)).toEqual(treasureItself);
  });

  test('holds for each file that is opened by itself, and a file of another type does not run', async () => {
    await hideTreasure();
    for (const path of each(activeFiles)) {
      await stage.page.goto(stage.world.viewUrl(deck, path));
      expect([path, await lootOf(stage.page)]).toEqual([path, nothing]);
    }
    for (const path of each(disguisedFiles)) {
      await stage.page.goto(stage.world.viewUrl(deck, path));
      const ran = '[self.origin === location.origin, window.loot, document.scripts.length]';
      expect([path, await stage.page.evaluate(ran)]).toEqual([path, [true, undefined, 0]]);
    }
  });

  test('holds in the page of a listing, and in its window', async () => {
    const { slug } = await stage.world.aListing(stage.owner, { title: 'Listed' }, deck);
    const address = `${stage.world.cloud.hostingUrl}/marketplace/${slug}`;
    const opened = stage.page.waitForEvent('framenavigated', (frame) => frame.url().includes('Content/'));
    await stage.page.goto(address);
    expect(await lootOf(await opened)).toEqual({ ...nothing, ...noParent });
    expect([stage.page.url(), await stage.page.title()]).toEqual([address, 'Listed']);
    const window = stage.viewer.context.waitForEvent('page');
    await stage.link('Open full screen').click();
    expect(await lootOf(await window)).toEqual(nothing);
    expect(await (await window).evaluate('opener')).toBeNull();
  });

  test('lets no click in the deck navigate the viewer away', async () => {
    const frame = await stage.viewer.open(deck.shareUrl);
    await lootOf(frame);
    for (const selector of ['#top-link', '#parent-link', '#top-form', '#top-open']) {
      const refused = stage.viewer.context.waitForEvent('console', (message) =>
        /unsafe attempt|blocked/i.test(message.text()),
      );
      await frame.click(selector);
      await refused;
      expect([selector, stage.page.url(), await frame.title()]).toEqual([selector, deck.shareUrl, 'Hostile']);
    }
  });

  test('holds for the windows that the deck opens, also for an empty one', async () => {
    const frame = await stage.viewer.open(deck.shareUrl);
    const open = async (selector: string) => {
      const opened = stage.viewer.context.waitForEvent('page');
      await frame.click(selector);
      return opened;
    };
    for (const selector of ['#popup-link', '#popup-open']) {
      const popup = await open(selector);
      expect([selector, await lootOf(popup)]).toEqual([selector, { ...nothing, ...inMemory }]);
      expect(await popup.title()).toBe('Hostile too');
    }
    const tried = await (
      await open('#popup-blank')
    ).evaluate(`['localStorage', 'document.cookie', 'opener.document', 'opener.top.location.href',
      'opener.top.location.href = "https://example.org/"'].map((code) => {
        try { return eval(code); } catch (error) { return error.name; }
      })`);
    expect(tried).toEqual(Array(5).fill('SecurityError'));
    expect(stage.page.url()).toBe(deck.shareUrl);
  });

  test('gives a page that opens the share link in a window no control of that window', async () => {
    await stage.page.goto(stage.world.cloud.mailUrl);
    const opened = stage.viewer.context.waitForEvent('page');
    await stage.page.evaluate(`{ window.share = window.open(${JSON.stringify(deck.shareUrl)}); }`);
    const popup = await opened;
    await popup.waitForSelector('iframe');
    expect(await popup.evaluate('opener')).toBeNull();
    expect(await stage.page.evaluate('share.closed')).toBe(true);
  });

  test('gives a call of the API by the deck no credentials', async () => {
    await hideTreasure();
    const address = `${stage.world.cloud.baseUrl}/listMyPresentations`;
    const cookies: (string | undefined)[] = [];
    const watch = async (page: Page | Frame, credentials: string) => {
      const sent = stage.viewer.context.waitForEvent('request', (request) => request.url() === address);
      const outcome = await page.evaluate(`fetch(${JSON.stringify(address)}, { credentials: '${credentials}' })
        .then((response) => response.status, (error) => error.name)`);
      cookies.push((await (await sent).allHeaders())['cookie']);
      return outcome;
    };
    // A page of the same origin would send its cookie.
    await stage.page.goto(ownPage());
    expect(await watch(stage.page, 'include')).toBe(401);
    expect(cookies).toEqual(['treasure=1']);
    for (const url of [deck.shareUrl, stage.world.viewUrl(deck)]) {
      const frame = await stage.viewer.open(url);
      expect(await watch(frame, 'same-origin')).toBe(401);
      expect(await watch(frame, 'include')).toBe('TypeError');
    }
    expect(cookies.slice(1)).toEqual([undefined, undefined, undefined, undefined]);
  });

  test('lets neither a deck nor the share page itself frame the share page', async () => {
    for (const url of [deck.shareUrl, deck.shareUrl.replace(deck.token, 'unknown')]) {
      const frame = await stage.viewer.open(deck.shareUrl);
      const refused = stage.viewer.context.waitForEvent('console', (said) => said.text().includes('frame-ancestors'));
      const append = `document.body.append(Object.assign(document.createElement('iframe'), { src: '${url}' }))`;
      await frame.evaluate(append);
      await refused;
      expect(frame.childFrames().map((found) => found.url())).not.toContain(url);
    }
  });
});

describeInBrowser('a deck in its sandbox', () => {
  const handmade = handmadeOn(stage);

  test.each(['the share page', 'its own address'])(
    'runs by hand with its entry in a folder and SVG in four ways, through %s, with all of its files',
    async (way) => {
      const frame = await (way === 'its own address' ? handmade.openAlone() : handmade.open());
      await stage.page.keyboard.press('ArrowRight');
      expect(await frame.evaluate('window.outcome')).toEqual({
        slide: 1,
        imported: true,
        odd: 'a+b',
        data: { sure: true },
        text: 'Grüße',
        font: 'loaded',
        worker: 42,
        lastBytes: { status: 206, contentRange: `bytes ${FILM - 10}-${FILM - 1}/${FILM}`, length: 10 },
        middleBytes: { status: 206, contentRange: `bytes 8000000-8999999/${FILM}`, length: 1_000_000 },
        image: 20,
        done: true,
      });
      await paints(frame);
      expect(stage.troubles).toEqual([]);
    },
  );

  /** Demands that SVG is painted as an image, inline, as an object and in a frame, where its script has no origin. */
  async function paints(frame: Frame): Promise<void> {
    expect(await frame.evaluate('document.querySelector("#inline").getBBox().width')).toBe(20);
    const nested = frame.childFrames();
    expect(nested.map((found) => found.url().split('/').at(-1)).sort()).toEqual(['frame.svg', 'object.svg']);
    for (const inner of each(nested)) expect(await inner.evaluate('document.documentElement.localName')).toBe('svg');
    const framed = nested.find((found) => found.url().endsWith('frame.svg'))!;
    expect(await framed.evaluate('document.documentElement.dataset.ran')).toBe('null');
    // The painted colours are those of the files.
    for (const [id, colour] of [
      ['#image', '255,0,0'],
      ['#object', '0,128,0'],
      ['#frame', '0,0,255'],
      ['#background', '128,128,0'],
    ] as const)
      expect([id, await colourOf(frame.locator(id))]).toEqual([id, colour]);
  }
});

// On the same service, where decks have no origins of their own.
proveSharePage(stage);
proveRuntime(stage);
proveLinks(stage, 2);
provePdfShare(stage);
proveLiveInFrames(stage);
