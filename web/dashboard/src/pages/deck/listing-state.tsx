import { service } from '../../service';
import { Icon } from '../../ui/icon';
import { toast } from '../../ui/toast';
import { words } from '../../words/en';
import type { Listing } from './listing-fields';
import type { useChange } from './use-change';
import type { Deck } from './use-deck';

interface ListingStateProps {
  deck: Deck;
  listing: Listing;
  change: ReturnType<typeof useChange>;
}

/** Whether the lists show the deck, in which version, and what changes that. */
export function ListingState({ deck, listing, change }: ListingStateProps) {
  const { slug, status, version, takedown, marketplaceUrl, stars, remixCount } = listing;
  const said = words.deckListing;
  const isPublic = status === 'public';
  const put = (changes: { status?: 'public' | 'unlisted'; version?: number }, text: string, undo?: () => void) => {
    const input = { slug, ...changes };
    return change.run(
      async () => {
        await service().post('updateMarketplaceListing', input);
        toast(text, undo && { undo });
      },
      {
        ...(changes.status === 'unlisted' && { command: `deck unpublish --slug ${slug}` }),
        call: { name: 'updateMarketplaceListing', method: 'POST', input },
      },
    );
  };
  const list = (undo?: () => void) => put({ status: 'public' }, said.relisted, undo);
  const unlist = (undo?: () => void) => put({ status: 'unlisted' }, said.unlisted, undo);
  if (takedown)
    return (
      <div class="notice bad">
        <p>{said.takenDownWhy(takedown.reason)}</p>
      </div>
    );
  return (
    <div class="card listing-state">
      <p class="facts">
        <span class={isPublic ? 'label good' : 'label'}>{isPublic ? said.isPublic : said.isUnlisted}</span>
        <a href={marketplaceUrl} target="_blank" rel="noopener noreferrer">
          <Icon name="open" /> {said.open} <span class="visually-hidden">{words.deck.newTab}</span>
        </a>
        {stars + remixCount > 0 && (
          <span class="quiet small">
            {said.stars(stars)} · {said.remixes(remixCount)}
          </span>
        )}
      </p>
      {version < deck.version && <p class="quiet">{said.older(version, deck.version)}</p>}
      <div class="actions">
        {version < deck.version && (
          <button
            type="button"
            class="button small"
            onClick={() => void put({ version: deck.version }, said.updated, () => void put({ version }, said.updated))}
          >
            {said.showCurrent}
          </button>
        )}
        <button
          type="button"
          class="button small"
          onClick={() => void (isPublic ? unlist(() => void list()) : list(() => void unlist()))}
        >
          {isPublic ? said.unlist : said.list}
        </button>
      </div>
    </div>
  );
}
