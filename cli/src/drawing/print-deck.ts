import { withDeckPage, type DeckOnDisk } from './deck-page';
import { findTool, hasPrintForm, slidesOf } from './slides';

const WINDOW = { width: 1280, height: 720, scale: 1 };
const MOST_SLIDES = 1_000;

/** The slides of a deck on paper. */
export interface PrintedDeck {
  /** PDF documents, which have the slides in their order. */
  parts: Uint8Array[];
  /** Whether the page got everything that its look depends on. */
  isWhole: boolean;
}

/**
 * Prints the slides of a deck as PDF, each at its last step on a page of 1280 × 720 pixels. The slides of remark are
 * printed by its own styles, because its pages have the text of their neighbours on the screen.
 */
export function printDeck(program: string, deck: DeckOnDisk, signal: AbortSignal): Promise<PrintedDeck> {
  return withDeckPage(program, deck, signal, async (page) => {
    const parts: Uint8Array[] = [];
    await page.load(WINDOW);
    await findTool(page);
    if (await hasPrintForm(page)) parts.push(await page.print('print'));
    else for await (const _slide of slidesOf(page, MOST_SLIDES)) parts.push(await page.print('screen'));
    return { parts, isWhole: page.isWhole };
  });
}
