import { browseAddress, chosenSort, type Browsed } from './listing-card';

/** The fields of a list that a form does not show, so that it keeps them. */
function Kept({ list, shown }: { list: Browsed; shown: readonly string[] }) {
  const { q, kind, interactive, category, tag, stack } = list;
  const fields = { q, kind, sort: chosenSort(list), interactive, category, tag, stack };
  return Object.entries(fields)
    .filter(([name, value]) => value !== undefined && !shown.includes(name))
    .map(([name, value]) => <input type="hidden" name={name} value={String(value)} />);
}

/** The form of the search. It keeps the filters and the order of the list. */
export const SearchForm = ({ list }: { list: Browsed }) => (
  <form class="find" action={browseAddress({ author: list.author })} role="search">
    <Kept list={list} shown={['q']} />
    <label>
      <span class="hidden">Words of the title, the tags, the author’s name or the description</span>
      <input
        type="search"
        name="q"
        value={list.q ?? ''}
        maxLength={100}
        placeholder="Search decks"
        dir="auto"
        autocapitalize="none"
        enterkeyhint="search"
      />
    </label>
    <button>Search</button>
  </form>
);

const filters = ['category', 'tag', 'stack', 'interactive'];

/** Attributes of a field for a tag or a technology. */
const word = {
  maxLength: 40,
  pattern: '\\s*[A-Za-z0-9][A-Za-z0-9.+#\\-]*\\s*',
  title: 'Letters, digits and . + # -',
  autocapitalize: 'none',
} as const;

/** The form of the filters that a person types. The browser checks the patterns before it sends the form. */
export function FilterForm({ list }: { list: Browsed }) {
  const { interactive, category = '', tag = '', stack = '' } = list;
  return (
    <details>
      <summary>More filters</summary>
      <form action={browseAddress({ author: list.author })} aria-label="More filters">
        <Kept list={list} shown={filters} />
        <label>
          Category
          <input name="category" value={category} maxLength={60} dir="auto" />
        </label>
        <label>
          Tag
          <input name="tag" value={tag} {...word} />
        </label>
        <label>
          Made with
          <input name="stack" value={stack} {...word} />
        </label>
        <label>
          Interactive
          <select name="interactive" value={String(interactive ?? '')}>
            <option value="">Any</option>
            <option value="true">Interactive</option>
            <option value="false">Not interactive</option>
          </select>
        </label>
        <button>Apply filters</button>
      </form>
    </details>
  );
}
