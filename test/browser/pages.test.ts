import type { Browser, Route } from 'playwright-core';
import { page, type Deck } from '../support/world';
import { describeInBrowser, launch, until, Viewer, windowedPath } from './browser';
import { colourOf, paperIn } from './colour';
import { expectToFit } from './fits';
import { probe } from './proof-visit';
import { texts } from './proof-world';
import { Stage } from './stage';

const phone = { width: 390, height: 844 };
const schemes = ['light', 'dark'] as const;

const stage = new Stage({ deckOrigin: false });

const html = (body: string, path = 'index.html') => ({
  ...page('', path),
  bytes: Buffer.from(`<!doctype html>${body}`),
});
/** A page that records the keys that it receives. */
const listening = `<script>keys = []; addEventListener('keydown', ({ key }) => keys.push(key));</script>`;
const aDeck = (body: string, title = 'A deck'): Promise<Deck> => stage.world.aDeck(stage.owner, [html(body)], title);

let windowed: Browser;
afterAll(() => windowed?.close());

describeInBrowser('the share page in a browser', () => {
  test('fills a phone with the deck, without scrollbars', async () => {
    await stage.arrive({ viewport: phone });
    const deck = await aDeck('<style>html, body { margin: 0; height: 100% }</style>');
    const frame = await stage.viewer.open(deck.shareUrl);
    await frame.waitForLoadState();
    const { width, height } = phone;
    const size = (name: string) =>
      `[${name}.clientWidth, ${name}.scrollWidth, ${name}.clientHeight, ${name}.scrollHeight]`;
    for (const each of [stage.viewer.page, frame]) {
      expect(await each.evaluate(size('document.documentElement'))).toEqual([width, width, height, height]);
    }
    expect(stage.viewer.troubles).toEqual([]);
  });

  // The pages of the proofs belong to a service whose decks have origins of their own.
  test('is accessible, and its title stays a text, whatever the title is', async () => {
    await stage.viewer.context.addInitScript({ content: probe });
    const frame = await stage.viewer.open((await aDeck('<html lang="en"><p>Text', texts.title)).shareUrl);
    await frame.waitForLoadState();
    // The headings are those of the deck.
    await expectToFit(stage.viewer.page, { without: ['page-has-heading-one'] });
    const ask = (question: string) => stage.viewer.page.evaluate(`proof.${question}`);
    expect(await ask('shifts()')).toEqual([]);
    expect(await ask('harmed()')).toEqual([]);
    expect(await ask(`unisolated(${JSON.stringify([texts.title])})`)).toEqual([]);
    expect(stage.viewer.troubles).toEqual([]);
  });

  test('gives the keyboard focus to the deck before the deck has loaded completely, and does not move it afterwards', async () => {
    const held = new Promise<Route>((resolve) => stage.viewer.context.route('**/late.png', resolve));
    const deck = await aDeck(`<input>${listening}<img src="late.png">`);
    const frame = await stage.viewer.openForKeys(deck.shareUrl);
    const late = await held;
    await until(frame, 'window.keys');
    await stage.viewer.page.keyboard.press('ArrowRight');
    await frame.evaluate(`document.querySelector('input').focus()`);
    const loaded = stage.viewer.page.waitForLoadState();
    await late.fulfill({ contentType: 'image/png', body: '' });
    await loaded;
    await stage.viewer.page.keyboard.press('a');
    expect(await frame.evaluate('[keys, document.querySelector("input").value]')).toEqual([['ArrowRight', 'a'], 'a']);
  });

  (windowedPath ? test : test.skip)(
    "gives the keyboard focus back to the deck after another window had it, and on the deck's next page",
    async () => {
      windowed = await launch([], windowedPath);
      const viewer = await Viewer.arrive(windowed);
      const files = [html(`${listening}<a href="next.html">Next</a>`), html(listening, 'next.html')];
      const frame = await viewer.openForKeys((await stage.world.aDeck(stage.owner, files)).shareUrl);
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
    },
  );

  test.each(schemes)(
    "shows a deck without colours in the browser's default colours, and a deck with colours in these (%s)",
    async (colorScheme) => {
      await stage.arrive({ colorScheme });
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
        await stage.viewer.page.goto(shareUrl);
        expect(await colourOf(stage.viewer.page)).toBe(colour);
      }
    },
  );

  test('lets the deck play media, go full screen and copy to the clipboard', async () => {
    const frame = await stage.viewer.open(
      (await aDeck('<button onclick="document.body.requestFullscreen()">Full')).shareUrl,
    );
    await frame.click('button');
    await until(frame, 'document.fullscreenElement === document.body');
    for (const feature of ['autoplay', 'clipboard-write', 'fullscreen']) {
      expect(await frame.evaluate(`document.featurePolicy.allowsFeature('${feature}')`)).toBe(true);
    }
    expect(stage.viewer.troubles).toEqual([]);
  });

  test('tells why a link does not open, in the colours of the dark scheme, without scrollbars', async () => {
    const colorScheme = 'dark';
    await stage.arrive({ viewport: phone, colorScheme });
    const deck = await aDeck('');
    const stored = stage.world.database.doc(`presentations/${deck.presentationId}`);
    const links: [string, number, string, () => Promise<unknown>][] = [
      [deck.shareUrl, 200, '', () => Promise.resolve()],
      [deck.shareUrl.slice(0, -1), 404, 'This link does not open a presentation', () => Promise.resolve()],
      [deck.shareUrl, 410, 'This presentation has expired', () => stored.update({ expiresAt: new Date(1) })],
      [stage.world.viewUrl(deck), 410, 'This is no longer available', () => Promise.resolve()],
      [
        deck.shareUrl,
        403,
        'This link was revoked',
        () => stored.collection('shareTokens').doc(deck.tokenId).update({ revokedAt: new Date() }),
      ],
    ];
    for (const [url, status, title, change] of links) {
      await change();
      expect((await stage.viewer.page.goto(url))!.status()).toBe(status);
      if (!title) continue;
      expect(await stage.viewer.page.title()).toBe(title);
      expect(await stage.viewer.page.getByText(title, { exact: true }).isVisible()).toBe(true);
      const root = 'document.documentElement';
      expect(
        await stage.viewer.page.evaluate(`[${root}.scrollWidth - innerWidth, ${root}.scrollHeight - innerHeight]`),
      ).toEqual([0, 0]);
      expect(await colourOf(stage.viewer.page)).toBe(paperIn(colorScheme));
    }
    expect(
      stage.viewer.troubles.filter((trouble) => !/^(error: Failed to load resource|4\d\d:)/.test(trouble)),
    ).toEqual([]);
  });
});
