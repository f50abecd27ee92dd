import type { Page } from 'playwright-core';
import { presenters, windowShows } from './presenters';
import { deckNamed, type Setting } from './setting';
import { decksWithSlides } from './slides';
import { eventually, onStages, Stage } from './stage';

/** The badge of a presenter says other things than that of a reader. */
const HIDE_BADGE = `document.querySelector('deck-live')?.style.setProperty('display', 'none', 'important')`;

async function pictureOf(stage: Stage): Promise<Buffer> {
  await stage.frame.evaluate(HIDE_BADGE);
  return stage.picture();
}

/** In a live session, the deck of each tool goes where the presenter goes, with the steps of its slides. */
export function testLive(setting: Setting, form: 'origin' | 'framed'): void {
  const decks = decksWithSlides
    .map(([name]) => deckNamed(name))
    .filter(({ differences }) => !differences?.[form]?.isBlank);
  test.each(decks)('$name: the deck of a reader follows the presenter', async ({ name, isReady, first = [] }) => {
    const { presenterUrl, audienceUrl } = await setting.startLive(name);
    const options = { isReady, isFramed: form === 'framed' };
    await onStages(setting.browser, [presenterUrl, audienceUrl], options, async (stages) => {
      const [presenter, reader] = stages as [Stage, Stage];
      const follows = async (what: string) =>
        eventually(
          async () => setting.pictures.areSame(await pictureOf(presenter), await pictureOf(reader)),
          () => `${name}: the reader is not where the presenter is, ${what}.`,
        );
      await Promise.all([presenter.ready(), reader.ready()]);
      for (const stage of [reader, presenter]) await stage.holds(`Boolean(document.querySelector('deck-live'))`);
      await presenter.viewer.page.bringToFront();
      for (const key of first) await presenter.press(key);
      await follows('at the beginning');
      let last = await pictureOf(presenter);
      for (const key of ['ArrowRight', 'ArrowRight', 'ArrowLeft']) {
        await presenter.press(key);
        await eventually(
          async () => !(await setting.pictures.areSame(last, (last = await pictureOf(presenter)))),
          () => `${name}: ${key} moves nothing.`,
        );
        await follows(`after ${key}`);
        last = await pictureOf(presenter);
      }
    });
  });
}

/** Slidev turns a window into its speaker view: a second window of the presenter. */
const slidev = {
  deck: 'slidev',
  open: async ({ viewer }: Stage, presenterUrl: string): Promise<Page> => {
    const page = await viewer.context.newPage();
    await page.goto(presenterUrl);
    await page.getByTitle('Presenter Mode').click();
    return page;
  },
  shown: 'location.pathname',
  slides: ['/presenter/1', '/presenter/2', '/presenter/3'].map((path) => new RegExp(path)),
};
const speakers = [
  ...presenters
    .filter(({ deck, form }) => /^(reveal|marp)$/.test(deck) && form === 'origin')
    .map((each) => ({
      ...each,
      slides: [each.first, /the second slide.*the third slide/is, /^(?!.*second).*third/is],
    })),
  slidev,
];

/** The speaker view of a tool moves the deck of the presenter, and so the audience. A phone moves all of them. */
export function testLiveSpeakers(setting: Setting): void {
  test.each(speakers)('$deck: the speaker view leads the audience', async ({ deck, open, shown, slides }) => {
    const { isReady, second = '' } = deckNamed(deck);
    const { presenterUrl, audienceUrl } = await setting.startLive(deck);
    const stages = await Promise.all([
      Stage.open(setting.browser, presenterUrl, { isReady, isFramed: false }),
      Stage.open(setting.browser, audienceUrl, { isReady, isFramed: false }),
      Stage.open(setting.browser, presenterUrl, { isReady, isFramed: false, isPhone: true }),
    ]);
    const [presenter, reader, phone] = stages;
    try {
      for (const stage of stages) await stage.holds(`Boolean((${isReady}) && document.querySelector('deck-live'))`);
      await presenter.ready();
      const speaker = await open(presenter, presenterUrl);
      const speakerShows = (slide: RegExp) => windowShows(presenter, speaker, shown, slide);
      const allShow = async (index: number) => {
        await speakerShows(slides[index]!);
        const address = second.replace(/\d/, (number) => `${+number + index - 1}`);
        for (const stage of [presenter, reader])
          await stage.holds(`location.href.includes(${JSON.stringify(address)})`);
      };
      await speakerShows(slides[0]!);
      await speaker.bringToFront();
      for (const [key, index] of [
        ['ArrowRight', 1],
        ['ArrowRight', 2],
        ['ArrowLeft', 1],
      ] as const) {
        await speaker.keyboard.press(key);
        await allShow(index);
      }
      await phone.viewer.page.getByRole('button', { name: 'Next', exact: true }).tap();
      await allShow(2);
    } finally {
      await Promise.all(stages.map((stage) => stage.leave()));
    }
  });
}
