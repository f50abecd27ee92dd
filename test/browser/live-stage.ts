import type { Page } from 'playwright-core';
import { passSeconds } from '../support/clock';
import { startLive, type Started } from '../support/live';
import type { Deck } from '../support/world';
import { until } from './browser';
import { file, html, revealDeck, revealFile } from './small-decks';
import { Stage } from './stage';

/** Whether a deck of reveal.js shows this slide: its place, its place in the column, and its fragment. */
export const at = (h: number, v: number, f?: number) =>
  `window.Reveal?.isReady() && JSON.stringify(Reveal.getIndices()) === '${JSON.stringify({ h, v, ...(f !== undefined && { f }) })}'`;

/** A script that runs `show` with the number of its slide, `n`, after each arrow key. */
export const onArrows = (show: string) => `<script>
    let n = 0;
    addEventListener('keydown', ({ key }) => { n += { ArrowRight: 1, ArrowLeft: -1 }[key] ?? 0; show(); });
    const show = () => { ${show} };
  </script>`;

/** Opens the page of the presenter, and waits until the session knows its slide. */
export async function openAsPresenter(page: Page, { presenterUrl }: Pick<Started, 'presenterUrl'>): Promise<void> {
  const begun = page.waitForResponse(/moveLiveSession$/);
  await page.goto(presenterUrl);
  await begun;
}

/** A stage with live sessions. The first page is that of the presenter. The service takes one move a second. */
export class LiveStage extends Stage {
  /** The session of the deck of `present`. */
  session!: Awaited<ReturnType<typeof startLive>>;

  constructor() {
    super({ deckOrigin: true });
    process.env['LIVE_BEAT_MS'] = '50';
  }

  startLive = (deck: Deck) => startLive(this.owner, deck);

  aTab = async (url: string): Promise<Page> => {
    const tab = await this.viewer.context.newPage();
    await tab.goto(url);
    return tab;
  };

  badge = (page: Page) => page.locator('deck-live');

  /**
   * Waits for the slide and its step as the page has them. Time passes meanwhile: the move before this one may have
   * been on its way when the date of the functions was set, which would stand still.
   */
  shows = async (page: Page, condition: string): Promise<void> => {
    passSeconds(1);
    const passing = setInterval(() => passSeconds(1), 1000);
    try {
      await until(page, condition);
    } finally {
      clearInterval(passing);
    }
  };

  aRevealDeck = async () => this.aDeck([html(revealDeck), file('reveal.js', await revealFile('reveal.js'))]);

  /** A reader who follows the presenter of a deck of reveal.js at the second slide. */
  aFollower = async (deck: Deck): Promise<Page> => {
    const { presenterUrl } = await this.startLive(deck);
    await this.page.goto(presenterUrl);
    const reader = await this.aTab(deck.shareUrl);
    await this.page.keyboard.press('ArrowRight');
    await this.shows(reader, at(1, 0));
    return reader;
  };

  /** Presents a new deck, and answers the page of a reader. */
  present = async (body: string): Promise<Page> => {
    const deck = await this.aDeck([html(body)]);
    this.session = await this.startLive(deck);
    await openAsPresenter(this.page, this.session);
    return this.aTab(deck.shareUrl);
  };

  next = async () => {
    await this.page.keyboard.press('ArrowRight');
    passSeconds(1);
  };
}
