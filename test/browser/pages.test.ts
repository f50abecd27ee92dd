import type { Browser, Route } from 'playwright-core';
import { page, World, type Account, type Deck } from '../support/world';
import { describeInBrowser, launch, until, Viewer } from './browser';
import { colourOf } from './colour';

const screens = { 'a phone': { width: 390, height: 844 }, 'a desktop': { width: 1280, height: 800 } };
const schemes = ['light', 'dark'] as const;

let world: World;
let browser: Browser;
let owner: Account;
let viewer: Viewer;

const html = (body: string, path = 'index.html') => ({
  ...page('', path),
  bytes: Buffer.from(`<!doctype html>${body}`),
});
/** A page that records the keys that it receives. */
const listening = `<script>keys = []; addEventListener('keydown', ({ key }) => keys.push(key));</script>`;
const aDeck = (body: string, title = 'A deck'): Promise<Deck> => world.aDeck(owner, [html(body)], title);

describeInBrowser('the share page in a browser', () => {
  beforeAll(async () => {
    [world, browser] = await Promise.all([World.start({ deckOrigin: false }), launch()]);
    owner = await world.anOwner();
  });
  afterAll(async () => {
    await browser?.close();
    await world?.stop();
  });
  afterEach(() => viewer.leave());

  test.each(Object.entries(screens))('fills %s with the deck, without scrollbars', async (_name, viewport) => {
    viewer = await Viewer.arrive(browser, { viewport });
    const deck = await aDeck('<style>html, body { margin: 0; height: 100% }</style>');
    const frame = await viewer.open(deck.shareUrl);
    await frame.waitForLoadState();
    const { width, height } = viewport;
    const size = (name: string) =>
      `[${name}.clientWidth, ${name}.scrollWidth, ${name}.clientHeight, ${name}.scrollHeight]`;
    for (const each of [viewer.page, frame]) {
      expect(await each.evaluate(size('document.documentElement'))).toEqual([width, width, height, height]);
    }
    expect(viewer.troubles).toEqual([]);
  });

  test("sets the tab's title to the deck's title, as text", async () => {
    viewer = await Viewer.arrive(browser);
    const title = 'Quarter <b>1</b> & "plans" – größer';
    const frame = await viewer.open((await aDeck('<p>Without its own</p>', title)).shareUrl);
    await frame.waitForLoadState();
    expect(await frame.title()).toBe('');
    expect(await viewer.page.title()).toBe(title);
  });

  test('gives the keyboard focus to the deck before the deck has loaded completely, and does not move it afterwards', async () => {
    viewer = await Viewer.arrive(browser);
    const held = new Promise<Route>((resolve) => viewer.context.route('**/late.png', resolve));
    const deck = await aDeck(`<input>${listening}<img src="late.png">`);
    const frame = await viewer.openForKeys(deck.shareUrl);
    const late = await held;
    await until(frame, 'window.keys');
    await viewer.page.keyboard.press('ArrowRight');
    await frame.evaluate(`document.querySelector('input').focus()`);
    const loaded = viewer.page.waitForLoadState();
    await late.fulfill({ contentType: 'image/png', body: '' });
    await loaded;
    await viewer.page.keyboard.press('a');
    expect(await frame.evaluate('[keys, document.querySelector("input").value]')).toEqual([['ArrowRight', 'a'], 'a']);
  });

  test("gives the keyboard focus back to the deck after another window had it, and on the deck's next page", async () => {
    viewer = await Viewer.arrive(browser);
    const files = [html(`${listening}<a href="next.html">Next</a>`), html(listening, 'next.html')];
    const frame = await viewer.openForKeys((await world.aDeck(owner, files)).shareUrl);
    await until(frame, 'window.keys');
    // Without this, the browser under test reports focus for every window.
    const session = await viewer.context.newCDPSession(viewer.page);
    await session.send('Emulation.setFocusEmulationEnabled', { enabled: false });
    const other = await viewer.context.newPage();
    await other.bringToFront();
    await until(frame, '!document.hasFocus()');
    await viewer.page.bringToFront();
    await until(frame, 'document.hasFocus()');
    await viewer.page.keyboard.press('ArrowRight');
    expect(await frame.evaluate('keys')).toEqual(['ArrowRight']);

    // The page around the deck has no focusable content, so it passes its focus on to the deck.
    await viewer.page.evaluate('document.activeElement.blur(); focus()');
    await until(frame, 'document.hasFocus()');
    await viewer.page.keyboard.press('ArrowLeft');
    expect(await frame.evaluate('keys')).toEqual(['ArrowRight', 'ArrowLeft']);

    await frame.click('a');
    await frame.waitForURL('**/next.html');
    await until(frame, 'document.hasFocus() && window.keys');
    await viewer.page.keyboard.press('End');
    expect(await frame.evaluate('keys')).toEqual(['End']);
  });

  test.each(schemes)(
    "shows a deck without colours in the browser's default colours, and a deck with colours in these (%s)",
    async (colorScheme) => {
      viewer = await Viewer.arrive(browser, { colorScheme });
      const decks = {
        plain: { body: '<p>Text', colour: '255,255,255' },
        painted: { body: '<body style="background: rgb(1, 2, 3)">', colour: '1,2,3' },
        adaptive: {
          body: '<style>:root { color-scheme: light dark }</style><p>Text',
          colour: colorScheme === 'light' ? '255,255,255' : '18,18,18',
        },
      };
      for (const { body, colour } of Object.values(decks)) {
        const { shareUrl } = await aDeck(body);
        await viewer.page.goto(shareUrl);
        expect(await colourOf(viewer.page)).toBe(colour);
      }
    },
  );

  test('lets the deck play media, go full screen and copy to the clipboard', async () => {
    viewer = await Viewer.arrive(browser);
    const frame = await viewer.open((await aDeck('<button onclick="document.body.requestFullscreen()">Full')).shareUrl);
    await frame.click('button');
    await until(frame, 'document.fullscreenElement === document.body');
    for (const feature of ['autoplay', 'clipboard-write', 'fullscreen']) {
      expect(await frame.evaluate(`document.featurePolicy.allowsFeature('${feature}')`)).toBe(true);
    }
    expect(viewer.troubles).toEqual([]);
  });

  describe.each(Object.entries(screens))('tells why a link does not open, on %s', (_name, viewport) => {
    test.each(schemes)('in the colours of the %s scheme, without scrollbars', async (colorScheme) => {
      viewer = await Viewer.arrive(browser, { viewport, colorScheme });
      const deck = await aDeck('');
      const stored = world.database.doc(`presentations/${deck.presentationId}`);
      const links: [string, number, string, () => Promise<unknown>][] = [
        [deck.shareUrl, 200, '', () => Promise.resolve()],
        [deck.shareUrl.slice(0, -1), 404, 'This link does not open a presentation', () => Promise.resolve()],
        [deck.shareUrl, 410, 'This presentation has expired', () => stored.update({ expiresAt: new Date(1) })],
        [world.viewUrl(deck), 410, 'This is no longer available.', () => Promise.resolve()],
        [
          deck.shareUrl,
          403,
          'This link was revoked',
          () => stored.collection('shareTokens').doc(deck.tokenId).update({ revokedAt: new Date() }),
        ],
      ];
      for (const [url, status, title, change] of links) {
        await change();
        expect((await viewer.page.goto(url))!.status()).toBe(status);
        if (!title) continue;
        expect(await viewer.page.title()).toBe(title);
        expect(await viewer.page.getByText(title, { exact: true }).isVisible()).toBe(true);
        const root = 'document.documentElement';
        expect(
          await viewer.page.evaluate(`[${root}.scrollWidth - innerWidth, ${root}.scrollHeight - innerHeight]`),
        ).toEqual([0, 0]);
        expect(await colourOf(viewer.page)).toBe(colorScheme === 'light' ? '251,250,247' : '20,23,28');
      }
      expect(viewer.troubles.filter((trouble) => !/^(error: Failed to load resource|4\d\d:)/.test(trouble))).toEqual(
        [],
      );
    });
  });
});
