import { attempt } from '../attempt';
import { goTo, isTakenByDeck, press, setHash, type Shown } from '../slides/move';
import { isTold, moverShown, readShown, toolOf } from '../slides/shown';
import { slideOf, type Reading, type Slide } from '../slides/slide';
import { watchSlides } from '../slides/watch';
import { isSame, type LiveSlide } from './session';

/** How long after a move of this script a change still belongs to it: tools tell their steps late. */
const SETTLE_MS = 400;
/** How long after an input a change is one of the reader. */
const INPUT_MS = 2_000;
const MAX_HASH = 500;
const inputs = ['keydown', 'pointerdown', 'touchstart', 'wheel', 'click'];

/** The deck of this page. */
export interface Deck {
  /** Shows the slide, and then the one that was asked for meanwhile. Resolves with whether the deck shows it. */
  show: (slide: LiveSlide) => Promise<boolean>;
  /** Goes to the next step or slide, or to the previous one, as the person who presents does. */
  walk: (direction: 1 | -1) => void;
  /** The title of a slide; undefined where the deck does not tell it. */
  titleAt: (index: number) => string | undefined;
  /** What the deck shows now. */
  now: () => LiveSlide | undefined;
}

/**
 * Watches the deck: `onMove` gets each change that this script did not make, and whether the reader has just used a
 * key, a pointer or a finger.
 */
export function watchDeck(onMove: (slide: LiveSlide, isByReader: boolean) => void): Deck {
  let current: LiveSlide | undefined;
  let asked: LiveSlide | undefined;
  let last: LiveSlide | undefined;
  let moving: Promise<boolean> | undefined;
  let startedAt = -Infinity;
  let movedAt = -Infinity;
  let inputAt = -Infinity;
  let toldAt = -Infinity;
  /** Whether the reader has used a key, a pointer or a finger just now, and since the last move of this script. */
  const hasInput = () => inputAt > startedAt && performance.now() - inputAt < INPUT_MS;
  const tell = (slide: LiveSlide, isByReader: boolean) => {
    toldAt = performance.now();
    onMove(slide, isByReader);
  };

  for (const name of inputs)
    addEventListener(name, ({ isTrusted }) => isTrusted && (inputAt = performance.now()), {
      capture: true,
      passive: true,
    });
  watchSlides({
    show(slide) {
      current = sentOf(slide);
      const isByReader = hasInput();
      if (isByReader || (!moving && performance.now() - movedAt > SETTLE_MS)) tell(current, isByReader);
    },
    settle() {},
  });

  const showNewest = async (): Promise<boolean> => {
    let isShown = false;
    while (asked) {
      const slide = asked;
      last = slide;
      asked = undefined;
      isShown = await move(slide).catch(() => false);
    }
    moving = undefined;
    movedAt = performance.now();
    setTimeout(lookAgain, SETTLE_MS);
    return isShown;
  };
  /** What the page shows now, also where the watch has not heard of it yet. */
  const read = (): LiveSlide | undefined => {
    const shown = attempt(readShown);
    return shown && sentOf('slides' in shown ? slideOf(shown) : shown);
  };
  /** A reader may have gone back in the middle of a move, to the slide that was told last. */
  const lookAgain = () => {
    const slide = read();
    if (moving || !slide || inputAt < startedAt || toldAt > startedAt) return;
    if (!isSame(slide, last!)) tell((current = slide), true);
  };
  /** Tells a move of the reader of which the watch has not heard yet. Returns whether there is one. */
  const tellMove = (): boolean => {
    const slide = read();
    if (!current || !slide || !hasInput() || isSame(slide, current)) return false;
    tell((current = slide), true);
    return true;
  };
  return {
    show: (slide) => {
      if (tellMove()) return Promise.resolve(false);
      asked = slide;
      startedAt = performance.now();
      return (moving ??= showNewest());
    },
    walk: (direction) => void walk(direction).catch(() => {}),
    titleAt: (index) => {
      const now = readShown();
      return now && 'slides' in now ? now.slides[index]?.title : undefined;
    },
    now: () => current,
  };
}

const sentOf = ({ step, steps, ...slide }: Slide): LiveSlide => {
  const hash = location.hash.slice(1);
  return { ...slide, step: step ?? null, steps: steps ?? null, hash: hash && hash.length <= MAX_HASH ? hash : null };
};

/** A deck that neither a tool made nor tells its slides is moved by its hash, unless it has sections. */
async function move(slide: LiveSlide): Promise<boolean> {
  const now = readShown();
  if (now && ('slides' in now || isTold())) return goToSlide(slide, now);
  const { hash } = location;
  const wanted = slide.hash === null ? '' : `#${slide.hash}`;
  if (hash || wanted) {
    if (hash !== wanted) setHash(wanted || '#');
    return location.hash === wanted;
  }
  return (await isTakenByDeck({ index: slide.index, step: slide.step ?? 0 })) && isTold();
}

async function goToSlide(slide: LiveSlide, now: Shown): Promise<boolean> {
  const index = 'slides' in now ? placeOf(slide, now) : slide.index;
  // A presenter who scrolls through the slides sees all of their steps.
  const shown = await goTo(readShown, moverShown(), { index, step: slide.step ?? Infinity });
  return shown?.index === index;
}

/** The position of the slide by its key: the decks of two people may be of two versions. */
function placeOf({ key, index }: LiveSlide, now: Reading): number {
  const isAt = (at: number) => slideOf({ ...now, index: at }).key === key;
  if (index < now.slides.length && isAt(index)) return index;
  const found = now.slides.findIndex((_, at) => isAt(at));
  return found < 0 ? Math.min(index, now.slides.length - 1) : found;
}

async function walk(direction: 1 | -1): Promise<void> {
  const now = readShown();
  if (!now || !(toolOf() ?? isTold())) return press(direction);
  const { index, step = 0, steps = 0 } = now;
  const isInSlide = direction > 0 ? step < steps : step > 0;
  const count = 'slides' in now ? now.slides.length : (now.count ?? Infinity);
  const at = isInSlide ? index : index + direction;
  if (at < 0 || at >= count) return;
  const to = isInSlide ? step + direction : direction > 0 ? 0 : Infinity;
  await goTo(readShown, moverShown(), { index: at, step: to });
}
