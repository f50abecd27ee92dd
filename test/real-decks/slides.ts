import { Reader, type Known } from '../browser/reader';
import { deckNamed, type Setting } from './setting';
import { eventually } from './stage';

const titles = (first: string) => [first, 'The second slide', 'The third slide'];

/** The keys of the slides that the runtime makes, where they are not the titles, and the titles. */
export const decksWithSlides: [name: string, titles: string[], keys?: string[]][] = [
  ['reveal', titles('reveal.js')],
  ['impress', ['impress.js', 'The second step', 'The third step'], ['#first', '#second', '#third']],
  ['slidev', titles('Slidev')],
  ['slidev-relative', titles('Slidev')],
  ['marp', titles('Marp')],
  ['bespoke', titles('bespoke')],
  ['shower', titles('The first slide'), ['#first', '#second', '#third']],
  ['remark', titles('remark')],
  ['webslides', titles('WebSlides')],
  ['spectacle', titles('Spectacle')],
];

/** Reads each deck on a known path, and expects that the beacons tell it exactly. */
export function testSlides(setting: Setting): void {
  /** Opens the deck in a browser whose clock stands at second `start` when the reader begins to read. */
  async function read(name: string, start: number, path: (reader: Reader) => Promise<void>): Promise<Known> {
    const { isReady, first = [] } = deckNamed(name);
    const url = await setting.addressOf(name, 'origin');
    const reader = await Reader.arrive(setting.browser);
    try {
      await reader.page.goto(url);
      const isShown = async () => {
        await reader.pass(0.02);
        return reader.page.evaluate<boolean>(`document.readyState === 'complete' && Boolean(${isReady})`);
      };
      await eventually(isShown, () => `${name} shows no slide.`);
      await reader.press(...first);
      await reader.passUntil(start);
      await path(reader);
      return await reader.known();
    } finally {
      await reader.leave();
    }
  }

  test.each(decksWithSlides)(
    '%s: the beacons tell which slides were seen, for how long, how often, and the last',
    async (name, [one, two, three], keys = [one!, two!, three!]) => {
      const known = await read(name, 12, async (reader) => {
        await reader.press('ArrowRight');
        await reader.pass(5);
        await reader.press('ArrowRight');
        await reader.pass(20);
        await reader.press('ArrowLeft');
        await reader.pass(3);
      });
      expect(known).toEqual({
        sequence: 2,
        seconds: 40,
        hasInput: true,
        slideCount: 3,
        current: keys[1],
        slides: [
          [keys[0], one, 0, 12, 1],
          [keys[1], two, 1, 8, 2],
          [keys[2], three, 2, 20, 1],
        ],
      });
    },
  );

  test('vite-react: a page without a tool, a hash and sections is one slide', async () => {
    const { slides, slideCount } = await read('vite-react', 12, (reader) => reader.press('ArrowRight'));
    expect([slideCount, slides]).toEqual([1, [['#1', 'Vite and React', 0, 12, 1]]]);
  });
}
