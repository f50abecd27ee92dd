import { listingKinds } from '../policy/listings';
import { listingSorts, type ListingSort } from '../values/listing-cursor';
import { markup, type Markup } from '../values/markup';
import { browseAddress, cards, kindNames, type Browsed, type Card } from './listing-card';
import { sitePage } from './site-page';

const sortNames: Record<ListingSort, string> = {
  recent: 'Newest',
  popular: 'Most remixed',
  week: 'Most remixed this week',
  stars: 'Most starred',
};

const ABOUT =
  'Presentations, apps and plans that other people have published. Look at them, and remix them into your own decks.';

/** A page of a list of the marketplace: filters, order, listings, and the link to the next page. */
export function marketplacePage(browsed: Browsed, listings: readonly Card[], nextCursor: string | null): string {
  const { cursor, ...list } = browsed;
  const heading = headingOf(list);
  return sitePage({
    title: `${isWhole(list) ? '' : `${heading} · `}Marketplace`,
    description: ABOUT,
    canonical: browseAddress(list),
    // The content behind a cursor changes with every new listing. Search engines find the listings by their own pages.
    isFound: cursor === undefined,
    main: markup`<main>
<h1>Marketplace</h1>
<p class="lead">${ABOUT}</p>
<div class="bar">
${choices('Kind', [undefined, ...listingKinds], list.kind, (kind) => [kind ? kindNames[kind].many : 'All', { ...list, kind }])}
${choices('Order', listingSorts, list.sort ?? 'recent', (sort) => [sortNames[sort], { ...list, sort }])}
</div>
${chosen(list)}
${filterForm(list)}
<section class="list" aria-labelledby="list">
<h2 id="list">${heading}</h2>
${listings.length > 0 ? cards(listings) : nothing(browsed)}
</section>
${nextCursor !== null && markup`<p class="more"><a class="button" rel="next" href="${browseAddress({ ...list, cursor: nextCursor })}">Next page</a></p>`}
</main>`,
  });
}

/** Links of which one is the current choice. */
function choices<T>(
  label: string,
  values: readonly T[],
  current: T,
  linkTo: (value: T) => readonly [string, Browsed],
): Markup {
  const links = values.map((value) => {
    const [text, list] = linkTo(value);
    return markup`<li><a href="${browseAddress(list)}"${value === current && markup` aria-current="true"`}>${text}</a></li>`;
  });
  return markup`<nav aria-label="${label}"><ul class="choices">${links}</ul></nav>`;
}

const filterNames = { category: 'Category', tag: 'Tag', stack: 'Made with' } as const;
const formNames = { true: 'Interactive', false: 'Not interactive' } as const;

/** The filters of the list, each with a link that removes it. */
function chosen(list: Browsed): Markup | false {
  const { interactive } = list;
  const filters: [string, Browsed][] = [];
  if (interactive !== undefined) filters.push([formNames[`${interactive}`], { ...list, interactive: undefined }]);
  for (const name of ['category', 'tag', 'stack'] as const) {
    if (list[name] !== undefined) filters.push([`${filterNames[name]}: ${list[name]}`, { ...list, [name]: undefined }]);
  }
  const links = filters.map(
    ([text, without]) =>
      markup`<li><a href="${browseAddress(without)}" aria-label="Remove the filter ${text}"><bdi>${text}</bdi> <span aria-hidden="true">×</span></a></li>`,
  );
  return links.length > 0 && markup`<ul class="choices chosen" aria-label="Filters">${links}</ul>`;
}

/** The form of the filters that a person types. The browser checks the patterns before it sends the form. */
function filterForm(list: Browsed): Markup {
  const word = markup` maxlength="40" pattern="\\s*[A-Za-z0-9][A-Za-z0-9.+#\\-]*\\s*" title="Letters, digits and . + # -" autocapitalize="none"`;
  const { kind, sort, interactive, category, tag, stack } = list;
  const kept = Object.entries({ kind, sort: sort === 'recent' ? undefined : sort });
  const option = (value: string, text: string) =>
    markup`<option value="${value}"${value === String(interactive ?? '') && markup` selected`}>${text}</option>`;
  return markup`<details>
<summary>More filters</summary>
<form action="${browseAddress()}" role="search" aria-label="More filters">
${kept.map(([name, value]) => value !== undefined && markup`<input type="hidden" name="${name}" value="${value}">`)}
<label>${filterNames.category}<input name="category" value="${category}" maxlength="60" dir="auto"></label>
<label>${filterNames.tag}<input name="tag" value="${tag}"${word}></label>
<label>${filterNames.stack}<input name="stack" value="${stack}"${word}></label>
<label>Interactive<select name="interactive">${option('', 'Any')}${option('true', formNames.true)}${option('false', formNames.false)}</select></label>
<button>Apply filters</button>
</form>
</details>`;
}

const isWhole = (list: Browsed) => browseAddress({ ...list, sort: undefined }) === browseAddress();

/** The heading of a list. */
function headingOf({ kind, interactive, category, tag, stack, sort = 'recent' }: Browsed): string {
  const form = interactive === undefined ? '' : interactive ? 'interactive ' : 'non-interactive ';
  const what = `${form}${kind ? kindNames[kind].many.toLowerCase() : 'decks'}`;
  const of = [
    what,
    // Isolates the direction of the category from the sentence.
    category !== undefined && `in \u2068${category}\u2069`,
    tag !== undefined && `tagged ${tag}`,
    stack !== undefined && `made with ${stack}`,
  ].filter((part) => part !== false);
  return `${sortNames[sort]} ${of.join(' ')}`;
}

function nothing({ cursor, ...list }: Browsed): Markup {
  if (cursor !== undefined)
    return markup`<p>There are no more listings. <a href="${browseAddress(list)}">Back to the first page</a></p>`;
  if (isWhole(list)) return markup`<p>Nothing has been published yet.</p>`;
  return markup`<p>No listing matches. <a href="${browseAddress({ sort: list.sort })}">Show all listings</a></p>`;
}
