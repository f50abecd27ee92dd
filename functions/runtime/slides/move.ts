import { all } from './by-class';
import { numberIn } from './names';
import { page, pageSections, sectionInView } from './page';
import type { Adapter, Reading, Slide } from './slide';
import { slidev, slidevNav } from './slidev';
import { spectacle } from './spectacle';
import { bespoke, impress, marp, pdf, remark, reveal, REVEAL_SCROLLED, revealSlides, shower, webslides } from './tools';

/** What an adapter read of the slide that is shown. Both forms have its position and its step. */
export type Shown = Reading | Slide;

/** Moves a deck, as its tool does for a reader. Positions and steps count from 0. */
export interface Mover {
  /** Asks the tool to show its slides one by one. */
  begin?: () => void;
  /** Asks for another slide; `step` is the one that is asked for next, which a tool may take at once. */
  slide: (index: number, now: Shown, step: number) => unknown;
  /** Asks for another step of the slide that is shown. */
  step?: (step: number, now: Shown) => unknown;
}

/** How long a tool may take to show what it is asked for. */
const PATIENCE_MS = 3_000;
const LOOK_MS = 20;
/** How long a page may take to follow its hash. */
const HASH_MS = 300;

const pause = (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds));

/**
 * Shows a slide at a step; `Infinity` is the last one. Resolves with what `read` reads then. Undefined when the deck
 * does not show the slide within 3 seconds.
 */
export async function goTo(
  read: () => Shown | undefined,
  mover: Mover,
  { index, step }: { index: number; step: number },
): Promise<Shown | undefined> {
  let now = await reached(read, () => true);
  // What shows all slides and no steps, such as a list, becomes a show.
  if (now && (now.index !== index || (now.step === undefined && Number.isFinite(step)))) {
    await mover.slide(index, now, step);
    now = await reached(read, (reading) => reading.index === index);
  }
  // A tool may know the steps of a slide only while it shows the slide, and finds some of them later.
  for (let told = -1; now;) {
    const wanted = Math.min(step, now.steps ?? 0);
    if (!mover.step || now.step === undefined || now.step === wanted || wanted === told) return now;
    told = wanted;
    await mover.step(wanted, now);
    now = (await reached(read, (reading) => reading.step === wanted)) ?? read();
  }
  return undefined;
}

/** Waits until the deck shows what is asked for, or until it has had its time. */
async function reached(read: () => Shown | undefined, isAsked: (now: Shown) => boolean): Promise<Shown | undefined> {
  for (const startedAt = performance.now(); performance.now() - startedAt < PATIENCE_MS; await pause(LOOK_MS)) {
    const now = read();
    if (now && isAsked(now)) return now;
  }
  return undefined;
}

const say = (message: string) => postMessage(message, '*');

/** Changes the address without a new page, and tells the tool as the buttons of the browser do. */
function address(to: string): void {
  history.replaceState(history.state, '', to);
  dispatchEvent(new PopStateEvent('popstate', { state: history.state as unknown }));
}

/** Presses an arrow key as often as the number says, to the left when it is negative. */
export function press(times: number): void {
  const target = document.querySelector('.shower') ?? document.body;
  const [key, keyCode] = times < 0 ? ['ArrowLeft', 37] : ['ArrowRight', 39];
  const init = { key, code: key, keyCode, which: keyCode, bubbles: true, cancelable: true };
  for (let i = 0; i < Math.abs(times); i++) target.dispatchEvent(new KeyboardEvent('keydown', init));
}

/** Changes the hash without an entry of the browser's history for each slide. */
export const setHash = (hash: string) => location.replace(location.href.replace(/(#.*)?$/s, () => hash));

/** Replaces the number in the hash, or leads to the id when the hash has none. */
function hashTo(index: number, id = ''): void {
  const number = location.hash.replace(/\d+(?!.*\d)/, `${index + 1}`);
  const isNumbered = numberIn(location.hash.slice(1)) !== undefined;
  setHash(isNumbered ? number : `#${id || index + 1}`);
}

const inReveal: Mover = {
  slide: (index) => toReveal(index, -1),
  step: (step, { index }) => toReveal(index, step - 1),
};
function toReveal(index: number, fragment: number): void {
  const go = (...args: number[]) => say(JSON.stringify({ method: 'slide', args }));
  const scrolled = all(REVEAL_SCROLLED)[index];
  if (scrolled) return go(...['h', 'v'].map((axis) => Number(scrolled.getAttribute(`data-index-${axis}`))));
  const slide = revealSlides()[index]!;
  const column = slide.parentElement!.closest('section');
  const places = [...all('.reveal .slides > section').entries()];
  const h = places.find(([, each]) => each === (column ?? slide))?.[0] ?? 0;
  const v = column ? all(':scope > section', column).indexOf(slide) : 0;
  go(h, v, fragment);
}

/** A step hides its parts when it is entered, after the transition of about a second, which is left out. */
const inImpress: Mover = {
  slide: (index) =>
    new Promise<unknown>((resolve) => {
      const { id } = all('#impress .step')[index]!;
      addEventListener('impress:stepenter', resolve, { once: true, capture: true });
      setTimeout(resolve, PATIENCE_MS);
      impressApi().goto(id, 0);
    }),
  step: (step, { step: now = 0 }) => {
    for (let i = now; i < step; i++) impressApi().next();
    for (let i = now; i > step; i--) impressApi().prev();
  },
};
interface Impress {
  goto: (id: string, milliseconds: number) => void;
  next: () => void;
  prev: () => void;
}
const impressApi = () => (self as unknown as { impress: () => Impress }).impress();

const inSlidev: Mover = {
  slide: (index) => slidevNav()!.go(index + 1, 0),
  step: (step, { index }) => slidevNav()!.go(index + 1, step),
};

const inMarp: Mover = {
  slide: (index) => address(`#${index + 1}`),
  step: (step, { index }) => address(`?f=${step}#${index + 1}`),
};

/** A deck without an address for each slide hears keys. */
const inBespoke: Mover = {
  slide: (index, now) => (location.hash ? hashTo(index, all('.bespoke-slide')[index]?.id) : walk(index, now)),
  step: (step, { step: now = 0 }) => press(step - now),
};

/** It begins with a list of all slides. It numbers those without an id. */
const inShower: Mover = {
  begin: () => toShower(0),
  slide: toShower,
  step: (step, { step: now = 0 }) => press(step - now),
};
/** The show begins with the slide that is active in the list. */
function toShower(index: number): void {
  const { id } = all('.shower .slide')[index]!;
  for (const mode of ['', '?full']) address(`${mode}#${id}`);
}

const inRemark: Mover = { slide: (index) => say(`gotoSlide:${index + 1}`) };

const inWebslides: Mover = {
  slide: (index) => setHash(`#slide=${index + 1}`),
};

const inPdf: Mover = { slide: (index) => hashTo(index) };

/** Two addresses before React has drawn the first one would follow each other for ever. */
const inSpectacle: Mover = {
  slide: (index, _now, step) => address(`?slideIndex=${index}&stepIndex=${Number.isFinite(step) ? step : 'final'}`),
  step: (step, { index }) => address(`?slideIndex=${index}&stepIndex=${step}`),
};

/** Scrolls, and then changes the hash, and then presses keys when the page does not show the section. */
const inPage: Mover = {
  slide: async (index, now) => {
    const sections = pageSections() ?? [];
    const isShown = () => sectionInView(sections)?.index === index;
    sections[index]?.scrollIntoView({ behavior: 'instant' });
    if (isShown()) return;
    hashTo(index, sections[index]?.id);
    await pause(HASH_MS);
    if (!isShown()) walk(index, now);
  },
};

/**
 * A deck that tells its slides itself may be moved by events; else it may write its slides into its address; else it
 * hears keys.
 */
export const bySelf: Mover = {
  slide: async (index, now) => {
    if (await isTakenByDeck({ index, step: 0 })) return;
    if (location.hash) hashTo(index);
    else walk(index, now);
  },
  step: (step, { index }) => isTakenByDeck({ index, step }),
};

/** Asks the deck for a slide. Resolves with whether it then tells one. */
export const isTakenByDeck = (detail: { index: number; step: number }): Promise<boolean> =>
  new Promise((resolve) => {
    addEventListener('deck:slide', () => resolve(true), { once: true, capture: true });
    setTimeout(() => resolve(false), HASH_MS);
    document.dispatchEvent(new CustomEvent('deck:go', { detail, bubbles: true }));
  });

/** Presses keys until the slides and their steps are passed. */
function walk(index: number, { index: now, step = 0, steps = 0 }: Shown): void {
  press(index < now ? index - now - step : index - now + steps - step);
}

const movers = new Map<Adapter, Mover>([
  [reveal, inReveal],
  [impress, inImpress],
  [slidev, inSlidev],
  [marp, inMarp],
  [bespoke, inBespoke],
  [shower, inShower],
  [remark, inRemark],
  [webslides, inWebslides],
  [spectacle, inSpectacle],
  [pdf, inPdf],
  [page, inPage],
]);

/** How the decks of the adapter are moved. */
export const moverOf = (adapter: Adapter): Mover => movers.get(adapter)!;
