import type { Browser, Frame, Page } from 'playwright-core';
import { launch } from '../browser/browser';
import { buildClient } from '../browser/client';
import { realDecks } from './decks';
import { Service } from './service';
import { eventually, Stage } from './stage';

let browser: Browser;
let service: Service;

beforeAll(async () => {
  [browser] = await Promise.all([launch(), buildClient()]);
  service = await Service.start(true);
});
afterAll(async () => {
  await browser?.close();
  await service?.stop();
});

interface Presenter {
  name: string;
  /** The title of the first slide. */
  title: string;
  /** The presenter's window follows the deck's window too. */
  followsDeck: boolean;
  /** Opens the presenter's window. */
  open: (stage: Stage) => Promise<Page>;
  /** JavaScript: the slides that a frame of the presenter's window shows. */
  shown: string;
}

const byKey = (key: string) => async (stage: Stage) => {
  const opened = stage.viewer.context.waitForEvent('page');
  await stage.press(key);
  return opened;
};

const presenters: Presenter[] = [
  {
    name: 'reveal',
    title: 'reveal.js',
    followsDeck: true,
    open: byKey('s'),
    shown: `window.Reveal?.isReady() ? Reveal.getCurrentSlide().innerText : ''`,
  },
  {
    name: 'marp',
    title: 'Marp',
    followsDeck: true,
    open: byKey('p'),
    shown: `document.querySelector('.bespoke-marp-active')?.textContent ?? ''`,
  },
  {
    name: 'slidev',
    title: 'The first slide',
    followsDeck: false,
    async open(stage) {
      const page = await stage.viewer.context.newPage();
      await page.goto(new URL('/presenter/1', stage.viewer.page.url()).href);
      return page;
    },
    shown: `document.body.innerText`,
  },
];

/** The window of a presenter, and what the deck's windows report. */
interface Window {
  page: Page;
  shown: string;
  troubles: readonly string[];
}

/** What all frames of a window show. */
async function textOf(page: Page, shown: string): Promise<string> {
  const textIn = (frame: Frame) => frame.evaluate<string>(shown).catch(() => '');
  return (await Promise.all(page.frames().map(textIn))).join(' | ');
}

async function shows({ page, shown, troubles }: Window, ...slides: RegExp[]): Promise<void> {
  let seen = '';
  await eventually(
    async () => {
      seen = await textOf(page, shown);
      return slides.every((slide) => slide.test(seen));
    },
    () => `${page.url()} shows ${seen}. ${JSON.stringify(troubles)}`,
  );
}

test.each(presenters)('$name: the presenter sees two slides, and the windows follow each other', async (presenter) => {
  const deck = realDecks.find(({ name }) => name === presenter.name)!;
  const url = await service.open(deck.name, 'origin');
  const stage = await Stage.open(browser, url, { isReady: deck.isReady, isFramed: false });
  try {
    await stage.ready();
    const page = await presenter.open(stage);
    const window: Window = { page, shown: presenter.shown, troubles: stage.viewer.troubles };
    const first = new RegExp(presenter.title, 'i');
    await shows(window, first, /the second slide/i);
    await page.keyboard.press('ArrowRight');
    await shows(window, /the second slide/i, /the third slide/i);
    await stage.holds(`location.href.includes(${JSON.stringify(deck.second)})`);
    if (presenter.followsDeck) {
      await stage.viewer.page.bringToFront();
      await stage.press('ArrowLeft');
      await shows(window, first, /the second slide/i);
    }
    expect(stage.troubles()).toEqual(deck.troubles ?? []);
  } finally {
    await stage.leave();
  }
});
