import { setQuery } from '../../navigation';
import { words } from '../../words/en';
import type { Choice } from './choice';

const SEARCH = 'deck-search';

/** Puts the focus into the search. */
export const focusSearch = (): void => document.getElementById(SEARCH)?.focus();

/** Search, filter and order. They stand in the address of the page. */
export function Filters({ choice }: { choice: Choice }) {
  const { search, sort, sorts, show, shows } = words.decks;
  return (
    <form role="search" class="filters" onSubmit={(event) => event.preventDefault()}>
      <input
        id={SEARCH}
        type="search"
        aria-label={search}
        placeholder={search}
        dir="auto"
        value={choice.typed}
        onInput={(event) => setQuery({ q: event.currentTarget.value, page: undefined })}
      />
      <div class="shows" role="group" aria-label={show}>
        {Object.entries(shows).map(([name, text]) => (
          <button
            key={name}
            type="button"
            aria-pressed={choice.show === name}
            onClick={() => setQuery({ show: name === 'all' ? undefined : name, page: undefined })}
          >
            {text}
          </button>
        ))}
      </div>
      <label class="sort">
        <span class="visually-hidden">{sort}</span>
        <select
          value={choice.sort}
          onChange={({ currentTarget: { value } }) =>
            setQuery({ sort: value === 'changed' ? undefined : value, page: undefined })
          }
        >
          {Object.entries(sorts).map(([name, text]) => (
            <option key={name} value={name}>
              {text}
            </option>
          ))}
        </select>
      </label>
    </form>
  );
}
