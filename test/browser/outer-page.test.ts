import type { Frame } from 'playwright-core';
import type { DeckFile } from '../support/world';
import { describeInBrowser, until } from './browser';
import { html } from './small-decks';
import { Stage } from './stage';

const stage = new Stage({ deckOrigin: false });

const aDeck = (body: string, ...more: DeckFile[]) =>
  stage.world.aDeck(stage.owner, [html(body), ...more], 'The stored title');
const hashOf = (frame: Frame) => frame.evaluate<string>('location.hash');
/** What the address of the share page has besides the link itself. */
const added = (shareUrl: string) => stage.viewer.page.url().replace(shareUrl, '');
const showsAt = (address: string) => until(stage.viewer.page, `location.href.endsWith(${JSON.stringify(address)})`);

describeInBrowser('the page around a deck', () => {
  test("passes its hash and query on to the deck's first request, and none of them counts a second view", async () => {
    const deck = await aDeck('<script>window.first = location.search + location.hash</script>');
    const frame = await stage.viewer.open(`${deck.shareUrl}&print-pdf&a=%C3%A9#/3/ü`);
    await frame.waitForLoadState();
    expect(await frame.evaluate('first')).toBe('?print-pdf&a=%C3%A9#/3/%C3%BC');
    const requests = stage.viewer.answers.filter(({ url }) => url.includes('/_f/'));
    expect(requests).toHaveLength(1);
    expect(added(deck.shareUrl)).toBe('&print-pdf&a=%C3%A9#/3/%C3%BC');
    expect(stage.viewer.troubles).toEqual([]);
  });

  test.each([
    ['sets the hash', `location.hash = '#/2'`],
    ['replaces its entry of the history', `history.replaceState(null, '', '#/2')`],
    ['adds an entry to the history', `history.pushState(null, '', '#/2')`],
  ])('shows the slide of a deck that %s, and reloads it there', async (_name, change) => {
    const deck = await aDeck('<title>Deck</title>');
    const frame = await stage.viewer.open(deck.shareUrl);
    await frame.evaluate(change);
    await showsAt('#/2');
    expect(added(deck.shareUrl)).toBe('#/2');
    const opened = stage.viewer.page.waitForEvent('framenavigated', (each) => each.url().includes('/_f/'));
    await stage.viewer.page.reload();
    expect(await hashOf(await opened)).toBe('#/2');
    expect(added(deck.shareUrl)).toBe('#/2');
    expect(stage.viewer.troubles).toEqual([]);
  });

  test('leads the deck to a hash that the viewer writes, and adds no entry to the history itself', async () => {
    const deck = await aDeck(
      '<base href="elsewhere/"><script>changes = []; onhashchange = () => changes.push(location.hash)</script>',
    );
    const frame = await stage.viewer.open(`${deck.shareUrl}#1`);
    const entries = () => stage.viewer.page.evaluate<number>('history.length');
    const before = await entries();
    for (const hash of ['#2', '#3']) {
      await stage.viewer.page.evaluate(`{ location.hash = '${hash}' }`);
      await until(frame, `location.hash === '${hash}'`);
    }
    expect(await entries()).toBe(before + 2);
    await stage.viewer.page.evaluate('history.back()');
    await until(frame, `location.hash === '#2'`);
    await stage.viewer.page.evaluate(`{ location.hash = '' }`);
    await until(frame, `location.hash === ''`);
    expect(await frame.evaluate('changes')).toEqual(['#2', '#3', '#2', '']);
    expect(stage.viewer.answers.filter(({ url }) => url.includes('/_f/'))).toHaveLength(1);
    expect(stage.viewer.troubles).toEqual([]);
  });

  test("shows the deck's query beside its token", async () => {
    const deck = await aDeck('<title>Deck</title>');
    const frame = await stage.viewer.open(`${deck.shareUrl}&a=1`);
    await frame.evaluate(`history.replaceState(null, '', '?b=2&token=other&token#9')`);
    await showsAt('#9');
    expect(added(deck.shareUrl)).toBe('&b=2#9');
  });

  test('has the title of the deck while the deck has one, and its stored title until then', async () => {
    const deck = await aDeck('<p>Text</p>');
    const frame = await stage.viewer.open(deck.shareUrl);
    await frame.evaluate(`location.hash = '#told'`);
    await showsAt('#told');
    expect(await stage.viewer.page.title()).toBe('The stored title');
    await frame.evaluate(`document.title = '2 < 3'`);
    await until(stage.viewer.page, `document.title === '2 < 3'`);
  });

  test('is moved nowhere by a hostile deck, and runs nothing of it', async () => {
    const deck = await aDeck('<title>Hostile</title>');
    const frame = await stage.viewer.open(deck.shareUrl);
    await until(stage.viewer.page, `document.title === 'Hostile'`);
    const { origin, pathname } = new URL(deck.shareUrl);
    const sent = [
      ...[null, 1, 'decks/frame', {}, { type: 'decks/frame' }, { type: 'decks/frame', hash: 1, search: '', title: {} }],
      { type: 'decks/frame', hash: {}, search: [], title: null },
      { type: 'decks/frame', hash: '#x'.repeat(5000), search: '', title: 'x'.repeat(5000) },
      { type: 'decks/frame', hash: 'javascript:alert(1)', search: '', title: '' },
      { type: 'decks/frame', hash: '//example.org/', search: '//example.org/', title: '' },
      {
        type: 'decks/frame',
        hash: '',
        search: '?token=stolen&%74oken=stolen&x#y',
        title: '<img src=x onerror=alert(1)>',
      },
    ];
    await stage.viewer.page.evaluate(
      '{ window.seen = 0; addEventListener("message", () => seen++); window.mine = true; }',
    );
    for (const message of sent) await frame.evaluate(`parent.postMessage(${JSON.stringify(message)}, '*')`);
    await until(stage.viewer.page, `seen >= ${sent.length}`);
    const address = new URL(stage.viewer.page.url());
    expect([address.origin, address.pathname]).toEqual([origin, pathname]);
    expect(address.searchParams.get('token')).toBe(deck.token);
    expect(await stage.viewer.page.evaluate('[mine, document.querySelectorAll("img").length]')).toEqual([true, 0]);
    // A message of another window counts as little as one of an unknown type.
    const before = stage.viewer.page.url();
    await stage.viewer.page.evaluate(
      `postMessage({ type: 'decks/frame', hash: '#mine', search: '', title: 'Mine' }, '*')`,
    );
    await until(stage.viewer.page, `seen > ${sent.length}`);
    expect(stage.viewer.page.url()).toBe(before);
    // The deck's own messages are not kept from the deck, and those of the page are.
    await frame.evaluate('{ window.got = []; addEventListener("message", ({ data }) => got.push(data)); }');
    await frame.evaluate(`postMessage({ type: 'decks/frame', hash: '#self' }, '*')`);
    await stage.viewer.page.evaluate(`{ location.hash = '#5' }`);
    await until(frame, `location.hash === '#5'`);
    await frame.evaluate(`postMessage('own', '*')`);
    expect(await until(frame, 'got.length > 1 && got')).toEqual([{ type: 'decks/frame', hash: '#self' }, 'own']);
  });

  test('a further page of the deck tells its address and title as well', async () => {
    const deck = await aDeck('<title>First</title>', html('<title>Next</title>', 'next.html'));
    const frame = await stage.viewer.open(deck.shareUrl);
    await until(stage.viewer.page, `document.title === 'First'`);
    await frame.evaluate(`location.href = 'next.html#7'`);
    await until(stage.viewer.page, `document.title === 'Next'`);
    expect(added(deck.shareUrl)).toBe('#7');
  });

  test("sends nothing to the deck's own windows and frames, which parse each message", async () => {
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
    const presenter = await opened;
    expect(await until(presenter, 'got.length > 1 && got')).toEqual(['inner', 'inner']);
    expect(stage.viewer.troubles).toEqual([]);
  });

  test.each(['Control+P', 'Meta+p'])('%s prints the deck, whoever has the focus', async (keys) => {
    const deck = await aDeck('<script>printed = 0; print = () => { printed++ }</script><input>');
    const frame = await stage.viewer.openForKeys(deck.shareUrl);
    await stage.viewer.page.keyboard.press(keys);
    await until(frame, 'printed === 1');
    await stage.viewer.page.evaluate(
      `dispatchEvent(new KeyboardEvent('keydown', { key: 'p', ctrlKey: true, cancelable: true }))`,
    );
    await until(frame, 'printed === 2');
    await stage.viewer.page.keyboard.press('Control+Shift+O');
    await stage.viewer.page.keyboard.press('p');
    await frame.evaluate(`addEventListener('keydown', (event) => event.preventDefault(), true)`);
    await stage.viewer.page.keyboard.press(keys);
    await frame.evaluate('new Promise((resolve) => setTimeout(resolve))');
    expect(await frame.evaluate('printed')).toBe(2);
  });

  test('lets the deck keep the screen on, and works without scripts', async () => {
    const deck = await aDeck('<p>Text</p>');
    const frame = await stage.viewer.open(deck.shareUrl);
    expect(await frame.evaluate(`document.featurePolicy.allowsFeature('screen-wake-lock')`)).toBe(true);
    await stage.arrive({ javaScriptEnabled: false });
    const plain = await stage.viewer.open(deck.shareUrl);
    expect(await plain.locator('p').textContent()).toBe('Text');
  });
});
