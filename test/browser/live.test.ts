import type { Page } from 'playwright-core';
import { passSeconds } from '../support/clock';
import type { Started } from '../support/live';
import type { Deck } from '../support/world';
import { describeInBrowser, soon, until } from './browser';
import { file, html, revealDeck, revealFile } from './small-decks';
import { Stage } from './stage';

/** Live sessions in browsers: a presenter, and readers who follow. The service takes one move a second. */

process.env['LIVE_BEAT_MS'] = '50';

const stage = new Stage({ deckOrigin: true });
const startLive = ({ presentationId }: Deck) => stage.call<Started>('startLiveSession', { presentationId });
const aTab = async (url: string): Promise<Page> => {
  const tab = await stage.viewer.context.newPage();
  await tab.goto(url);
  return tab;
};

const badge = (page: Page) => page.locator('deck-live');

/** The slide and its step as the page has them, after a move of the presenter may be taken. */
const shows = async (page: Page, condition: string): Promise<void> => {
  passSeconds(1);
  await until(page, condition);
};

describeInBrowser('a deck of reveal.js in a live session', () => {
  const at = (h: number, v: number, f?: number) =>
    `window.Reveal?.isReady() && JSON.stringify(Reveal.getIndices()) === '${JSON.stringify({ h, v, ...(f !== undefined && { f }) })}'`;
  let deck: Deck;
  beforeEach(async () => {
    deck = await stage.aDeck([html(revealDeck), file('reveal.js', await revealFile('reveal.js'))]);
  });

  /** A reader who follows the presenter at the second slide. */
  const aFollower = async (): Promise<Page> => {
    const { presenterUrl } = await startLive(deck);
    await stage.page.goto(presenterUrl);
    const reader = await aTab(deck.shareUrl);
    await stage.page.keyboard.press('ArrowRight');
    await shows(reader, at(1, 0));
    return reader;
  };

  test('is where the presenter is, with its steps, also for a reader who comes late', async () => {
    const { presenterUrl } = await startLive(deck);
    const reader = await aTab(deck.shareUrl);
    await stage.page.goto(presenterUrl);
    await until(stage.page, at(0, 0));
    expect(stage.page.url()).not.toContain('present');
    await stage.page.keyboard.press('ArrowRight');
    await shows(reader, at(1, 0));
    await stage.page.keyboard.press('ArrowDown');
    await shows(reader, at(1, 1, -1));
    await stage.page.keyboard.press('ArrowRight');
    await shows(reader, at(1, 1, 0));
    await shows(await aTab(deck.shareUrl), at(1, 1, 0));
    expect(stage.troubles).toEqual([]);
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
    const reader = await aFollower();
    const reopened = reader.waitForRequest(/followLiveSession/);
    passSeconds(3600);
    await reopened;
    await stage.page.keyboard.press('ArrowRight');
    await shows(reader, at(2, 0));
  });

  test('stays where a reader went, and returns when the reader asks for it', async () => {
    const reader = await aFollower();
    await soon(async () => expect(await badge(reader).getByRole('button').innerText()).toBe('Live'));
    await reader.keyboard.press('ArrowLeft');
    await badge(reader).getByText('Return to live').waitFor();
    await stage.page.keyboard.press('ArrowRight');
    await shows(stage.page, at(2, 0));
    const last = await aTab(deck.shareUrl);
    await shows(last, at(2, 0));
    await reader.keyboard.press('ArrowDown');
    expect(await reader.evaluate('Reveal.getIndices().h')).toBe(0);
    await badge(reader).getByRole('button').press('Enter');
    await until(reader, at(2, 0));
    await soon(async () =>
      expect(await badge(reader).getByRole('button').getAttribute('aria-label')).toMatch(
        /^Live. You follow the presenter/,
      ),
    );
    // A press of the badge by pointer leaves the keys to the deck.
    await badge(reader).getByRole('button').click();
    await reader.keyboard.press('ArrowLeft');
    await until(reader, at(1, 0));
    expect(stage.troubles).toEqual([]);
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
    const { presenterUrl } = await startLive(deck);
    const ticket = presenterUrl.split('#present=')[1]!;
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
      await stage.call('moveLiveSession', { ticket, sequence, command });
      await shows(reader, place);
    }
  });

  test('is moved from a phone, which shows what comes next, and becomes a window of the presenter on demand', async () => {
    const { presenterUrl } = await startLive(deck);
    const options = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };
    const context = await stage.viewer.context.browser()!.newContext(options);
    const phone = await context.newPage();
    await phone.goto(presenterUrl);
    await phone.getByText('No window shows the deck.').waitFor();
    await stage.page.goto(presenterUrl);
    await badge(phone).getByRole('heading', { name: 'One' }).waitFor();
    await phone.getByText('Next: Down').waitFor();
    await phone.getByText('No window shows the deck.').waitFor({ state: 'hidden' });
    await phone.getByText('Live · 0 follow').waitFor();
    passSeconds(1);
    await badge(phone).getByRole('button', { name: 'Next' }).tap();
    await shows(stage.page, at(1, 0));
    await phone.getByText('Slide 2 of 4').waitFor();
    await phone.keyboard.press('ArrowLeft');
    await shows(stage.page, at(0, 0));
    await phone.getByText('Slide 1 of 4').waitFor();
    expect(await phone.evaluate('document.body.inert')).toBe(true);
    await stage.page.keyboard.press('ArrowRight');
    await shows(stage.page, at(1, 0));
    await phone.getByText('Slide 2 of 4').waitFor();
    await phone.getByRole('button', { name: 'Show the deck here' }).tap();
    await until(phone, `!document.body.inert && Reveal.getCurrentSlide().textContent === 'Down'`);
    await context.close();
  });

  test('has a badge above what fills the screen, which rests on demand and is not printed', async () => {
    const reader = await aTab(deck.shareUrl);
    const fill = () => reader.evaluate(`document.querySelector('.reveal').requestFullscreen()`);
    await fill();
    await startLive(deck);
    await reader.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`);
    await badge(reader).getByText('Live').waitFor();
    const isOnTop = `(() => {
      const { x, y } = document.querySelector('deck-live').shadowRoot.querySelector('i').getBoundingClientRect();
      return document.elementFromPoint(x, y).localName === 'deck-live';
    })()`;
    await until(reader, `document.fullscreenElement && ${isOnTop}`);
    await reader.evaluate('document.exitFullscreen()');
    await until(reader, `!document.fullscreenElement && ${isOnTop}`);
    await fill();
    await until(reader, `document.fullscreenElement && ${isOnTop}`);

    const animations = () =>
      reader.evaluate(`document.querySelector('deck-live').shadowRoot.querySelector('i').getAnimations().length`);
    await reader.emulateMedia({ reducedMotion: 'no-preference' });
    expect(await animations()).toBe(1);
    await reader.emulateMedia({ reducedMotion: 'reduce', media: 'print' });
    expect(await animations()).toBe(0);
    await badge(reader).waitFor({ state: 'hidden' });
  });

  test('ends with its link, and says so to the presenter alone', async () => {
    const { presenterUrl } = await startLive(deck);
    await stage.page.goto(presenterUrl);
    const reader = await aTab(deck.shareUrl);
    await badge(reader).getByText('Live').waitFor();
    await stage.call('unsharePresentation', { presentationId: deck.presentationId, tokenId: deck.tokenId });
    await badge(stage.page).getByText('Live has ended').waitFor();
    await until(reader, `!document.querySelector('deck-live')`);
    expect(await stage.page.evaluate('sessionStorage.length')).toBe(0);
  });
});

describeInBrowser('a deck that no known tool made', () => {
  const onArrows = (show: string) => `<script>
    let n = 0;
    addEventListener('keydown', ({ key }) => { n += { ArrowRight: 1, ArrowLeft: -1 }[key] ?? 0; show(); });
    const show = () => { ${show} };
  </script>`;
  let presenterUrl: string;
  const present = async (body: string): Promise<Page> => {
    const deck = await stage.aDeck([html(body)]);
    ({ presenterUrl } = await startLive(deck));
    const begun = stage.page.waitForResponse(/moveLiveSession$/);
    await stage.page.goto(presenterUrl);
    await begun;
    return aTab(deck.shareUrl);
  };
  const next = async () => {
    await stage.page.keyboard.press('ArrowRight');
    passSeconds(1);
  };

  test('follows by its hash', async () => {
    const reader = await present(`<h1>Deck</h1>${onArrows('location.hash = "/at/" + n')}`);
    await next();
    await shows(reader, `location.hash === '#/at/1'`);
    await next();
    await shows(reader, `location.hash === '#/at/2'`);
    await soon(async () => expect(await badge(reader).getByRole('button').innerText()).toBe('Live'));
    expect(await reader.evaluate('history.length')).toBeLessThan(4);
  });

  test('follows by the events in which it tells its slides', async () => {
    const reader = await present(
      `<h1></h1><script>
        const show = (n) => {
          document.querySelector('h1').textContent = n;
          document.dispatchEvent(new CustomEvent('deck:slide', { detail: { index: n, title: 'Slide ' + n, count: 9 } }));
        };
        let n = 0;
        addEventListener('keydown', ({ key }) => { if (key === 'ArrowRight') show(++n); });
        addEventListener('deck:go', ({ detail }) => show(n = detail.index));
      </script>`,
    );
    await next();
    await shows(reader, `document.querySelector('h1').textContent === '1'`);
    await next();
    await shows(reader, `document.querySelector('h1').textContent === '2'`);
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
    await second.goto(presenterUrl);
    await badge(second).getByText('Live · 1', { exact: true }).waitFor();
    const ticket = presenterUrl.split('#present=')[1]!;
    for (const sequence of [1, 2]) {
      passSeconds(1);
      await stage.call('moveLiveSession', { ticket, sequence, command: 'next' });
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
});
