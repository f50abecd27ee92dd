import type { Frame, Route } from 'playwright-core';
import type { Deck, DeckFile } from '../support/world';
import { describeInBrowser, soon, until } from './browser';
import { expectToFit } from './fits';
import { probe } from './proof-stage';
import { texts } from './proof-world';
import { html } from './small-decks';
import type { Stage } from './stage';

const phone = { width: 390, height: 844 };

/** The page of a link that frames the deck, where decks have no origins of their own. */
export function proveSharePage(stage: Stage): void {
  const aDeck = (body: string, ...more: DeckFile[]): Promise<Deck> =>
    stage.aDeck([html(body), ...more], 'The stored title');
  const open = async (body: string) => stage.viewer.open((await aDeck(body)).shareUrl);
  const hashOf = (frame: Frame) => frame.evaluate<string>('location.hash');
  /** What the address of the share page has besides the link itself. */
  const added = (shareUrl: string) => stage.page.url().replace(shareUrl, '');
  const showsAt = (address: string) => until(stage.page, `location.href.endsWith(${JSON.stringify(address)})`);
  /** The requests that have opened the framed form of a deck: each of them counts a view. */
  const openings = () => stage.viewer.answers.filter(({ url }) => url.includes('/_f/'));
  /** A page that records the keys that it receives. */
  const listening = `<script>keys = []; addEventListener('keydown', ({ key }) => keys.push(key));</script>`;

  describeInBrowser('the share page', () => {
    test('fills a phone with the deck, without scrollbars', async () => {
      await stage.arrive({ viewport: phone });
      const frame = await open('<style>html, body { margin: 0; height: 100% }</style>');
      await frame.waitForLoadState();
      const { width, height } = phone;
      const size = `(({ clientWidth, scrollWidth, clientHeight, scrollHeight }) =>
      [clientWidth, scrollWidth, clientHeight, scrollHeight])(document.documentElement)`;
      expect(await stage.page.evaluate(size)).toEqual([width, width, height, height]);
      expect(await frame.evaluate(size)).toEqual([width, width, height, height]);
      expect(stage.troubles).toEqual([]);
    });

    // The pages of the proofs belong to a service whose decks have origins of their own.
    test('is accessible, and its title stays a text, whatever the title is', async () => {
      await stage.viewer.context.addInitScript({ content: probe });
      const frame = await stage.viewer.open(
        (await stage.aDeck([html('<html lang="en"><p>Text')], texts.title)).shareUrl,
      );
      await frame.waitForLoadState();
      // The headings are those of the deck.
      await expectToFit(stage.page, { without: ['page-has-heading-one'] });
      const isolated = `proof.unisolated(${JSON.stringify([texts.title])})`;
      expect(await stage.page.evaluate(`[...proof.shifts(), ...proof.harmed(), ...${isolated}]`)).toEqual([]);
      expect(stage.troubles).toEqual([]);
    });

    test('lets the deck play media, go full screen, copy to the clipboard and keep the screen on; works without scripts', async () => {
      const deck = await aDeck('<p>Text</p><button onclick="document.body.requestFullscreen()">Full');
      const frame = await stage.viewer.open(deck.shareUrl);
      await frame.click('button');
      await until(frame, 'document.fullscreenElement === document.body');
      const features = ['autoplay', 'clipboard-write', 'fullscreen', 'screen-wake-lock'];
      const allowed = `${JSON.stringify(features)}.filter((feature) => document.featurePolicy.allowsFeature(feature))`;
      expect(await frame.evaluate(allowed)).toEqual(features);
      expect(stage.troubles).toEqual([]);
      await stage.arrive({ javaScriptEnabled: false });
      await soon(async () =>
        expect(await (await stage.viewer.open(deck.shareUrl)).locator('p').textContent()).toBe('Text'),
      );
    });
  });

  describeInBrowser('the keyboard on the share page', () => {
    test('belongs to the deck before the deck has loaded completely, and its focus does not move afterwards', async () => {
      const held = new Promise<Route>((resolve) => stage.viewer.context.route('**/late.png', resolve));
      const deck = await aDeck(`<input>${listening}<img src="late.png">`);
      const frame = await stage.viewer.openForKeys(deck.shareUrl);
      const late = await held;
      await until(frame, 'window.keys');
      await stage.page.keyboard.press('ArrowRight');
      await frame.evaluate(`document.querySelector('input').focus()`);
      const loaded = stage.page.waitForLoadState();
      await late.fulfill({ contentType: 'image/png', body: '' });
      await loaded;
      await stage.page.keyboard.press('a');
      expect(await frame.evaluate('[keys, document.querySelector("input").value]')).toEqual([['ArrowRight', 'a'], 'a']);
    });

    test.each(['Control+P', 'Meta+p'])('prints the deck with %s, whoever has the focus', async (keys) => {
      const deck = await aDeck('<script>printed = 0; print = () => { printed++ }</script><input>');
      const frame = await stage.viewer.openForKeys(deck.shareUrl);
      await stage.page.keyboard.press(keys);
      await until(frame, 'printed === 1');
      await stage.page.evaluate(
        `dispatchEvent(new KeyboardEvent('keydown', { key: 'p', ctrlKey: true, cancelable: true }))`,
      );
      await until(frame, 'printed === 2');
      await stage.page.keyboard.press('Control+Shift+O');
      await stage.page.keyboard.press('p');
      await frame.evaluate(`addEventListener('keydown', (event) => event.preventDefault(), true)`);
      await stage.page.keyboard.press(keys);
      await frame.evaluate('new Promise((resolve) => setTimeout(resolve))');
      expect(await frame.evaluate('printed')).toBe(2);
    });
  });

  describeInBrowser('the address of the share page', () => {
    test("passes its hash and query on to the deck's first request, and has the deck's query beside its token", async () => {
      const deck = await aDeck('<script>window.first = location.search + location.hash</script>');
      const frame = await stage.viewer.open(`${deck.shareUrl}&print-pdf&a=%C3%A9#/3/ü`);
      await frame.waitForLoadState();
      expect(await frame.evaluate('first')).toBe('?print-pdf&a=%C3%A9#/3/%C3%BC');
      expect(openings()).toHaveLength(1);
      expect(added(deck.shareUrl)).toBe('&print-pdf&a=%C3%A9#/3/%C3%BC');
      await frame.evaluate(`history.replaceState(null, '', '?b=2&token=other&token#9')`);
      await showsAt('#9');
      expect(added(deck.shareUrl)).toBe('&b=2#9');
      expect(stage.troubles).toEqual([]);
    });

    test('shows the slide of a deck, whatever way the deck changes it, and reloads it there', async () => {
      const deck = await aDeck('<title>Deck</title>');
      let frame = await stage.viewer.open(deck.shareUrl);
      for (const [change, hash] of [
        [`location.hash = '#/2'`, '#/2'],
        [`history.replaceState(null, '', '#/3')`, '#/3'],
        [`history.pushState(null, '', '#/4')`, '#/4'],
      ] as const) {
        await frame.evaluate(change);
        await showsAt(hash);
        expect(added(deck.shareUrl)).toBe(hash);
        const opened = stage.page.waitForEvent('framenavigated', (found) => found.url().includes('/_f/'));
        await stage.page.reload();
        frame = await opened;
        expect([await hashOf(frame), added(deck.shareUrl)]).toEqual([hash, hash]);
        await frame.waitForLoadState();
      }
      expect(stage.troubles).toEqual([]);
    });

    test('leads the deck to a hash that the viewer writes, and adds no entry to the history itself', async () => {
      const deck = await aDeck(
        '<base href="elsewhere/"><script>changes = []; onhashchange = () => changes.push(location.hash)</script>',
      );
      const frame = await stage.viewer.open(`${deck.shareUrl}#1`);
      const entries = () => stage.page.evaluate<number>('history.length');
      const before = await entries();
      for (const [act, hash] of [
        [`location.hash = '#2'`, '#2'],
        [`location.hash = '#3'`, '#3'],
        ['history.back()', '#2'],
        [`location.hash = ''`, ''],
      ] as const) {
        await stage.page.evaluate(`{ ${act} }`);
        await until(frame, `location.hash === '${hash}'`);
        if (hash === '#3') expect(await entries()).toBe(before + 2);
      }
      expect(await frame.evaluate('changes')).toEqual(['#2', '#3', '#2', '']);
      expect(openings()).toHaveLength(1);
      expect(stage.troubles).toEqual([]);
    });

    test('and its title are those of each page of the deck; the stored title stands until the deck has one', async () => {
      const deck = await aDeck('<p>Text</p>', html('<title>Next</title>', 'next.html'));
      const frame = await stage.viewer.open(deck.shareUrl);
      await frame.evaluate(`location.hash = '#told'`);
      await showsAt('#told');
      expect(await stage.page.title()).toBe('The stored title');
      await frame.evaluate(`document.title = '2 < 3'`);
      await until(stage.page, `document.title === '2 < 3'`);
      await frame.evaluate(`location.href = 'next.html#7'`);
      await until(stage.page, `document.title === 'Next'`);
      expect(added(deck.shareUrl)).toBe('#7');
    });
  });

  describeInBrowser('the page of a link with a gate', () => {
    test('frames the deck with a grant that its gate gave, keeps it in the address, and asks again when it has ended', async () => {
      const deck = await aDeck('<title>Behind</title><p>Text');
      const link = { presentationId: deck.presentationId, tokenId: deck.tokenId };
      await stage.call('updateShareToken', { ...link, maxOpenings: 2 });
      await stage.page.goto(`${deck.shareUrl}#5`);
      await stage.page.locator('button').click();
      await until(stage.page, `document.title === 'Behind' && location.hash === '#5'`);
      const address = stage.page.url();
      expect(address).toMatch(/\/share\/[\w-]+\?grant=[\w.-]+#5$/);
      await stage.page.reload();
      await until(stage.page, `document.title === 'Behind'`);
      await stage.call('updateShareToken', { ...link, passcode: 'orchid-47' });
      await stage.page.reload();
      await stage.page.locator('#passcode').fill('orchid-47');
      await stage.page.locator('button').click();
      await until(stage.page, `document.title === 'Behind' && location.hash === '#5'`);
      expect(stage.page.url()).not.toBe(address);
    });
  });

  describeInBrowser('the messages of the share page', () => {
    test('move it nowhere when a hostile deck writes them, and run nothing of it', async () => {
      const deck = await aDeck('<title>Hostile</title>');
      const frame = await stage.viewer.open(deck.shareUrl);
      await until(stage.page, `document.title === 'Hostile'`);
      const { origin, pathname } = new URL(deck.shareUrl);
      const type = 'decks/frame';
      const sent = [
        ...[null, 1, type, {}, { type }, { type, hash: 1, search: '', title: {} }],
        { type, hash: {}, search: [], title: null },
        { type, hash: '#x'.repeat(5000), search: '', title: 'x'.repeat(5000) },
        { type, hash: 'javascript:alert(1)', search: '', title: '' },
        { type, hash: '//example.org/', search: '//example.org/', title: '' },
        { type, hash: '', search: '?token=stolen&%74oken=stolen&x#y', title: '<img src=x onerror=alert(1)>' },
      ];
      await stage.page.evaluate('{ window.seen = 0; addEventListener("message", () => seen++); window.mine = true; }');
      for (const message of sent) await frame.evaluate(`parent.postMessage(${JSON.stringify(message)}, '*')`);
      await until(stage.page, `seen >= ${sent.length}`);
      const address = new URL(stage.page.url());
      expect([address.origin, address.pathname]).toEqual([origin, pathname]);
      expect(address.searchParams.get('token')).toBe(deck.token);
      expect(await stage.page.evaluate('[mine, document.querySelectorAll("img").length]')).toEqual([true, 0]);
      // A message of another window counts as little as one of an unknown type.
      const before = stage.page.url();
      await stage.page.evaluate(`postMessage({ type: '${type}', hash: '#mine', search: '', title: 'Mine' }, '*')`);
      await until(stage.page, `seen > ${sent.length}`);
      expect(stage.page.url()).toBe(before);
      // The deck's own messages are not kept from the deck, and those of the page are.
      await frame.evaluate('{ window.got = []; addEventListener("message", ({ data }) => got.push(data)); }');
      await frame.evaluate(`postMessage({ type: '${type}', hash: '#self' }, '*')`);
      await stage.page.evaluate(`{ location.hash = '#5' }`);
      await until(frame, `location.hash === '#5'`);
      await frame.evaluate(`postMessage('own', '*')`);
      expect(await until(frame, 'got.length > 1 && got')).toEqual([{ type, hash: '#self' }, 'own']);
    });

    test("do not reach the deck's own windows and frames, which parse each message", async () => {
      const strict = `<script>got = []; onmessage = ({ data }) => got.push(JSON.parse(data).said)</script>`;
      const frames = `<iframe src="inner.html"></iframe><iframe sandbox="allow-scripts" src="inner.html"></iframe>`;
      const deck = await aDeck(
        `${strict}<iframe src="inner.html"></iframe><button onclick="window.open('presenter.html')">Present</button>`,
        html(strict + frames, 'presenter.html'),
        html(`<title>Inner</title><script>parent.postMessage('{"said":"inner"}', '*')</script>`, 'inner.html'),
      );
      const frame = await stage.viewer.open(deck.shareUrl);
      expect(await until(frame, 'got.length > 0 && got')).toEqual(['inner']);
      const opened = stage.viewer.context.waitForEvent('page');
      await frame.click('button');
      expect(await until(await opened, 'got.length > 1 && got')).toEqual(['inner', 'inner']);
      expect(stage.troubles).toEqual([]);
    });
  });
}
