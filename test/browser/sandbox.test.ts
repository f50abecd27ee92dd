import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Frame, Page } from 'playwright-core';
import { World } from '../support/world';
import { describeInBrowser, launch, until, Viewer } from './browser';
import { buildClient, push, type Pushed } from './client';
import { activeFiles, disguisedFiles, hostileDeck } from './hostile-deck';

let world: World;
let browser: Browser;
let folder: string;
let deck: Pushed;
let viewer: Viewer;

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

const nothing = {
  origin: 'null',
  cookie: 'SecurityError',
  setCookie: 'SecurityError',
  cookieStore: 'SecurityError',
  localStorage: 'SecurityError',
  sessionStorage: 'SecurityError',
  indexedDB: 'SecurityError',
  openDatabase: 'SecurityError',
  caches: 'SecurityError',
  files: 'SecurityError',
  serviceWorker: 'SecurityError',
};

/** A page of the functions' origin that is not part of a deck. */
const ownPage = () => world.viewUrl(deck, 'plain.txt');
const lootOf = (page: Page | Frame) => until(page, 'window.loot');

describeInBrowser('the sandbox of a deck', () => {
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'decks-in-browser-'));
    [world, browser] = await Promise.all([World.start({ deckOrigin: false }), launch(), buildClient()]);
    deck = await push(world, await world.anOwner(), join(folder, 'hostile'), hostileDeck());
    viewer = await Viewer.arrive(browser);
    for (const url of [world.cloud.hostingUrl, ownPage()]) {
      await viewer.page.goto(url);
      await viewer.page.evaluate(treasure);
      expect(await viewer.page.evaluate(kept)).toEqual(treasureItself);
    }
  });
  afterAll(async () => {
    await browser?.close();
    await world?.stop();
    await rm(folder, { recursive: true, force: true });
  });
  afterEach(() => viewer.closeWindows());

  test('hides cookies, storage and the page around the deck', async () => {
    const frame = await viewer.open(deck.shareUrl);
    expect(await lootOf(frame)).toEqual({
      ...nothing,
      // The runtime's own ones, in memory.
      localStorage: {},
      sessionStorage: {},
      parentDocument: 'SecurityError',
      parentAddress: 'SecurityError',
      topAddress: 'SecurityError',
      frameElement: null,
      referrer: '',
      sharePageInTimings: false,
      topByScript: 'SecurityError',
      topByReplace: 'SecurityError',
      parentByScript: 'SecurityError',
    });
    expect(viewer.page.url()).toBe(deck.shareUrl);
    await viewer.page.goto(ownPage());
    expect(await viewer.page.evaluate(kept)).toEqual(treasureItself);
  });

  test.each(activeFiles)('holds for %s opened by itself', async (path) => {
    await viewer.page.goto(world.viewUrl(deck, path));
    expect(await lootOf(viewer.page)).toEqual(nothing);
  });

  test.each(disguisedFiles)('%s is shown as its declared type, and does not run', async (path) => {
    await viewer.page.goto(world.viewUrl(deck, path));
    expect(
      await viewer.page.evaluate('[self.origin === location.origin, window.loot, document.scripts.length]'),
    ).toEqual([true, undefined, 0]);
  });

  test.each(['#top-link', '#parent-link', '#top-form', '#top-open'])(
    'a click on %s does not navigate the viewer away',
    async (selector) => {
      const frame = await viewer.open(deck.shareUrl);
      await lootOf(frame);
      const refused = viewer.context.waitForEvent('console', (message) =>
        /unsafe attempt|blocked/i.test(message.text()),
      );
      await frame.click(selector);
      await refused;
      expect(viewer.page.url()).toBe(deck.shareUrl);
      expect(await frame.title()).toBe('Hostile');
    },
  );

  test.each(['#popup-link', '#popup-open'])('a window that the deck opens by %s is sandboxed too', async (selector) => {
    const frame = await viewer.open(deck.shareUrl);
    const opened = viewer.context.waitForEvent('page');
    await frame.click(selector);
    const popup = await opened;
    expect(await lootOf(popup)).toEqual({ ...nothing, localStorage: {}, sessionStorage: {} });
    expect(await popup.title()).toBe('Hostile too');
  });

  test('an empty window that the deck opens has an opaque origin too, and cannot navigate the viewer away', async () => {
    const frame = await viewer.open(deck.shareUrl);
    const opened = viewer.context.waitForEvent('page');
    await frame.click('#popup-blank');
    const popup = await opened;
    const tried =
      await popup.evaluate(`['localStorage', 'document.cookie', 'opener.document', 'opener.top.location.href',
      'opener.top.location.href = "https://example.org/"'].map((code) => {
        try { return eval(code); } catch (error) { return error.name; }
      })`);
    expect(tried).toEqual(Array(5).fill('SecurityError'));
    expect(viewer.page.url()).toBe(deck.shareUrl);
  });

  test('a page that opens the share link in a window cannot control that window', async () => {
    await viewer.page.goto(world.cloud.mailUrl);
    const opened = viewer.context.waitForEvent('page');
    await viewer.page.evaluate(`{ window.share = window.open(${JSON.stringify(deck.shareUrl)}); }`);
    const popup = await opened;
    await popup.waitForSelector('iframe');
    expect(await popup.evaluate('opener')).toBeNull();
    expect(await viewer.page.evaluate('share.closed')).toBe(true);
  });

  test('a call of the API by the deck has no credentials', async () => {
    const address = `${world.cloud.baseUrl}/listMyPresentations`;
    const call = (credentials: string) => `fetch(${JSON.stringify(address)}, { credentials: '${credentials}' })
      .then((response) => response.status, (error) => error.name)`;
    const cookies: (string | undefined)[] = [];
    const watch = async (page: Page | Frame, credentials: string) => {
      const sent = viewer.context.waitForEvent('request', (request) => request.url() === address);
      const outcome = await page.evaluate(call(credentials));
      cookies.push((await (await sent).allHeaders())['cookie']);
      return outcome;
    };
    // A page of the same origin would send its cookie.
    await viewer.page.goto(ownPage());
    expect(await watch(viewer.page, 'include')).toBe(401);
    expect(cookies).toEqual(['treasure=1']);
    for (const url of [deck.shareUrl, world.viewUrl(deck)]) {
      const frame = await viewer.open(url);
      expect(await watch(frame, 'same-origin')).toBe(401);
      expect(await watch(frame, 'include')).toBe('TypeError');
    }
    expect(cookies.slice(1)).toEqual([undefined, undefined, undefined, undefined]);
  });

  test('the share page cannot be framed, neither by a deck nor by itself', async () => {
    for (const url of [deck.shareUrl, deck.shareUrl.replace(deck.token, 'unknown')]) {
      const frame = await viewer.open(deck.shareUrl);
      const refused = viewer.context.waitForEvent('console', (message) => message.text().includes('frame-ancestors'));
      await frame.evaluate(
        `document.body.append(Object.assign(document.createElement('iframe'), { src: ${JSON.stringify(url)} }))`,
      );
      await refused;
      expect(frame.childFrames().map((each) => each.url())).not.toContain(url);
    }
  });
});
