import { MAX_PICTURE_BYTES, MAX_PICTURES, type SlidePicture } from '../../../client/src/push/slide-pictures';
import { withDeckPage, type DeckOnDisk, type DeckPage } from './deck-page';
import { findTool, slidesOf } from './slides';

const COVER = { width: 1200, height: 630, scale: 1 };
const SLIDE = { width: 1280, height: 720, scale: 0.5 };
/** A picture for link previews that takes longer is given up. */
const COVER_MS = 15_000;
/** The quality of a picture that would be too large: of a photo, or of noise. */
const LOW_QUALITY = 40;

/** The pictures of a deck, while they are drawn. */
export interface Drawing {
  /**
   * The first slide as WebP, 1200 × 630. Undefined when it was not asked for, when the page asks other hosts for
   * scripts or style sheets, and when the drawing fails or takes longer than 15 seconds.
   */
  cover: Promise<Buffer | undefined>;
  /** The slides that are drawn by now, by their keys. */
  slides: ReadonlyMap<string, SlidePicture>;
  /** Resolves when all slides are drawn, and rejects when the browser fails or `signal` aborts. */
  done: Promise<void>;
}

/** Draws the slides of a deck as WebP, 640 × 360, each at its last step. None of a page that is not whole. */
export function drawDeck(
  program: string,
  deck: DeckOnDisk,
  { hasCover, signal }: { hasCover: boolean; signal: AbortSignal },
): Drawing {
  const slides = new Map<string, SlidePicture>();
  let giveCover!: (cover: Buffer | undefined) => void;
  const cover = new Promise<Buffer | undefined>((resolve) => (giveCover = resolve));
  const late = hasCover ? setTimeout(giveCover, COVER_MS) : undefined;
  const done = withDeckPage(program, deck, signal, async (page) => {
    if (hasCover) giveCover(await drawCover(page));
    await page.load(SLIDE);
    await findTool(page);
    if (!page.isWhole) return;
    for await (const { key, title, picture } of slidesOf(page, MAX_PICTURES)) {
      const bytes = picture.length > MAX_PICTURE_BYTES ? await page.picture(LOW_QUALITY) : picture;
      // A deck that names its slides itself may name two alike.
      if (bytes.length <= MAX_PICTURE_BYTES && !slides.has(key)) {
        slides.set(key, { key, title, bytes, contentType: 'image/webp' });
      }
    }
  }).finally(() => {
    clearTimeout(late);
    giveCover(undefined);
  });
  return { cover, slides, done };
}

async function drawCover(page: DeckPage): Promise<Buffer | undefined> {
  await page.load(COVER);
  const picture = await page.picture();
  return page.isWhole ? picture : undefined;
}
