import type { Frame } from 'playwright-core';
import type { Deck } from '../support/world';
import { until } from './browser';
import { handmadeDeck } from './decks';
import { filesOf } from './small-decks';
import type { Stage } from './stage';

/** A deck that was made by hand, for the tests of a suite. It is open when all of its parts have run. */
export function handmadeOn(stage: Stage) {
  let deck: Deck;
  beforeAll(async () => {
    deck = await stage.aDeck(filesOf(await handmadeDeck()));
  });

  async function open(url = deck.shareUrl): Promise<Frame> {
    const frame = await stage.viewer.openForKeys(url);
    await until(frame, 'window.outcome?.done');
    return frame;
  }

  return { open, openAlone: () => open(stage.world.viewUrl(deck, 'slides/index.html')) };
}
