import { deckNamed, type Setting } from './setting';
import { decksWithSlides } from './slides';
import { eventually, Stage } from './stage';

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
    const [presenter, reader] = await Promise.all([
      Stage.open(setting.browser, presenterUrl, options),
      Stage.open(setting.browser, audienceUrl, options),
    ]);
    const follows = async (what: string) =>
      eventually(
        async () => setting.pictures.areSame(await pictureOf(presenter), await pictureOf(reader)),
        () => `${name}: the reader is not where the presenter is, ${what}.`,
      );
    try {
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
    } finally {
      await Promise.all([presenter.leave(), reader.leave()]);
    }
  });
}
