import type { Frame } from 'playwright-core';
import { framed } from '../../functions/runtime/bundle.cjs';
import { navigation, requestLocally } from '../support/deck-origin';
import { each } from '../support/each';
import type { Deck, DeckFile } from '../support/world';
import { describeInBrowser, until } from './browser';
import { file, html } from './small-decks';
import type { Stage } from './stage';

/** What the runtime of a deck does in a frame, where the deck has no origin of its own. */
export function proveRuntime(stage: Stage): void {
  const deckOf = (body: string, ...more: DeckFile[]): Promise<Deck> => stage.aDeck([html(body), ...more]);
  const openDeck = async (body: string, ...more: DeckFile[]) =>
    stage.viewer.open((await deckOf(body, ...more)).shareUrl);
  /** Another site. Its pages refuse to be framed. */
  const elsewhere = () => stage.world.cloud.hostingUrl;

  describeInBrowser('the runtime of a deck in a frame', () => {
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
        await stage.page.goto(elsewhere());
        const native = await stage.page.evaluate(use('localStorage'));
        expect((native as unknown[]).length).toBeGreaterThan(40);
        const frame = await openDeck('<title>Deck</title>');
        for (const name of ['localStorage', 'sessionStorage', 'window.localStorage'])
          expect(await frame.evaluate(use(name))).toEqual(native);
      });

      test('is there for the first script of the deck, keeps its identity, and is gone with the page', async () => {
        const frame = await openDeck(
          `<script>window.first = localStorage.getItem('theme'); localStorage.theme = 'dark';
        sessionStorage.theme = 'light';</script>`,
        );
        const kept = '[first, localStorage.theme, sessionStorage.theme]';
        expect(await frame.evaluate(kept)).toEqual([null, 'dark', 'light']);
        const isOne = 'localStorage === window.localStorage && localStorage !== sessionStorage';
        expect(await frame.evaluate(isOne)).toBe(true);
        await frame.evaluate('location.reload()');
        await until(frame, 'window.first === null && localStorage.theme === "dark"');
        expect(stage.troubles).toEqual([]);
      });

      test('is the own one of the browser where it works', async () => {
        // The same page on an origin that has storage.
        const deck = await deckOf('<script>localStorage.kept = 1</script>');
        const { text: body } = await requestLocally(stage.world.framedUrl(deck), { headers: navigation });
        expect(body).toContain(framed);
        await stage.viewer.context.route('**/plain/', (route) => route.fulfill({ contentType: 'text/html', body }));
        await stage.page.goto(`${elsewhere()}/plain/`);
        expect(await stage.page.evaluate('localStorage.kept')).toBe('1');
        const own = `Object.getOwnPropertyDescriptor(window, 'localStorage').get`;
        expect(await stage.page.evaluate(`/native code/.test(${own})`)).toBe(true);
      });
    });

    describe('a deck that is not usual', () => {
      test('finds no new names, no element and no changed text', async () => {
        const look = `(() => ({
        names: Object.getOwnPropertyNames(window).sort(),
        html: document.documentElement.outerHTML,
        scripts: document.scripts.length,
      }))()`;
        const deck = await deckOf('<title>Deck</title><p>Text</p>');
        const frame = await stage.viewer.open(deck.shareUrl);
        const withRuntime = await frame.evaluate(look);
        const plain = await stage.viewer.context.newPage();
        await plain.goto(stage.world.viewUrl(deck));
        // Only pages under test get the names of the test's own browser.
        expect(withRuntime).toEqual(await plain.evaluate(look));
      });

      const odd: [string, string][] = [
        [
          'a strict policy of its own',
          `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'self'">`,
        ],
        [
          'frozen and changed prototypes',
          `<script>for (const each of [Object, Array, String, Map, EventTarget, Node, Element, Storage, History, Function])
        Object.freeze(each.prototype);
        Object.freeze(Object); delete window.Proxy; window.URL = null; window.Map = null; window.Reflect = null;</script>`,
        ],
        ['a frameset', '</head><frameset cols="50%,50%"><frame src="next.html"><frame src="about:blank"></frameset>'],
        ['an element called "title" and a form called "parent"', '<body><p id="title"></p><form name="parent"></form>'],
        ['a base of another site', '<base href="https://example.org/">'],
        ['no body', '<title>Title</title>'],
      ];
      test.each(odd)('runs as before: %s', async (_name, head) => {
        const deck = await stage.aDeck([
          html(`${head}<script src="main.js"></script>`),
          html('Next', 'next.html'),
          file('main.js', 'window.ran = true'),
        ]);
        const frame = await stage.viewer.open(`${deck.shareUrl}#3`);
        await frame.waitForLoadState();
        expect(frame.url()).toMatch(/#3$/);
        const troubles = [...stage.troubles];
        // The same page without the runtime has the same troubles.
        stage.troubles.length = 0;
        await stage.page.goto(`${stage.world.viewUrl(deck, 'index.html')}#3`);
        await stage.page.waitForLoadState();
        const { troubles: before } = stage.viewer;
        expect(troubles.map((each) => each.replace('/_f/', '/_t/')).sort()).toEqual([...before].sort());
      });
    });
  });

  /** Reads its data in every way, and echoes messages. */
  const reading = `
const xhr = new Promise((resolve) => {
  const request = new XMLHttpRequest();
  request.open('GET', 'data.json');
  request.onload = () => resolve(request.response);
  request.send();
});
const json = (input) => fetch(input).then((response) => response.json());
const all = () => Promise.all([json('data.json'), json(new URL('data.json', self.location)), json(new Request('./data.json')),
  xhr, self.location.pathname.split('/').at(-1), self.name]);
onmessage = async ({ data }) => postMessage([data, helped, await all()]);
`;
  const files = [
    file('work/classic.js', `importScripts('helper.js', './again.js');${reading}`),
    file('work/module.mjs', `import { helped } from './helper.mjs';${reading}`),
    file('work/helper.js', `self.helped = 'by a script';`),
    file('work/again.js', `self.helped += ' and another';`),
    file('work/helper.mjs', `export const helped = 'by ' + (await import('./late.mjs')).default;`),
    file('work/late.mjs', `export default import.meta.url.split('/').at(-1);`),
    file('work/outer.js', `new Worker('inner.js').onmessage = ({ data }) => postMessage(['outer', data]);`),
    file('work/inner.js', `postMessage('inner of ' + self.location.pathname.split('/').at(-1));`),
    file('work/broken.js', `throw new Error('broken');`),
    file('work/broken.mjs', `await 0; throw new Error('broken');`),
    file('work/data.json', '{"answer":42}'),
  ];
  const answerOf = `window.answerOf = (worker, message) => new Promise((resolve, reject) => {
  worker.onmessage = ({ data }) => resolve(data);
  worker.onerror = (event) => { event.preventDefault(); reject(new Error('The worker failed.')); };
  if (message !== undefined) worker.postMessage(message);
})`;
  const read = [{ answer: 42 }, { answer: 42 }, { answer: 42 }, '{"answer":42}'];

  describeInBrowser('workers of a deck in a frame', () => {
    let frame: Frame;
    beforeEach(async () => {
      const deck = await stage.aDeck([html(`<script>${answerOf}</script>`), ...files]);
      frame = await stage.viewer.open(deck.shareUrl);
      await until(frame, '!!window.answerOf');
    });

    test('run with their imports and their data: classic ones, modules, one of a worker and one of a blob', async () => {
      const both = 'by a script and another';
      for (const [made, helped, path, name] of [
        [`new Worker('work/classic.js', { name: 'mine' })`, both, 'classic.js', 'mine'],
        [`new Worker(new URL('work/classic.js', document.baseURI))`, both, 'classic.js', ''],
        [`new Worker('./work/module.mjs', { type: 'module', name: 'm' })`, 'by late.mjs', 'module.mjs', 'm'],
      ] as const) {
        const answer = await frame.evaluate(`answerOf(${made}, { deep: [1] })`);
        expect([made, answer]).toEqual([made, [{ deep: [1] }, helped, [...read, path, name]]]);
      }
      expect(await frame.evaluate(`answerOf(new Worker('work/outer.js'))`)).toEqual(['outer', 'inner of inner.js']);
      const blob = `URL.createObjectURL(new Blob(['postMessage(6 * 7)']))`;
      expect(await frame.evaluate(`answerOf(new Worker(${blob}))`)).toBe(42);
      expect(stage.troubles).toEqual([]);
    });

    test('one that fails reports its error to the deck, and the constructor throws as that of the browser', async () => {
      for (const path of ['work/broken.js', 'work/broken.mjs', 'work/absent.js', 'work/absent.mjs']) {
        const type = path.endsWith('.mjs') ? 'module' : 'classic';
        const failed = `answerOf(new Worker('${path}', { type: '${type}' }), 1).catch((error) => error.message)`;
        expect([path, await frame.evaluate(failed)]).toEqual([path, 'The worker failed.']);
      }
      const seen = await frame.evaluate(`(() => {
      const fails = (act) => { try { act(); return 'done'; } catch (error) { return error.name; } };
      class Mine extends Worker {}
      const mine = new Mine('work/inner.js');
      return [Worker.name, Worker.length, mine instanceof Mine, mine instanceof Worker, new Worker('work/inner.js') instanceof Worker,
        fails(() => Worker('work/inner.js')), fails(() => new Worker('http://[')), fails(() => new Worker()),
        fails(() => new Worker('https://elsewhere.example/worker.js'))];
    })()`);
      expect(seen).toEqual([
        ...['Worker', 1, true, true, true],
        ...['TypeError', 'SyntaxError', 'TypeError', 'SecurityError'],
      ]);
    });
  });
}

/** Where links in a frame open. Only the first `count` of each kind, if it is given. */
export function proveLinks(stage: Stage, count?: number): void {
  describeInBrowser('the runtime of a deck in a frame', () => {
    describe('links', () => {
      const leading: [string, string][] = [
        ['a link', '<a id="go" href="URL">Go</a>'],
        ['a form', '<form action="URL"><button id="go">Go</button></form>'],
        ['a part of a link', '<a href="URL"><b><i id="go">Go</i></b></a>'],
        ['a link to the frame itself', '<a id="go" href="URL" target="_self">Go</a>'],
        ['a link to the whole window', '<a id="go" href="URL" target="_TOP" rel="opener">Go</a>'],
        ['a link with a base target', '<base target="_parent"><a id="go" href="URL">Go</a>'],
        ['a link in SVG', '<svg><a href="URL"><rect id="go" width="99" height="99"/></a></svg>'],
        ['an old link in SVG', '<svg><a xlink:href="URL"><rect id="go" width="99" height="99"/></a></svg>'],
        [
          'an area',
          `<img usemap="#m" id="go" width="99" height="99" alt="" src="data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg'/>">
        <map name="m"><area shape="rect" coords="0,0,99,99" href="URL"></map>`,
        ],
        ['a button with an address', '<form action="x"><button id="go" formaction="URL">Go</button></form>'],
        [
          'a link in a shadow tree',
          `<p id="host"></p><script>host.attachShadow({ mode: 'open' }).innerHTML = '<a id="go" href="URL">Go</a>'</script>`,
        ],
        [
          'a link whose handler stops the event',
          `<a id="go" href="URL">Go</a><script>go.onclick = (event) => event.stopImmediatePropagation()</script>`,
        ],
      ];
      /** One deck with a page for each of these bodies, and what opens such a page in the frame. */
      async function openPages(bodies: readonly (readonly [string, string])[]) {
        const pages = bodies.map(([, body], i) => html(`<title>${i}</title>${body}`, `${i}.html`));
        const deck = await stage.aDeck([html('<title>Deck</title>'), ...pages, html('Next', 'next.html')]);
        const frame = await stage.viewer.open(deck.shareUrl);
        return { frame, show: (i: number) => frame.goto(stage.world.framedUrl(deck, `${i}.html`)) };
      }

      test('to another origin open a tab without an opener, whatever they are', async () => {
        const led = leading.slice(0, count);
        const address = 'https://elsewhere.example/page';
        await stage.viewer.context.route(`${address}*`, (route) =>
          route.fulfill({ contentType: 'text/html', body: 'Page' }),
        );
        const { frame, show } = await openPages(led.map(([name, body]) => [name, body.replace('URL', address)]));
        for (const [i, [name]] of each(led.entries())) {
          await show(i);
          const before = await frame.evaluate('document.body.innerHTML');
          const opened = stage.viewer.context.waitForEvent('page');
          await frame.click('#go');
          const tab = await opened;
          await tab.waitForURL(`${address}*`);
          expect([name, await tab.evaluate('opener'), frame.url().endsWith(`/${i}.html`)]).toEqual([name, null, true]);
          await until(frame, `document.body.innerHTML === ${JSON.stringify(before)}`);
          await tab.close();
        }
        expect(stage.troubles).toEqual([]);
      });

      const staying: [string, string][] = [
        ['that the deck prevents', `<a id="go" href="URL">Go</a><script>go.onclick = () => false</script>`],
        ['to another page of the deck', '<a id="go" href="next.html">Go</a>'],
        [
          'that the deck prevents last',
          `<a id="go" href="URL">Go</a><script>addEventListener('click', (event) => event.preventDefault())</script>`,
        ],
        ['to a place in the page', '<a id="go" href="#there">Go</a>'],
        ['to another page of the deck with a target', '<a id="go" href="next.html" target="_self">Go</a>'],
        ['without an address', '<a id="go">Go</a>'],
        ['that is a script', '<a id="go" href="javascript:void 0">Go</a>'],
      ];
      test('to the deck itself, and those that the deck prevents, open no tab', async () => {
        const stayed = staying.slice(0, count);
        const clicked = '<script>onclick = () => { window.clicked = true }</script>';
        const to = `${stage.world.cloud.hostingUrl}/marketplace`;
        const { frame, show } = await openPages(
          stayed.map(([name, body]) => [name, body.replace('URL', to) + clicked]),
        );
        for (const [i, [name]] of each(stayed.entries())) {
          await show(i);
          await frame.click('#go');
          await until(frame, 'window.clicked || document.body.textContent === "Next"');
          // A tab would have been opened before this page is.
          await (await stage.viewer.context.newPage()).close();
          expect([name, stage.viewer.context.pages().length]).toEqual([name, 1]);
          expect(frame.url()).toContain('/_f/');
        }
        expect(stage.troubles).toEqual([]);
      });
    });
  });
}
