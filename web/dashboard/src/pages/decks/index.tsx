import { useEffect, useState } from 'preact/hooks';
import { listDecks, type DeckRow } from 'deckhost-client/browser';
import { setQuery, type PageProps } from '../../navigation';
import { useRetry } from '../../retry';
import { service } from '../../service';
import { EmptyState } from '../../ui/empty-state';
import { FailureNotice } from '../../ui/failure-notice';
import { FirstDeck, NewDeck } from '../../ui/first-deck';
import { Heading, NBSP } from '../../ui/heading';
import { Pages } from '../../ui/pages';
import { useShortcuts } from '../../ui/shortcuts';
import { words } from '../../words/en';
import { CommandStrip } from '../../ui/command-strip';
import { DeckCard, EmptyCard } from './deck-card';
import { Filters, focusSearch } from './filters';
import { chosen, readChoice, type Choice } from './choice';
import './style.css';

const ON_A_PAGE = 24;

/** The decks of the person, and those that others share: search, order, pages. */
export default function Decks({ query }: PageProps) {
  const { rows, isComplete, failure, reload } = useDecks();
  const choice = readChoice(query);
  useShortcuts([{ key: '/', text: words.decks.search, run: focusSearch }]);
  const hasDecks = rows.length > 0;
  return (
    <div class="decks">
      <Heading title={words.decks.title} about={hasDecks && isComplete ? words.decks.about(rows.length) : NBSP}>
        <NewDeck />
      </Heading>
      {(hasDecks || !isComplete) && <Filters choice={choice} />}
      <FailureNotice failure={failure} onRetry={reload} />
      {!hasDecks && !isComplete && !failure && <Waiting />}
      {!hasDecks && isComplete && <FirstDeck />}
      {hasDecks && <Found rows={chosen(rows, choice)} choice={choice} isComplete={isComplete} />}
      {hasDecks && <CommandStrip command="deck list" call={{ name: 'listMyPresentations', method: 'GET' }} />}
    </div>
  );
}

/** All decks of the person. Rows appear as their pages arrive. */
function useDecks() {
  const [state, setState] = useState({ rows: [] as DeckRow[], isComplete: false, failure: undefined as unknown });
  const [attempt, setAttempt] = useState(0);
  useEffect(() => {
    const leaving = new AbortController();
    const load = async () => {
      const rows: DeckRow[] = [];
      let shownRows = 0;
      for await (const row of listDecks(service(), leaving.signal)) {
        rows.push(row);
        if (rows.length !== shownRows + PAGE_OF_SERVICE) continue;
        shownRows = rows.length;
        setState({ rows: [...rows], isComplete: false, failure: undefined });
      }
      setState({ rows, isComplete: true, failure: undefined });
    };
    load().catch((failure: unknown) => {
      if (!leaving.signal.aborted) setState((before) => ({ ...before, failure }));
    });
    return () => leaving.abort();
  }, [attempt]);
  const reload = () => {
    setState({ rows: [], isComplete: false, failure: undefined });
    setAttempt(attempt + 1);
  };
  useRetry(!state.isComplete && !state.failure, reload);
  return { ...state, reload };
}

/** The service answers so many decks at once. */
const PAGE_OF_SERVICE = 100;

function Waiting() {
  return (
    <ul class="cards" aria-busy="true" aria-label={words.decks.loading}>
      {[1, 2, 3].map((each) => (
        <EmptyCard key={each} />
      ))}
    </ul>
  );
}

function Found({ rows, choice, isComplete }: { rows: DeckRow[]; choice: Choice; isComplete: boolean }) {
  const pages = Math.max(1, Math.ceil(rows.length / ON_A_PAGE));
  const page = Math.min(choice.page, pages);
  const visible = rows.slice((page - 1) * ON_A_PAGE, page * ON_A_PAGE);
  return (
    <>
      <p class="visually-hidden" role="status">
        {choice.isFiltered ? words.decks.found(rows.length) : ''}
      </p>
      {rows.length === 0 && isComplete && <NoMatch choice={choice} />}
      <ul class="cards">
        {visible.map((deck) => (
          <DeckCard key={deck.id} deck={deck} />
        ))}
      </ul>
      <Pages page={page} pages={pages} onPage={(next) => setQuery({ page: next > 1 ? String(next) : undefined })} />
    </>
  );
}

function NoMatch({ choice: { text, show } }: { choice: Choice }) {
  const { noMatch, noneShared, noneOwn, clear } = words.decks;
  return (
    <EmptyState text={text ? noMatch(text) : show === 'shared' ? noneShared : noneOwn}>
      <a class="button" href="/dashboard/decks">
        {clear}
      </a>
    </EmptyState>
  );
}
