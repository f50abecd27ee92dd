import { passSeconds } from '../support/clock';
import { move } from '../support/live';
import type { Deck } from '../support/world';
import { describeInBrowser, soon, until } from './browser';
import { at, LiveStage, onArrows, openAsPresenter } from './live-stage';
import { html } from './small-decks';

/** Live sessions in browsers: streams that end or are refused, several windows, and decks that no known tool made. */

const stage = new LiveStage();
const { aTab, badge, next, present, shows, startLive } = stage;

describeInBrowser('a deck of reveal.js in a live session', () => {
  let deck: Deck;
  beforeEach(async () => {
    deck = await stage.aRevealDeck();
  });

  test('asks where the presenter is when the service has no room for another stream', async () => {
    process.env['LIVE_STREAMS'] = '0';
    try {
      const { presenterUrl } = await startLive(deck);
      await stage.page.goto(presenterUrl);
      await until(stage.page, at(0, 0));
      const reader = await aTab(deck.shareUrl);
      await reader.waitForResponse((answer) => /json/.test(answer.headers()['content-type'] ?? ''));
      await stage.page.keyboard.press('ArrowRight');
      await shows(reader, at(1, 0));
      expect(stage.troubles).toEqual([]);
    } finally {
      delete process.env['LIVE_STREAMS'];
    }
  });

  test('opens its stream again when the service has ended it', async () => {
    const reader = await stage.aFollower(deck);
    const reopened = reader.waitForRequest(/followLiveSession/);
    passSeconds(3600);
    await reopened;
    await stage.page.keyboard.press('ArrowRight');
    await shows(reader, at(2, 0));
  });

  test('that slept through the end of a session follows the next one, which has made fewer moves', async () => {
    const reader = await stage.aFollower(deck);
    await reader.route(/followLiveSession/, (route) => route.abort());
    const isAsleep = reader.waitForRequest(/followLiveSession/);
    passSeconds(3600);
    await isAsleep;
    await stage.call('endLiveSession', { presentationId: deck.presentationId });
    const second = await stage.viewer.context.newPage();
    await openAsPresenter(second, await startLive(deck));
    passSeconds(700);
    const isRefused = reader.waitForResponse((answer) => answer.status() === 403);
    await reader.unroute(/followLiveSession/);
    await reader.evaluate(`dispatchEvent(new Event('online'))`);
    await isRefused;
    await reader.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`);
    await shows(reader, at(0, 0));
  });

  test('is still that of the presenter after a reload, and its moves go on', async () => {
    const { presenterUrl } = await startLive(deck);
    await stage.page.goto(presenterUrl);
    const reader = await aTab(deck.shareUrl);
    for (const place of [at(1, 0), at(2, 0)]) {
      await stage.page.keyboard.press('ArrowRight');
      await shows(reader, place);
    }
    await stage.page.reload();
    await shows(stage.page, at(2, 0));
    await stage.page.keyboard.press('ArrowLeft');
    await shows(reader, at(1, 0));
    const second = await aTab(presenterUrl);
    await shows(second, at(1, 0));
    await second.keyboard.press('ArrowRight');
    await shows(reader, at(2, 0));
    await shows(stage.page, at(2, 0));
    await stage.page.keyboard.press('ArrowLeft');
    await shows(reader, at(1, 0));
    expect(stage.troubles).toEqual([]);
  });

  test('does what a remote control asks, in all windows of the presenter', async () => {
    const { presenter: ticket, presenterUrl } = await startLive(deck);
    await stage.page.goto(presenterUrl);
    await aTab(presenterUrl);
    const reader = await aTab(deck.shareUrl);
    await badge(stage.page).getByText('Live · 1', { exact: true }).waitFor();
    for (const [sequence, command, place] of [
      [1, 'next', at(1, 0)],
      [2, 'next', at(1, 1, -1)],
      [3, 'next', at(1, 1, 0)],
      [4, 'previous', at(1, 1, -1)],
      [5, 'previous', at(1, 0)],
    ] as const) {
      passSeconds(1);
      await move(ticket, sequence, { command });
      await shows(reader, place);
    }
  });
});

describeInBrowser('a deck that no known tool made', () => {
  /** Shows the number of its slide, and tells it. `go` answers a request for another slide. */
  const telling = (go: string) => `<h1></h1><script>
    const show = (n) => {
      document.querySelector('h1').textContent = n;
      document.dispatchEvent(new CustomEvent('deck:slide', { detail: { index: n, title: 'Slide ' + n, count: 9 } }));
    };
    let n = 0;
    let isReady = false;
    addEventListener('keydown', ({ key }) => { if (key === 'ArrowRight') show(++n); });
    addEventListener('deck:go', ({ detail }) => { ${go} });
  </script>`;
  const pages = `<main class="pdf-pages">${'<section>Page</section>'.repeat(3)}</main><script>
    const turn = () => {
      for (const [i, page] of document.querySelectorAll('section').entries())
        page.classList.toggle('shown', (location.hash || '#1') === '#' + (i + 1));
    };
    addEventListener('hashchange', turn);
    turn();
  </script>${onArrows('location.hash = n + 1')}`;
  const isAt = (n: number) => `document.querySelector('h1').textContent === '${n}'`;

  test.each<[string, string, (n: number) => string]>([
    ['by its hash', onArrows('location.hash = "/at/" + n'), (n) => `location.hash === '#/at/${n}'`],
    ['by the number of its page', pages, (n) => `location.hash === '#${n + 1}'`],
    ['by the events in which it tells its slides', telling('show(n = detail.index)'), isAt],
    [
      'when it was not ready for the first move',
      telling('if (isReady) show(n = detail.index); isReady ||= detail.index === 1;'),
      isAt,
    ],
  ])('follows %s', async (_how, body, isShown) => {
    const reader = await present(body);
    const entries = await reader.evaluate('history.length');
    for (const n of [1, 2]) {
      await next();
      await shows(reader, isShown(n));
    }
    await soon(async () => expect(await badge(reader).getByRole('button').innerText()).toBe('Live'));
    expect(await reader.evaluate('history.length')).toBe(entries);
  });

  test('keeps a move that another window of the presenter made before it heard where the presenter is', async () => {
    const reader = await present(telling('show(n = detail.index)'));
    const second = await stage.viewer.context.newPage();
    let hear = () => {};
    const isMoved = new Promise<void>((resolve) => (hear = resolve));
    await second.route(/followLiveSession/, (route) => isMoved.then(() => route.continue()));
    const isAsked = second.waitForRequest(/followLiveSession/);
    await second.goto(stage.session.presenterUrl);
    await isAsked;
    await second.keyboard.press('ArrowRight');
    await until(second, isAt(1));
    hear();
    for (const page of [reader, stage.page, second]) await shows(page, isAt(1));
  });

  test('learns of a session that began after it was opened when it is shown again', async () => {
    const deck = await stage.aDeck([html(`<h1>Deck</h1>${onArrows('location.hash = n')}`)]);
    const reader = await aTab(deck.shareUrl);
    const { presenterUrl } = await startLive(deck);
    await stage.page.goto(presenterUrl);
    await next();
    await soon(async () => expect(await reader.locator('deck-live').count()).toBe(0));
    await reader.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`);
    await shows(reader, `location.hash === '#1'`);
  });

  test('does what a remote control asks, also where it moves all windows of a browser together', async () => {
    const reader = await present(`<h1>Deck</h1><script>
      let n = 0;
      const show = (to) => { n = to; location.hash = n; };
      const channel = new BroadcastChannel('deck');
      channel.onmessage = ({ data }) => show(data);
      addEventListener('keydown', ({ key }) => { if (key === 'ArrowRight') { show(n + 1); channel.postMessage(n); } });
    </script>`);
    const second = await stage.viewer.context.newPage();
    await second.goto(stage.session.presenterUrl);
    await badge(second).getByText('Live · 1', { exact: true }).waitFor();
    for (const sequence of [1, 2]) {
      passSeconds(1);
      await move(stage.session.presenter, sequence, { command: 'next' });
      await shows(reader, `location.hash === '#${sequence}'`);
    }
    for (const page of [stage.page, second]) await until(page, `location.hash === '#2'`);
  });

  test('says that it cannot follow when nothing in it tells its slides', async () => {
    const reader = await present(
      `<h1>0</h1>${onArrows('document.title = document.querySelector("h1").textContent = n')}`,
    );
    await badge(reader).getByText('Live', { exact: true }).waitFor();
    await next();
    await next();
    await badge(reader).getByText('Live: this deck cannot follow').waitFor();
    await soon(async () => expect(await reader.locator('h1').innerText()).toBe('0'));
  });
});
