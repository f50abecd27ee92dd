import { config } from '../config';
import { listingKinds } from '../policy/listings';
import { listingSorts, type ListingSort } from '../values/listing-cursor';
import { markup, type Markup } from '../values/markup';
import { filterForm, searchForm } from './browse-forms';
import { browseAddress, cards, kindNames, type Browsed, type Card } from './listing-card';
import { sitePage } from './site-page';

const sortNames: Record<ListingSort, string> = {
  recent: 'Newest',
  popular: 'Most remixed',
  week: 'Remixed this week',
  stars: 'Most starred',
};

const ABOUT =
  'Presentations, apps and plans that other people have published. Look at them, and remix them into your own decks.';

/** What a page of a list shows beside its listings. */
export interface Shown {
  listings: readonly Card[];
  nextCursor: string | null;
  /** The name of the author of the list; undefined for a list of all authors. */
  authorName?: string | undefined;
  /** The categories and tags to browse. Empty where the page does not offer them. */
  words: { categories: readonly string[]; tags: readonly string[] };
  /** The listings that were remixed most in the last 7 days, on the first page of the whole list. */
  ofWeek: readonly Card[];
}

/** Whether a page is the first one of all listings, newest first. */
export const isFront = (browsed: Browsed) => browseAddress(browsed) === browseAddress();
const isWhole = (list: Browsed) => isFront({ ...list, sort: undefined });

/** A page of a list of the marketplace: search, filters, order, listings, and the links to its neighbours. */
export function marketplacePage(browsed: Browsed, shown: Shown): string {
  const { cursor, previous: _, ...list } = browsed;
  const { listings, ofWeek, words, authorName } = shown;
  const heading = headingOf(list, authorName);
  const title = isWhole(list) ? 'Marketplace' : (authorName ?? heading);
  return sitePage({
    title: isWhole(list) ? (isFront(list) ? 'Marketplace' : `${heading} · Marketplace`) : `${heading} · Marketplace`,
    description: authorName === undefined ? ABOUT : `Decks that \u2068${authorName}\u2069 has published.`,
    canonical: browseAddress(list),
    // The content behind a cursor changes with every new listing. Search engines find the listings by their own pages.
    // Searches have no end.
    isFound: cursor === undefined && list.q === undefined,
    main: markup`<main>
${!isWhole(list) && markup`<p class="meta"><a href="${browseAddress()}">Marketplace</a></p>\n`}<h1 dir="auto">${title}</h1>
${isWhole(list) && markup`<p class="lead">${ABOUT}</p>\n`}${searchForm(list)}
<div class="bar over">
${choices('choices', 'Kind', [undefined, ...listingKinds], list.kind, (kind) => [kind ? kindNames[kind].many : 'All', { ...list, kind }])}
${choices('sorts', 'Order', listingSorts, list.sort ?? 'recent', (sort) => [sortNames[sort], { ...list, sort }])}
</div>
${chosen(list, authorName)}
${filterForm(list)}
${
  ofWeek.length > 0 &&
  markup`<section class="list" aria-labelledby="week">
<h2 id="week">Most remixed this week</h2>
${cards(ofWeek)}
</section>
`
}<section class="list" aria-labelledby="list">
<h2 id="list"${title === heading && markup` class="hidden"`}>${heading}</h2>
${listings.length > 0 ? cards(listings) : nothing(browsed, shown)}
</section>
${pages(browsed, shown)}
${browse(words)}
</main>`,
  });
}

/** Links of which one is the current choice. */
function choices<T>(
  style: string,
  label: string,
  values: readonly T[],
  current: T,
  linkTo: (value: T) => readonly [string, Browsed],
): Markup {
  const links = values.map((value) => {
    const [text, list] = linkTo(value);
    return markup`<li><a href="${browseAddress(list)}"${value === current && markup` aria-current="true"`}>${text}</a></li>`;
  });
  return markup`<nav aria-label="${label}"><ul class="${style}">${links}</ul></nav>`;
}

const formNames = { true: 'Interactive', false: 'Not interactive' } as const;

/** What the list searches and its filters, each with a link that removes it. The kind has links of its own. */
function chosen(list: Browsed, authorName: string | undefined): Markup | false {
  const { q, author, interactive, category, tag, stack } = list;
  const all: [text: string | undefined, without: Browsed][] = [
    [q && `“\u2068${q}\u2069”`, { ...list, q: undefined }],
    [author && `By \u2068${authorName ?? 'this author'}\u2069`, { ...list, author: undefined }],
    [interactive === undefined ? undefined : formNames[`${interactive}`], { ...list, interactive: undefined }],
    [category && `Category: \u2068${category}\u2069`, { ...list, category: undefined }],
    [tag && `Tag: ${tag}`, { ...list, tag: undefined }],
    [stack && `Made with: ${stack}`, { ...list, stack: undefined }],
  ];
  const links = all.map(
    ([text, without]) =>
      text !== undefined &&
      markup`<li><a href="${browseAddress(without)}" aria-label="Remove the filter ${text}">${text} <span aria-hidden="true">×</span></a></li>`,
  );
  return links.some((link) => link !== false) && markup`<ul class="choices chosen" aria-label="Filters">${links}</ul>`;
}

/** The heading of a list. Texts of people are isolated from the direction of the sentence. */
function headingOf({ q, kind, interactive, category, tag, stack, sort = 'recent' }: Browsed, authorName?: string) {
  const form = interactive === undefined ? '' : interactive ? 'interactive ' : 'non-interactive ';
  const what = `${form}${kind ? kindNames[kind].many.toLowerCase() : 'decks'}`;
  const of = [
    q === undefined ? `${sortNames[sort]} ${what}` : `${what[0]!.toUpperCase()}${what.slice(1)} for “\u2068${q}\u2069”`,
    authorName !== undefined && `by \u2068${authorName}\u2069`,
    category !== undefined && `in \u2068${category}\u2069`,
    tag !== undefined && `tagged ${tag}`,
    stack !== undefined && `made with ${stack}`,
  ];
  return of.filter((part) => part !== false).join(' ');
}

/** The links to the next page, and to the one before it: the first page when the address names no other. */
function pages({ cursor, previous, ...list }: Browsed, { nextCursor }: Shown): Markup | false {
  const next = { ...list, cursor: nextCursor ?? undefined, previous: cursor };
  const links = [
    cursor !== undefined &&
      markup`<a class="button plain" rel="prev" href="${browseAddress({ ...list, cursor: previous })}">${previous === undefined ? 'First page' : 'Previous page'}</a>`,
    nextCursor !== null && markup`<a class="button" rel="next" href="${browseAddress(next)}">Next page</a>`,
  ];
  return links.some((link) => link !== false) && markup`<nav class="pages" aria-label="Pages">${links}</nav>`;
}

/** Lists of popular categories and tags. */
function browse({ categories, tags }: Shown['words']): Markup | false {
  const list = (id: string, heading: string, filter: 'category' | 'tag', words: readonly string[]) => {
    const links = words.map(
      (word) => markup`<li><a href="${browseAddress({ [filter]: word })}"><bdi lang="">${word}</bdi></a></li>`,
    );
    return (
      words.length > 0 &&
      markup`<section aria-labelledby="${id}"><h2 id="${id}">${heading}</h2><ul class="words">${links}</ul></section>`
    );
  };
  const lists = [list('categories', 'Categories', 'category', categories), list('tags', 'Tags', 'tag', tags)];
  return lists.some((each) => each !== false) && markup`<div class="browse">${lists}</div>`;
}

/** What to do when a page has no listing. */
function nothing({ cursor, ...list }: Browsed, { nextCursor }: Shown): Markup {
  const say = (what: string, next: Markup, action: Markup | false = false) =>
    markup`<div class="empty"><strong>${what}</strong><p class="quiet">${next}</p>${action}</div>`;
  const all = markup`<a href="${browseAddress({ sort: list.sort })}">Show all listings</a>`;
  if (nextCursor !== null)
    return say(
      'No listing of this page matches.',
      markup`More of them are on the next page: not all listings fit into one search.`,
    );
  if (cursor !== undefined)
    return say(
      'There are no more listings.',
      markup`<a href="${browseAddress({ ...list, previous: undefined })}">Back to the first page</a>`,
    );
  if (isWhole(list))
    return say(
      'Nothing has been published yet.',
      markup`Publish a deck, and it is the first one here.`,
      markup`<a class="button" href="${config.marketplaceUrl()}/dashboard/new">Publish a deck</a>`,
    );
  if (list.q === undefined) return say('No listing matches.', all);
  const isNarrow = !isWhole({ ...list, q: undefined });
  return say(
    'No listing matches.',
    markup`Try fewer words, or the beginning of a word.${isNarrow && markup` Or <a href="${browseAddress({ q: list.q })}">search all listings for “<bdi>${list.q}</bdi>”</a>.`} ${all}`,
  );
}
