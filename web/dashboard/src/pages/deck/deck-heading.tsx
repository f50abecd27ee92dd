import { useState } from 'preact/hooks';
import { CopyButton } from '../../ui/copy-button';
import { DeckStates } from '../../ui/deck-states';
import { FailureNotice } from '../../ui/failure-notice';
import { Heading } from '../../ui/heading';
import { Icon } from '../../ui/icon';
import { useAction } from '../../use-action';
import { words } from '../../words/en';
import type { LiveDialog } from './live-dialog';
import { pathOf, type Deck } from './use-deck';

/** The title, the state and the main actions of a deck, above every section. */
export function DeckHeading({ deck, tab }: { deck: Deck; tab: string }) {
  const { title, version, totalViews, shareUrl, closed, role } = deck;
  const { copyLink, open, newTab, views, presentLive } = words.deck;
  const [live, setLive] = useState<{ Shown: typeof LiveDialog }>();
  const openLive = useAction(async () => setLive({ Shown: (await import('./live-dialog')).LiveDialog }));
  return (
    <>
      <Heading
        title={title}
        trail={{ href: '/dashboard/decks', text: words.decks.title }}
        section={tab === '' ? undefined : words.deck.tabs[tab as keyof typeof words.deck.tabs]}
        about={
          <span class="facts">
            {words.deck.version(version)} · {views(totalViews)}
            <DeckStates deck={deck} />
          </span>
        }
      >
        {role === 'owner' && !closed && (
          <button type="button" class="button" aria-disabled={openLive.isBusy} onClick={() => void openLive.run()}>
            <Icon name="play" />
            {presentLive}
          </button>
        )}
        {shareUrl && !closed && (
          <>
            <a class="button" href={shareUrl} target="_blank" rel="noopener noreferrer">
              <Icon name="open" />
              {open} <span class="visually-hidden">{newTab}</span>
            </a>
            <CopyButton text={shareUrl} label={copyLink} said={words.shell.linkCopied} isPrimary />
          </>
        )}
      </Heading>
      <FailureNotice failure={openLive.failure} />
      {live && <live.Shown deck={deck} onClose={() => setLive(undefined)} />}
      <Closed deck={deck} tab={tab} />
    </>
  );
}

/** Why no link opens, and what to do. */
function Closed({ deck: { id, role, closed, takedown }, tab }: { deck: Deck; tab: string }) {
  if (!closed) return null;
  const { takenDownWhy, expiredWhy, changeExpiry } = words.deck;
  return (
    <div class="notice bad closed">
      <p>{closed === 'expired' ? expiredWhy : takenDownWhy(takedown?.reason ?? '')}</p>
      {closed === 'expired' && role === 'owner' && tab !== 'settings' && (
        <a class="button small" href={pathOf(id, 'settings')}>
          {changeExpiry}
        </a>
      )}
    </div>
  );
}
