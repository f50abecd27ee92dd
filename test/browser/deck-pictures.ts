import { showSlides, slide, type SentSlide } from '../support/pictures';
import { page, type Deck } from '../support/world';
import { until } from './browser';
import type { Stage } from './stage';

/** The picture of a slide: a bar, whose left edge is at `left`. */
export const drawn = (key: string, left: number): SentSlide => ({
  key,
  title: key.toUpperCase(),
  bytes: slide(left),
});

/** What tests of the pictures of a deck do. */
export const picturesOn = (stage: Stage) => ({
  show: ({ presentationId }: Deck, version: number, slides: SentSlide[]) =>
    showSlides(stage.owner, presentationId, version, slides, stage.world),
  pushed: () => stage.world.aPushedDeck(stage.owner, [page()], 'Quarterly results'),
  isShown: (selector: string) => until(stage.page, `document.querySelector('${selector}')?.naturalWidth > 0`),
});
