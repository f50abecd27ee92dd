import { words } from '../words/en';
import { EmptyState } from './empty-state';
import { Icon } from './icon';

/** Leads to the page that publishes a deck. */
export const NewDeck = () => (
  <a class="button primary" href="/dashboard/new">
    <Icon name="plus" />
    {words.decks.newDeck}
  </a>
);

/** How somebody publishes the first deck. */
export function FirstDeck() {
  const { noneTitle, none, newDeck, noneCommand } = words.decks;
  return (
    <EmptyState title={noneTitle} text={none}>
      <a class="button primary" href="/dashboard/new">
        {newDeck}
      </a>
      <a href="/docs/guides/first-deck">{noneCommand}</a>
    </EmptyState>
  );
}
