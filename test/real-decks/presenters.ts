import type { Frame, Page } from 'playwright-core';
import { deckNamed, type Setting } from './setting';
import { eventually, type Stage } from './stage';

interface Presenter {
  deck: string;
  form: 'origin' | 'framed';
  /** Opens the presenter's window. */
  open: (stage: Stage) => Promise<Page>;
  /** JavaScript: the slides that a frame of a window shows. */
  shown: string;
  /** What the frames of the presenter's window show when they have loaded. */
  first: RegExp;
  /** Whether the deck's window follows the presenter's, and the presenter's window follows the deck's. */
  deckFollows: boolean;
  presenterFollows: boolean;
}

const byKey = (key: string) => async (stage: Stage) => {
  const opened = stage.viewer.context.waitForEvent('page');
  await stage.press(key);
  return opened;
};

const byAddress = (of: (address: URL) => URL) => async (stage: Stage) => {
  const page = await stage.viewer.context.newPage();
  await page.goto(of(new URL(stage.viewer.page.url())).href);
  return page;
};

const reveal = {
  deck: 'reveal',
  open: byKey('s'),
  shown: `window.Reveal?.isReady() ? Reveal.getCurrentSlide().innerText : ''`,
};
const marp = {
  deck: 'marp',
  open: byKey('p'),
  shown: `document.querySelector('.bespoke-marp-active')?.textContent ?? ''`,
  first: /The first slide.*The second slide/s,
};
const slidev = { shown: `document.body.innerText`, first: /The first slide.*The second slide/s };

export const presenters: Presenter[] = [
  {
    ...reveal,
    form: 'origin',
    // The frame of the next slide stays on the first one when it loads later than the other frame, here as under any
    // server: reveal.js tells it the slide only once. It is right from the next key on.
    first: /\| reveal\.js \| \S/i,
    deckFollows: true,
    presenterFollows: true,
  },
  { ...marp, form: 'origin', deckFollows: true, presenterFollows: true },
  {
    ...slidev,
    deck: 'slidev',
    form: 'origin',
    open: byAddress((address) => new URL('/presenter/1', address)),
    deckFollows: true,
    presenterFollows: false,
  },
  // Windows of an opaque origin share neither storage nor channels.
  { ...marp, form: 'framed', deckFollows: false, presenterFollows: false },
  {
    ...slidev,
    deck: 'slidev-relative',
    form: 'framed',
    open: byAddress((address) => new URL('#/presenter/1', address)),
    deckFollows: false,
    presenterFollows: false,
  },
];

export function testPresenters(setting: Setting, form: 'origin' | 'framed'): void {
  const cases = presenters.filter((presenter) => presenter.form === form);
  test.each(cases)('$deck, $form: the presenter sees two slides', (presenter) => seesTwoSlides(setting, presenter));
  if (form === 'framed') testBlankSpeakerView(setting);
}

/** Waits until the frames of a window, which the deck of a stage opened, show these slides. */
export async function windowShows(stage: Stage, page: Page, shown: string, slides: RegExp): Promise<void> {
  const textIn = (frame: Frame) => frame.evaluate<string>(shown).catch(() => '');
  let seen = '';
  await eventually(
    async () => slides.test((seen = (await Promise.all(page.frames().map(textIn))).join(' | '))),
    () => `${page.url()} shows ${seen}. ${JSON.stringify(stage.viewer.troubles)}`,
  );
}

function seesTwoSlides(setting: Setting, presenter: Presenter): Promise<void> {
  const { shown, first, deckFollows, presenterFollows } = presenter;
  const deck = deckNamed(presenter.deck);
  return setting.onStage(deck, presenter.form, async (stage) => {
    const shows = (page: Page, slides: RegExp) => windowShows(stage, page, shown, slides);
    await stage.ready();
    const before = stage.frame.url();
    const page = await presenter.open(stage);
    await shows(page, first);
    await page.keyboard.press('ArrowRight');
    await shows(page, /the second slide.*the third slide/is);
    if (deckFollows) await stage.holds(`location.href.includes(${JSON.stringify(deck.second)})`);
    else expect(stage.frame.url()).toBe(before);
    if (presenterFollows) {
      await stage.viewer.page.bringToFront();
      await stage.press('ArrowLeft');
      await shows(page, new RegExp(`${deck.name}.*the second slide`, 'is'));
    }
    expect(stage.troubles()).toEqual(deck.troubles ?? []);
  });
}

/** reveal.js writes into the window that it opens. Two opaque origins may not touch each other's windows. */
function testBlankSpeakerView(setting: Setting): void {
  test('reveal, framed: the window of the presenter stays blank', () =>
    setting.onStage(deckNamed('reveal'), 'framed', async (stage) => {
      await stage.ready();
      const page = await reveal.open(stage);
      await eventually(
        async () => stage.troubles().length === 1,
        () => JSON.stringify(stage.troubles()),
      );
      expect(stage.troubles()).toEqual([expect.stringContaining('Sandbox access violation')]);
      expect(await page.evaluate('document.body.innerText')).toBe('');
    }));
}
