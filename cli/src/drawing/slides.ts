import { setTimeout as pause } from 'node:timers/promises';
import type { DeckPage } from './deck-page';

/** A slide, and how the insights of the deck name it. */
interface DrawnSlide {
  key: string;
  title: string;
  /** WebP, in the size of the window. */
  picture: Buffer;
}

/** A tool may start after the page has loaded. */
const SEARCH_MS = 1_000;
const LOOK_MS = 50;
/**
 * Springs of scripts move by less than a colour in a frame. On a busy computer 100 ms may have no frame, and a script
 * may begin to draw a step some frames later: a page is idle when it has begun.
 */
const FRAMES = `new Promise((done) => {
  const wait = (frames) => (frames > 0 ? requestAnimationFrame(() => wait(frames - 1)) : done());
  requestIdleCallback(() => wait(6), { timeout: 1000 });
})`;
/**
 * What moves by itself may never rest: some 2.5 seconds, and a second more for each picture where the page is never
 * idle.
 */
const MOST_PICTURES = 16;

const DRIVER = `self[Symbol.for('deck driver')]`;

/**
 * Shows the slides of a loaded page one after another, each at its last step and without the controls of its tool.
 * Yields each while the page shows it. Slides that the page does not show are left out, and those after the first
 * `most`.
 */
export async function* slidesOf(page: DeckPage, most: number): AsyncGenerator<DrawnSlide> {
  await page.evaluate(`${DRIVER}.begin()`);
  const count = Math.min(Number(await page.evaluate(`${DRIVER}.count()`)) || 1, most);
  for (let index = 0; index < count; index++) {
    const slide = await show(page, index);
    if (slide) yield { key: slide.key, title: slide.title, picture: await atRest(page, index) };
  }
}

/** Waits until the tool of the page has started, or until it is likely that the page has none. */
export async function findTool(page: DeckPage): Promise<void> {
  const isKnown = () => page.evaluate(`${DRIVER}.isKnown()`);
  for (let waited = 0; waited < SEARCH_MS && !(await isKnown()); waited += LOOK_MS) await pause(LOOK_MS);
}

/** Whether the tool has styles for paper that print each slide once, and better than its screen. */
export const hasPrintForm = async (page: DeckPage) => (await page.evaluate(`${DRIVER}.hasPrintForm()`)) === true;

/**
 * The picture of a slide, after all that moves has come to rest, or the last of some pictures. A tool may go back
 * meanwhile. Once it was asked again, a picture from before says nothing about rest.
 */
async function atRest(page: DeckPage, index: number): Promise<Buffer> {
  let before: Buffer | undefined;
  for (let taken = 1; ; taken++) {
    const picture = await page.picture();
    if (before?.equals(picture) || taken === MOST_PICTURES) return picture;
    await page.evaluate(FRAMES);
    const shown = await show(page, index);
    before = shown?.hasMoved ? undefined : picture;
  }
}

const show = (page: DeckPage, index: number) =>
  page.evaluate(`${DRIVER}.show(${index})`) as Promise<
    (Pick<DrawnSlide, 'key' | 'title'> & { hasMoved: boolean }) | undefined
  >;
