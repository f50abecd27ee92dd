import { attempt } from './attempt';
import { goTo, moverOf, bySelf } from './slides/move';
import { page } from './slides/page';
import { said } from './slides/said';
import { slideOf, type Slide } from './slides/slide';
import { remark, tools } from './slides/tools';

/**
 * For programs that draw the slides of a deck. It is the first script of the page, and the program calls it as
 * `self[Symbol.for('deck driver')]`. It finds and names the slides with the code that runs in the decks of viewers.
 */
const driver = {
  /** Whether the page shows its slides as a known tool does, or tells them itself. */
  isKnown: () => Boolean(told ?? toolOf()),
  /** Whether the tool prints each slide once, and without the text of other slides. */
  hasPrintForm: () => toolOf() === remark,
  /** How many slides the page has: a page without slides is one. */
  count: () => {
    const now = read();
    return (now && 'slides' in now ? now.slides.length : now?.count) ?? 1;
  },
  /**
   * Shows a slide at its last step, where what moves has ended: the end of an animation is what viewers look at. Undefined
   * when the page does not show the slide. A tool may take its step back when its transition ends: call it again.
   */
  show: async (index: number): Promise<Pick<Slide, 'key' | 'title'> | undefined> => {
    const shown = await goTo(read, told ? bySelf : moverOf(toolOf() ?? page), { index, step: Infinity });
    for (const animation of document.getAnimations()) attempt(() => end(animation));
    if (!shown) return undefined;
    const { key, title } = 'slides' in shown ? slideOf(shown) : shown;
    return { key, title };
  },
  /** Lets the tool show its slides one by one, and hides what it shows beside them. */
  begin: () => {
    moverOf(toolOf() ?? page).begin?.();
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(`${CONTROLS} { display: none !important }`);
    document.adoptedStyleSheets.push(sheet);
  },
};

const CONTROLS =
  ':is(.bespoke-marp-osc,.reveal .controls,.reveal .progress,#slidev-goto-dialog,.spectacle-fullscreen-button,' +
  '#webslides #navigation,#webslides ~ #navigation,.pdf-pages ~ *)';

let told: Slide | undefined;
addEventListener('deck:slide', (event) => attempt(() => (told = said(event) ?? told)), true);

const end = (animation: Animation) =>
  Number.isFinite(animation.effect!.getComputedTiming().endTime) ? animation.finish() : animation.pause();
const toolOf = () => tools.find((each) => attempt(each));
const read = () => told ?? attempt(() => (toolOf() ?? page)());

Object.defineProperty(self, Symbol.for('deck driver'), { value: driver });
