import type { DeckRow } from 'deckhost-client/browser';
import { DeckPicture } from '../../deck-picture';
import { CopyButton } from '../../ui/copy-button';
import { DeckStates } from '../../ui/deck-states';
import { Time } from '../../ui/time';
import { words } from '../../words/en';

/** A deck of the list. The whole card leads to the deck; the button copies its link. */
export function DeckCard({ deck }: { deck: DeckRow }) {
  const { id, title, version, totalViews, activeLinks, updatedAt, lastViewedAt, shareUrl } = deck;
  const { copyLink, views, links, changed, opened } = words.decks;
  const facts = [
    words.decks.version(version),
    views(totalViews),
    ...(activeLinks === null ? [] : [links(activeLinks)]),
  ];
  return (
    // A drawn picture shows the title. The heading then is for screen readers alone.
    <li class={deck.picture ? 'deck-card' : 'deck-card titled'}>
      <DeckPicture deck={deck} />
      <div class="about">
        <h2>
          <a href={`/dashboard/decks/${encodeURIComponent(id)}`} dir="auto">
            <span>{title}</span>
          </a>
        </h2>
        <p class="quiet small">{facts.join(' · ')}</p>
        <p class="quiet small">
          {changed} <Time iso={updatedAt} />
          {lastViewedAt && (
            <>
              {' '}
              · {opened} <Time iso={lastViewedAt} />
            </>
          )}
        </p>
        <States deck={deck} />
      </div>
      {shareUrl && <CopyButton text={shareUrl} label={copyLink(title)} said={words.shell.linkCopied} isSmall />}
    </li>
  );
}

function States({ deck }: { deck: DeckRow }) {
  const { role, closed, expiresAt, listing } = deck;
  if (role === 'owner' && !closed && !expiresAt && !listing) return null;
  return (
    <p class="states">
      <DeckStates deck={deck} />
    </p>
  );
}

/** Keeps the place of a card until the decks are loaded. */
export function EmptyCard() {
  return (
    <li class="deck-card waiting">
      <div class="deck-picture" />
      <div class="about" />
    </li>
  );
}
