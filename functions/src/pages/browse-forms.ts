import { markup, type Markup } from '../values/markup';
import { browseAddress, type Browsed } from './listing-card';

/** The fields of a list that a form does not show, so that it keeps them. */
const kept = ({ q, kind, sort, interactive, category, tag, stack }: Browsed, shown: readonly string[]) =>
  Object.entries({ q, kind, sort: sort === 'recent' ? undefined : sort, interactive, category, tag, stack })
    .filter(([name, value]) => value !== undefined && !shown.includes(name))
    .map(([name, value]) => markup`<input type="hidden" name="${name}" value="${String(value)}">`);

/** The form of the search. It keeps the filters and the order of the list. */
export function searchForm(list: Browsed): Markup {
  return markup`<form class="find" action="${browseAddress({ author: list.author })}" role="search">
${kept(list, ['q'])}
<label><span class="hidden">Words of the title, the description or the tags</span><input type="search" name="q" value="${list.q}" maxlength="100" placeholder="Search decks" dir="auto" autocapitalize="none" enterkeyhint="search"></label>
<button>Search</button>
</form>`;
}

const filters = ['category', 'tag', 'stack', 'interactive'] as const;

/** The form of the filters that a person types. The browser checks the patterns before it sends the form. */
export function filterForm(list: Browsed): Markup {
  const word = markup` maxlength="40" pattern="\\s*[A-Za-z0-9][A-Za-z0-9.+#\\-]*\\s*" title="Letters, digits and . + # -" autocapitalize="none"`;
  const { interactive, category, tag, stack } = list;
  const option = (value: string, text: string) =>
    markup`<option value="${value}"${value === String(interactive ?? '') && markup` selected`}>${text}</option>`;
  return markup`<details>
<summary>More filters</summary>
<form action="${browseAddress({ author: list.author })}" aria-label="More filters">
${kept(list, filters)}
<label>Category<input name="category" value="${category}" maxlength="60" dir="auto"></label>
<label>Tag<input name="tag" value="${tag}"${word}></label>
<label>Made with<input name="stack" value="${stack}"${word}></label>
<label>Interactive<select name="interactive">${option('', 'Any')}${option('true', 'Interactive')}${option('false', 'Not interactive')}</select></label>
<button>Apply filters</button>
</form>
</details>`;
}
