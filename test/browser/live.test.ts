import { passSeconds } from '../support/clock';
import type { Deck } from '../support/world';
import { describeInBrowser, soon, until } from './browser';
import { at, LiveStage } from './live-stage';
import { file, html, revealDeck, revealFile } from './small-decks';

/** Live sessions in browsers: a presenter, and readers who follow. `live.long.test.ts` has what takes longer. */

const stage = new LiveStage();
const { aFollower, aTab, badge, shows, startLive } = stage;

describeInBrowser('a deck of reveal.js in a live session', () => {
  let deck: Deck;
  beforeEach(async () => {
    deck = await stage.aRevealDeck();
  });

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

  test('is followed on a phone, where the reader scrolls through the slides', async () => {
    const look = '<link rel="stylesheet" href="/reveal.css">';
    const files = ['reveal.js', 'reveal.css'].map(async (name) => file(name, await revealFile(name)));
    deck = await stage.aDeck([html(look + revealDeck), ...(await Promise.all(files))]);
    const { presenterUrl } = await startLive(deck);
    await stage.page.goto(presenterUrl);
    const phone = await stage.viewer.context.newPage();
    await phone.setViewportSize({ width: 390, height: 844 });
    await phone.goto(deck.shareUrl);
    for (const [key, h, v] of [
      ['ArrowRight', 1, 0],
      ['ArrowDown', 1, 1],
      ['ArrowUp', 1, 0],
    ] as const) {
      await stage.page.keyboard.press(key);
      await shows(phone, `document.querySelector('.scroll-page .present[data-index-h="${h}"][data-index-v="${v}"]')`);
    }
    await soon(async () => expect(await badge(phone).getByRole('button').innerText()).toBe('Live'));
  });

  test('stays where a reader went, and returns when the reader asks for it', async () => {
    const reader = await aFollower(deck);
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
    await reader.emulateMedia({ reducedMotion: 'reduce' });
    expect(await animations()).toBe(0);
    await reader.emulateMedia({ media: 'print' });
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
