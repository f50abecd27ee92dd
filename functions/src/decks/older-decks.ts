import { currentContext } from '../context';
import { thumbnails } from '../policy/deck-pictures';
import { findFiles } from '../records/manifests';
import { DECK_RENEWAL, setMarketplaceState, startOfDecks, type MarketplaceState } from '../records/marketplace-state';
import { allDecks, completeDeck, isOlder, type CheckedDeck } from '../records/older-decks';
import { pictureIn } from '../records/versions';

/** The document of a deck, which reads the deck when it is asked. */
interface OlderDeck {
  id: string;
  data: () => CheckedDeck;
}

/** Decks that one run looks at, with one read each. */
const MOST_DECKS = 5000;
/** Decks between two notes of how far the runs are. */
const NOTED_EVERY = 100;

/**
 * The decks that an earlier release wrote and that lack a field of lists, until all decks have been looked at. The
 * iteration notes its place, so a later run continues there; it must process each deck before it asks for the next one.
 */
export async function* decksToComplete(state: MarketplaceState): AsyncGenerator<OlderDeck> {
  let after = startOfDecks(state);
  if (after === undefined) return;
  let seen = 0;
  for await (const deck of allDecks(after)) {
    if (isOlder(deck)) yield deck;
    after = deck.id;
    if (++seen % NOTED_EVERY === 0) await note(after, false);
    if (seen === MOST_DECKS) return;
  }
  await note(null, true);
}

const note = (after: string | null, isDone: boolean) =>
  setMarketplaceState({ decks: { to: DECK_RENEWAL, after, isDone } });

/**
 * Gives the record of a deck its picture and the number of its links. At most three shards of the manifest are read.
 */
export async function complete(document: OlderDeck): Promise<void> {
  const deck = document.data();
  const { presentationId, current } = deck;
  const found = await findFiles(currentContext()!, presentationId, current, thumbnails);
  await completeDeck(deck, pictureIn([...found.values()]));
}
