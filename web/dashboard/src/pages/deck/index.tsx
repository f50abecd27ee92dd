import { navigate, type PageProps } from '../../navigation';
import { isFailure } from '../../service';
import { EmptyState } from '../../ui/empty-state';
import { FailureNotice } from '../../ui/failure-notice';
import { Heading } from '../../ui/heading';
import { Skeleton } from '../../ui/skeleton';
import { useShortcuts } from '../../ui/shortcuts';
import { TabLinks } from '../../ui/tab-links';
import { words } from '../../words/en';
import { DeckHeading } from './deck-heading';
import { isSection, ShownSection } from './section';
import { pathOf, useDeck, type Deck } from './use-deck';
import './style.css';

/** One deck: a heading, and the section that the address names. */
export default function DeckPage({ params }: PageProps) {
  const id = params['id']!;
  const tab = params['tab'] ?? '';
  const { data: deck, failure, reload, made } = useDeck(id);
  const reachable = (['versions', 'links', 'mails', 'insights'] as const).filter((to) => deck && isFor(deck, to));
  useShortcuts(
    reachable.map((to) => ({ key: to[0]!, text: words.deck.tabs[to], run: () => navigate(pathOf(id, to)) })),
  );
  if (isFailure(failure, 'not-found') || (deck === undefined && isFailure(failure, 'permission-denied')))
    return <Gone />;
  if (!isSection(tab)) return <Gone />;
  if (!deck)
    return (
      <div class="deck" aria-busy={!failure}>
        <Heading title={words.deck.tabs['']} trail={toDecks} />
        {!failure && <Skeleton label={words.deck.loading} lines={6} />}
        <FailureNotice failure={failure} onRetry={() => void reload()} />
      </div>
    );
  return (
    <div class="deck">
      <DeckHeading deck={deck} tab={tab} />
      <TabLinks label={words.deck.pages} tabs={tabsOf(deck)} current={pathOf(id, tab)} />
      <FailureNotice failure={failure} onRetry={() => void reload()} />
      {isFor(deck, tab) ? (
        <ShownSection key={tab} tab={tab} deck={deck} reload={reload} made={made} />
      ) : (
        <EmptyState text={words.deck.ownerOnly} />
      )}
    </div>
  );
}

const toDecks = { href: '/dashboard/decks', text: words.decks.title };

/** The sections that collaborators see, too. */
const forAll = new Set(['', 'versions', 'settings']);

const isFor = ({ role, remixedFromSlug }: Deck, tab: string) =>
  tab === 'source' ? Boolean(remixedFromSlug) : role === 'owner' || forAll.has(tab);

const tabsOf = (deck: Deck) =>
  Object.entries(words.deck.tabs)
    .filter(([tab]) => isFor(deck, tab))
    .map(([tab, text]) => ({ href: pathOf(deck.id, tab), text }));

/** Also for a deck that was deleted while its page was open. */
function Gone() {
  return (
    <>
      <Heading title={words.deck.goneTitle} />
      <EmptyState text={words.deck.gone}>
        <a class="button primary" href="/dashboard/decks">
          {words.deck.toDecks}
        </a>
      </EmptyState>
    </>
  );
}
