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
/** Springs of scripts move by less than a colour in a frame. */
const STILL_MS = 100;
/** What moves by itself may never rest. */
const REST_MS = 2_500;

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
    if (slide) yield { ...slide, picture: await atRest(page, index) };
  }
}

/** Waits until the tool of the page has started, or until it is likely that the page has none. */
export async function findTool(page: DeckPage): Promise<void> {
  const isKnown = () => page.evaluate(`${DRIVER}.isKnown()`);
  for (let waited = 0; waited < SEARCH_MS && !(await isKnown()); waited += LOOK_MS) await pause(LOOK_MS);
}

/** Whether the tool has styles for paper that print each slide once, and better than its screen. */
export const hasPrintForm = async (page: DeckPage) => (await page.evaluate(`${DRIVER}.hasPrintForm()`)) === true;

/** The picture of a slide, after all that moves has come to rest, or after 2.5 seconds. */
async function atRest(page: DeckPage, index: number): Promise<Buffer> {
  const startedAt = performance.now();
  for (let before: Buffer | undefined; ; await pause(STILL_MS)) {
    await show(page, index);
    const picture = await page.picture();
    if (before?.equals(picture) || performance.now() - startedAt > REST_MS) return picture;
    before = picture;
  }
}

const show = (page: DeckPage, index: number) =>
  page.evaluate(`${DRIVER}.show(${index})`) as Promise<Pick<DrawnSlide, 'key' | 'title'> | undefined>;
