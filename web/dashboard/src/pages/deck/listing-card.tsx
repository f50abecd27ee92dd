import { DeckPicture } from '../../deck-picture';
import { session } from '../../session';
import { words } from '../../words/en';
import { wordsIn, type ListingFields } from './listing-fields';
import type { Deck } from './use-deck';

/** What the marketplace will show, while the person writes it. */
export function ListingCard({ deck, fields }: { deck: Deck; fields: ListingFields }) {
  const { kinds, noDescription } = words.deckListing;
  return (
    <div class="listing-card">
      <DeckPicture deck={{ ...deck, title: fields.title }} />
      <div class="about">
        <p class="quiet small">{kinds[fields.kind]}</p>
        <p class="title" dir="auto">
          {fields.title}
        </p>
        <p class="quiet" dir="auto">
          {fields.description || noDescription}
        </p>
        <p class="quiet small">
          <bdi>{session.value?.user.displayName}</bdi>
        </p>
        <p class="tags">
          {wordsIn(fields.tags).map((tag) => (
            <span key={tag} class="label">
              {tag}
            </span>
          ))}
        </p>
      </div>
    </div>
  );
}
