import { ListingCard as Card, type CardFields } from '../../../../../functions/src/house/listing-card';
import { useListedPicture } from '../../deck-picture/listed-picture';
import { useOwnColour } from '../../deck-picture/own-colour';
import { session } from '../../session';
import { words } from '../../words/en';
import { inputOf, type Listing, type ListingFields } from './listing-fields';
import type { Deck } from './use-deck';
import 'virtual:cards.css';

interface ListingCardProps {
  deck: Deck;
  /** Null before the first publication. */
  listing: Listing | null;
  fields: ListingFields;
}

/** The card of the marketplace, while the person writes the listing. */
export function ListingCard({ deck, listing, fields }: ListingCardProps) {
  const { description, ...input } = inputOf(fields);
  const user = session.value?.user;
  const picture = useListedPicture(deck.id, input.version);
  const colour = useOwnColour();
  const card: CardFields = {
    stars: 0,
    remixCount: 0,
    viewCount: 0,
    createdAt: new Date().toISOString(),
    ...listing,
    ...input,
    description: description || words.deckListing.noDescription,
    author: user ? { authorId: user.userId, displayName: user.displayName } : null,
    picture,
    colour,
  };
  // The marketplace is in English, whatever the language of the dashboard is.
  return (
    <ul lang="en" translate={false}>
      <Card listing={card} />
    </ul>
  );
}
