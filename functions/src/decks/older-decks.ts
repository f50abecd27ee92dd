import { currentContext } from '../context';
import { thumbnails } from '../policy/deck-pictures';
import { findFiles } from '../records/manifests';
import { DECK_RENEWAL, setMarketplaceState, type MarketplaceState } from '../records/marketplace-state';
import { allDecks, completeDeck, findDeck, type CheckedDeck } from '../records/older-decks';
import { pictureIn } from '../records/versions';
import { olderRecords } from './older-records';

/** The decks that an earlier release wrote and that lack a field of lists. */
export const decksToComplete = ({ decks: progress }: MarketplaceState) =>
  olderRecords<CheckedDeck>({
    progress,
    to: DECK_RENEWAL,
    all: allDecks,
    find: findDeck,
    note: (decks) => setMarketplaceState({ decks }),
  });

/**
 * Gives the record of a deck its picture and the number of its links. At most three shards of the manifest are read.
 */
export async function complete(deck: CheckedDeck): Promise<void> {
  const { presentationId, current } = deck;
  const found = await findFiles(currentContext()!, presentationId, current, thumbnails);
  await completeDeck(deck, pictureIn([...found.values()]));
}
