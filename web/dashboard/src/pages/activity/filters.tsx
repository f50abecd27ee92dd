import { useEffect, useState } from 'preact/hooks';
import { listDecks } from 'deckhost-client/browser';
import { setQuery } from '../../navigation';
import { service } from '../../service';
import { activity } from '../../words/activity';
import { events } from '../../words/events';
import { eventTypes, type Choice } from './choice';

/** The type and the deck. They stand in the address of the page. */
export function Filters({ choice: { type, deck } }: { choice: Choice }) {
  const decks = useOwnDecks();
  const said = activity;
  return (
    <form class="filters" aria-label={said.filter} onSubmit={(event) => event.preventDefault()}>
      <label class="field">
        <span>{said.type}</span>
        <select value={type ?? ''} onChange={(event) => setQuery({ type: event.currentTarget.value })}>
          <option value="">{said.allTypes}</option>
          {eventTypes.map((each) => (
            <option key={each} value={each}>
              {events.names[each]}
            </option>
          ))}
        </select>
      </label>
      <label class="field">
        <span>{said.deck}</span>
        <select value={deck ?? ''} onChange={(event) => setQuery({ deck: event.currentTarget.value })}>
          <option value="">{said.allDecks}</option>
          {decks.map(({ id, title }) => (
            <option key={id} value={id} dir="auto">
              {title}
            </option>
          ))}
          {deck !== undefined && !decks.some(({ id }) => id === deck) && <option value={deck}>{said.otherDeck}</option>}
        </select>
      </label>
    </form>
  );
}

/** The decks of the organization. Those of others have no events here. When they do not load, the list stays empty. */
function useOwnDecks(): { id: string; title: string }[] {
  const [decks, setDecks] = useState<{ id: string; title: string }[]>([]);
  useEffect(() => {
    const leaving = new AbortController();
    const load = async () => {
      const own: typeof decks = [];
      for await (const { id, title, role } of listDecks(service(), leaving.signal)) {
        if (role === 'owner') own.push({ id, title });
      }
      setDecks(own);
    };
    load().catch(() => undefined);
    return () => leaving.abort();
  }, []);
  return decks;
}
