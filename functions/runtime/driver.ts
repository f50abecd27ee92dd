import { attempt } from './attempt';
import { goTo } from './slides/move';
import { isTold, moverShown, readShown, toolOf } from './slides/shown';
import { slideOf, type Slide } from './slides/slide';
import { remark } from './slides/tools';

/**
 * For programs that draw the slides of a deck. It is the first script of the page, and the program calls it as
 * `self[Symbol.for('deck driver')]`. It finds and names the slides with the code that runs in the decks of viewers.
 */
const driver = {
  /** Whether the page shows its slides as a known tool does, or tells them itself. */
  isKnown: () => isTold() || toolOf() !== undefined,
  /** Whether the tool prints each slide once, and without the text of other slides. */
  hasPrintForm: () => toolOf() === remark,
  /** How many slides the page has: a page without slides is one. */
  count: () => {
    const now = readShown();
    return (now && 'slides' in now ? now.slides.length : now?.count) ?? 1;
  },
  /**
   * Shows a slide at its last step, where what moves has ended: the end of an animation is what viewers look at.
   * Undefined when the page does not show the slide. A tool may take its step back when its transition ends: call it
   * again, until the page has not moved since the call before.
   */
  show: async (index: number): Promise<(Pick<Slide, 'key' | 'title'> & { hasMoved: boolean }) | undefined> => {
    const before = readShown();
    const shown = await goTo(readShown, moverShown(), { index, step: Infinity });
    for (const animation of document.getAnimations()) attempt(() => end(animation));
    if (!shown) return undefined;
    const { key, title } = 'slides' in shown ? slideOf(shown) : shown;
    return { key, title, hasMoved: before?.index !== shown.index || before.step !== shown.step };
  },
  /** Lets the tool show its slides one by one, and hides what it shows beside them. */
  begin: () => {
    moverShown().begin?.();
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(`${CONTROLS} { display: none !important }`);
    document.adoptedStyleSheets.push(sheet);
  },
};

const CONTROLS =
  ':is(.bespoke-marp-osc,.reveal .controls,.reveal .progress,#slidev-goto-dialog,.spectacle-fullscreen-button,' +
  '#webslides #navigation,#webslides ~ #navigation,.pdf-pages ~ *)';

const end = (animation: Animation) =>
  Number.isFinite(animation.effect!.getComputedTiming().endTime) ? animation.finish() : animation.pause();

Object.defineProperty(self, Symbol.for('deck driver'), { value: driver });
