import type { Browser, Frame, Page } from 'playwright-core';
import { page, World, type Account, type Deck, type DeckFile } from '../support/world';
import { describeInBrowser, launch, until, Viewer } from './browser';

let world: World;
let browser: Browser;
let owner: Account;
let viewer: Viewer;

const file = (path: string, text: string, contentType: string): DeckFile => ({
  ...{ path, bytes: Buffer.from(text), contentType },
});
const html = (body: string, path = 'index.html') => ({
  ...page('', path),
  bytes: Buffer.from(`<!doctype html><head><meta charset="utf-8">${body}`),
});
const js = (path: string, text: string) => file(path, text, 'text/javascript; charset=utf-8');
const deckOf = (body: string, ...more: DeckFile[]): Promise<Deck> => world.aDeck(owner, [html(body), ...more]);
const openDeck = async (body: string, ...more: DeckFile[]) => viewer.open((await deckOf(body, ...more)).shareUrl);
/** Another site. Its pages refuse to be framed. */
const elsewhere = () => world.cloud.hostingUrl;

describeInBrowser('the runtime of a deck in a frame', () => {
  beforeAll(async () => {
    [world, browser] = await Promise.all([World.start({ deckOrigin: false }), launch()]);
    owner = await world.anOwner();
  });
  afterAll(async () => {
    await browser?.close();
    await world?.stop();
  });
  beforeEach(async () => {
    viewer = await Viewer.arrive(browser);
  });
  afterEach(() => viewer.leave());

  describe('storage', () => {
    /** Uses a storage in every way, and returns what it showed. */
    const use = (storage: string) => `(() => {
      const s = ${storage}; const seen = [];
      const see = (value) => seen.push(typeof value === 'function' ? value.name : value === s ? 'itself' : value);
      const fails = (act) => { try { act(); return 'done'; } catch (error) { return error.name; } };
      s.clear(); see(s.length); see(s.getItem('a')); see(s.a); see('a' in s); see(s.setItem('a', 1)); see(s.getItem('a'));
      s.b = { toString: () => 'two' }; see(s.b); see(s['b']); see(s.length); see(s.key(0)); see(s.key(9)); see(s.key(-1));
      see(Object.keys(s).sort()); see(JSON.stringify(s)); see({ ...s }); see('a' in s); see(s.hasOwnProperty('a'));
      see(Object.entries(s).sort()); see(Object.getOwnPropertyDescriptor(s, 'a')); see(Object.getOwnPropertyDescriptor(s, 'x'));
      see(delete s.a); see(s.a); see(delete s.absent); s.removeItem('b'); s.removeItem('absent'); see(s.length);
      s.setItem('getItem', 'x'); see(s.getItem); see(s.getItem('getItem')); see(Object.keys(s)); s.length = 7; see(s.length);
      see(s.getItem('length')); s.clear(); s.setItem(null, undefined); see(s.getItem('null')); s[5] = 6; see(s[5]); see(s['5']);
      Object.defineProperty(s, 'd', { value: 1 }); see(s.getItem('d')); see(fails(() => Object.freeze(s)));
      see(fails(() => Object.defineProperty(s, 'e', { get: () => 1 })));
      see(fails(() => s.getItem())); see(fails(() => s.setItem('a'))); see(fails(() => s.key())); see(fails(() => s.removeItem()));
      see(fails(() => s.setItem('a', Symbol())));
      see(s instanceof Storage); see(String(s)); see(s.constructor.name); see(Object.prototype.toString.call(s)); see(s.missing);
      s.clear(); see(Object.keys(s)); s.é = '日本'; see(s.getItem('é')); const some = Symbol(); s[some] = s; see(s[some]);
      const looped = []; for (const name in s) looped.push(name); see(looped.sort()); s.clear(); return seen;
    })()`;

    test('works in memory as the one of a browser does', async () => {
      const frame = await openDeck('<title>Deck</title>');
      await viewer.page.goto(elsewhere());
      const native = await viewer.page.evaluate(use('localStorage'));
      expect((native as unknown[]).length).toBeGreaterThan(40);
      const again = await openDeck('<title>Deck</title>');
      for (const name of ['localStorage', 'sessionStorage', 'window.localStorage'])
        expect(await again.evaluate(use(name))).toEqual(native);
      expect(frame).toBeDefined();
      expect(viewer.troubles).toEqual([]);
    });

    test('is there for the first script of the deck, keeps its identity, and is gone with the page', async () => {
      const frame = await openDeck(
        `<script>window.first = localStorage.getItem('theme'); localStorage.theme = 'dark';
        sessionStorage.theme = 'light';</script>`,
      );
      expect(await frame.evaluate('[first, localStorage.theme, sessionStorage.theme]')).toEqual([null, 'dark', 'light']);
      expect(await frame.evaluate('localStorage === window.localStorage && localStorage !== sessionStorage')).toBe(true);
      await frame.evaluate('location.reload()');
      await until(frame, 'window.first === null && localStorage.theme === "dark"');
      expect(viewer.troubles).toEqual([]);
    });

    test('is the own one of the browser where it works', async () => {
      // The same page on an origin that has storage.
      const deck = await deckOf('<script>localStorage.kept = 1</script>');
      const answer = await fetch(world.framedUrl(deck), { headers: { accept: 'text/html' } });
      expect(answer.status).toBe(200);
      await viewer.context.route('**/plain/', async (route) =>
        route.fulfill({ contentType: 'text/html', body: await inFrame(deck) }),
      );
      await viewer.page.goto(`${elsewhere()}/plain/`);
      expect(await viewer.page.evaluate('localStorage.kept')).toBe('1');
      expect(
        await viewer.page.evaluate(`/native code/.test(Object.getOwnPropertyDescriptor(window, 'localStorage').get)`),
      ).toBe(true);
    });
  });
});

/** The page as a browser gets it. */
async function inFrame(deck: Deck): Promise<string> {
  const got = viewer.context.waitForEvent('response', (response) => response.url() === world.framedUrl(deck));
  const opened = await viewer.context.newPage();
  await opened.goto(world.framedUrl(deck));
  const text = await (await got).text();
  await opened.close();
  return text;
}
export type { Frame, Page };
