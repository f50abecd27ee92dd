import { withDeckPage, type DeckOnDisk, type DeckPage } from './deck-page';

const SIZE = { width: 1200, height: 630, scale: 1 };
/** A drawing that takes longer is given up. */
const PATIENCE_MS = 15_000;

/**
 * The first slide of the deck as WebP, 1200 × 630. Undefined when the page asks other hosts for scripts or style sheets:
 * without them it is not what viewers see. Rejects with `BrowserNotStarted`, and when the browser fails or takes longer
 * than 15 seconds. `signal` ends it early.
 */
export function drawCover(program: string, deck: DeckOnDisk, signal: AbortSignal): Promise<Buffer | undefined> {
  return withDeckPage(program, deck, AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)]), coverOf);
}

async function coverOf(page: DeckPage): Promise<Buffer | undefined> {
  await page.load(SIZE);
  const picture = await page.picture();
  return page.isWhole ? picture : undefined;
}
