import type { DeckRow } from 'deckhost-client/browser';
import { DeckPicture } from '../../deck-picture';
import { CopyButton } from '../../ui/copy-button';
import { Time } from '../../ui/time';
import { words } from '../../words/en';

/** A deck of the list. The whole card leads to the deck; the button copies its link. */
export function DeckCard({ deck }: { deck: DeckRow }) {
  const { id, title, version, totalViews, activeLinks, updatedAt, shareUrl } = deck;
  const { copyLink, views, links, changed } = words.decks;
  const facts = [
    words.decks.version(version),
    views(totalViews),
    ...(activeLinks === null ? [] : [links(activeLinks)]),
  ];
  return (
    <li class="deck-card">
      <DeckPicture deck={deck} />
      <div class="about">
        <h2>
          <a href={`/dashboard/decks/${encodeURIComponent(id)}`} dir="auto">
            {title}
          </a>
        </h2>
        <p class="quiet small">{facts.join(' · ')}</p>
        <p class="quiet small">
          {changed} <Time iso={updatedAt} />
        </p>
        <States deck={deck} />
      </div>
      {shareUrl && <CopyButton text={shareUrl} label={copyLink(title)} isSmall />}
    </li>
  );
}

function States({ deck: { role, closed, expiresAt, listing } }: { deck: DeckRow }) {
  const { sharedWithMe, expired, expires, takenDown, listed } = words.decks;
  const isShared = role === 'dev';
  if (!isShared && !closed && !expiresAt && !listing) return null;
  return (
    <p class="states">
      {isShared && <span class="label">{sharedWithMe}</span>}
      {closed === 'taken-down' && <span class="label bad">{takenDown}</span>}
      {closed === 'expired' && <span class="label bad">{expired}</span>}
      {!closed && expiresAt && (
        <span class="label">
          {expires} <Time iso={expiresAt} />
        </span>
      )}
      {listing?.status === 'public' && <span class="label good">{listed}</span>}
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
