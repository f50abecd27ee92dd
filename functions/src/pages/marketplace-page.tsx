import type { ComponentChildren } from 'preact';
import { browse as script } from '../../runtime/bundle.cjs';
import { config } from '../config';
import { TextLink } from '../house/listing-card';
import { inlineHash } from '../house/render';
import { listingKinds } from '../policy/listings';
import { defaultSort } from '../policy/listing-search';
import { listingSorts, searchSorts, type SearchSort } from '../values/listing-cursor';
import { FilterForm, SearchForm } from './browse-forms';
import { browseAddress, Cards, kindNames, type Browsed, type Card } from './listing-card';
import { sitePage, sitePolicy } from './site-page';

const sortNames: Record<SearchSort, string> = {
  best: 'Best match',
  recent: 'Newest',
  popular: 'Most remixed',
  week: 'Remixed this week',
  stars: 'Most starred',
};

const ABOUT =
  'Presentations, apps and plans that people have published. Open them, and remix them into decks of your own.';

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

/** The Content-Security-Policy of the lists. */
export const browsePolicy = () => sitePolicy(undefined, [`script-src ${inlineHash(script)}`], { hasPictures: true });

/** A page of a list of the marketplace: search, filters, order, listings, and the links to its neighbours. */
export function marketplacePage(browsed: Browsed, shown: Shown): string {
  const { cursor, previous: _, ...list } = browsed;
  const { listings, nextCursor, ofWeek, words, authorName } = shown;
  const heading = headingOf(list, authorName);
  const title = isWhole(list) ? 'Marketplace' : (authorName ?? heading);
  return sitePage({
    title: isFront(list) ? 'Marketplace' : `${heading} · Marketplace`,
    description: authorName === undefined ? ABOUT : `Decks that \u2068${authorName}\u2069 has published.`,
    canonical: browseAddress(list),
    // The content behind a cursor changes with every new listing. Search engines find the listings by their own pages.
    // Searches have no end.
    isFound: cursor === undefined && list.q === undefined,
    script,
    main: (
      <main>
        {!isWhole(list) && (
          <p class="meta">
            <a href={browseAddress()}>Marketplace</a>
          </p>
        )}
        <h1 dir="auto">{title}</h1>
        {isWhole(list) && <p class="lead">{ABOUT}</p>}
        <SearchForm list={list} />
        <div class="bar over">
          <Choices
            style="choices"
            label="Kind"
            values={[undefined, ...listingKinds]}
            current={list.kind}
            linkTo={(kind) => [kind ? kindNames[kind].many : 'All', { ...list, kind }]}
          />
          <Choices
            style="sorts"
            label="Order"
            values={list.q === undefined ? listingSorts : searchSorts}
            current={list.sort ?? defaultSort(list)}
            linkTo={(sort) => [sortNames[sort], { ...list, sort }]}
          />
        </div>
        <Chosen list={list} authorName={authorName} />
        <FilterForm list={list} />
        {ofWeek.length > 0 && (
          <section class="list" aria-labelledby="week">
            <h2 id="week">Most remixed this week</h2>
            <Cards listings={ofWeek} />
          </section>
        )}
        <section class="list" aria-labelledby="list">
          <h2 id="list" class={title === heading ? 'hidden' : undefined}>
            {heading}
          </h2>
          {listings.length > 0 ? <Cards listings={listings} /> : <Nothing list={browsed} nextCursor={nextCursor} />}
        </section>
        <Pages list={browsed} nextCursor={nextCursor} />
        <Browse {...words} />
      </main>
    ),
  });
}

interface ChoicesProps<T> {
  style: string;
  label: string;
  values: readonly T[];
  current: T;
  linkTo: (value: T) => readonly [string, Browsed];
}

/** Links of which one is the current choice. */
const Choices = <T,>({ style, label, values, current, linkTo }: ChoicesProps<T>) => (
  <nav aria-label={label}>
    <ul class={style}>
      {values.map((value) => {
        const [text, list] = linkTo(value);
        return (
          <li>
            <a href={browseAddress(list)} aria-current={value === current ? 'true' : undefined}>
              {text}
            </a>
          </li>
        );
      })}
    </ul>
  </nav>
);

const formNames = { true: 'Interactive', false: 'Not interactive' } as const;

interface ChosenProps {
  list: Browsed;
  authorName: string | undefined;
}

/** What the list searches and its filters, each with a link that removes it. The kind has links of its own. */
function Chosen({ list, authorName }: ChosenProps) {
  const { q, author, interactive, category, tag, stack } = list;
  const all: [text: string | undefined, without: Browsed][] = [
    [q && `“\u2068${q}\u2069”`, { ...list, q: undefined }],
    [author && `By \u2068${authorName ?? 'this author'}\u2069`, { ...list, author: undefined }],
    [interactive === undefined ? undefined : formNames[`${interactive}`], { ...list, interactive: undefined }],
    [category && `Category: \u2068${category}\u2069`, { ...list, category: undefined }],
    [tag && `Tag: ${tag}`, { ...list, tag: undefined }],
    [stack && `Made with: ${stack}`, { ...list, stack: undefined }],
  ];
  const chosen = all.filter(([text]) => text !== undefined);
  return (
    chosen.length > 0 && (
      <ul class="choices chosen" aria-label="Filters">
        {chosen.map(([text, without]) => (
          <li>
            <a href={browseAddress(without)} aria-label={`Remove the filter ${text}`}>
              {text} <span aria-hidden="true">×</span>
            </a>
          </li>
        ))}
      </ul>
    )
  );
}

/** The heading of a list. Texts of people are isolated from the direction of the sentence. */
function headingOf({ q, kind, interactive, category, tag, stack, sort }: Browsed, authorName?: string) {
  const form = interactive === undefined ? '' : interactive ? 'interactive ' : 'non-interactive ';
  const what = `${form}${kind ? kindNames[kind].many.toLowerCase() : 'decks'}`;
  const of = [
    q === undefined
      ? `${sortNames[sort ?? 'recent']} ${what}`
      : `${what[0]!.toUpperCase()}${what.slice(1)} for “\u2068${q}\u2069”`,
    authorName !== undefined && `by \u2068${authorName}\u2069`,
    category !== undefined && `in \u2068${category}\u2069`,
    tag !== undefined && `tagged ${tag}`,
    stack !== undefined && `made with ${stack}`,
  ];
  return of.filter((part) => part !== false).join(' ');
}

interface PageProps {
  list: Browsed;
  nextCursor: string | null;
}

/** The links to the next page, and to the one before it: the first page when the address names no other. */
function Pages({ list: { cursor, previous, ...list }, nextCursor }: PageProps) {
  if (cursor === undefined && nextCursor === null) return null;
  return (
    <nav class="pages" aria-label="Pages">
      {cursor !== undefined && (
        <a class="button plain" rel="prev" href={browseAddress({ ...list, cursor: previous })}>
          {previous === undefined ? 'First page' : 'Previous page'}
        </a>
      )}
      {nextCursor !== null && (
        <a class="button" rel="next" href={browseAddress({ ...list, cursor: nextCursor, previous: cursor })}>
          Next page
        </a>
      )}
    </nav>
  );
}

/** Lists of popular categories and tags. */
function Browse({ categories, tags }: Shown['words']) {
  const lists = [
    { id: 'categories', heading: 'Categories', filter: 'category', words: categories },
    { id: 'tags', heading: 'Tags', filter: 'tag', words: tags },
  ].filter(({ words }) => words.length > 0);
  return (
    lists.length > 0 && (
      <div class="browse">
        {lists.map(({ id, heading, filter, words }) => (
          <section aria-labelledby={id}>
            <h2 id={id}>{heading}</h2>
            <ul class="words">
              {words.map((word) => (
                <li>
                  <TextLink href={browseAddress({ [filter]: word })}>{word}</TextLink>
                </li>
              ))}
            </ul>
          </section>
        ))}
      </div>
    )
  );
}

/** What to do when a page has no listing. */
function Nothing({ list: { cursor, ...list }, nextCursor }: PageProps) {
  const say = (what: string, next: ComponentChildren, action?: ComponentChildren) => (
    <div class="empty">
      <strong>{what}</strong>
      <p class="quiet">{next}</p>
      {action}
    </div>
  );
  if (nextCursor !== null) {
    return say('The search goes on.', 'It has not seen all listings yet. The next page continues.');
  }
  if (cursor !== undefined) {
    const first = browseAddress({ ...list, previous: undefined });
    return say('There are no more listings.', <a href={first}>Back to the first page</a>);
  }
  if (isWhole(list)) {
    const publish = (
      <a class="button" href={`${config.marketplaceUrl()}/dashboard/new`}>
        Publish a deck
      </a>
    );
    return say('Nothing has been published yet.', 'Be the first: publish a deck.', publish);
  }
  const all = <a href={browseAddress({ sort: list.sort })}>Show all listings</a>;
  if (list.q === undefined) return say('No listing matches.', all);
  const isNarrow = !isWhole({ ...list, q: undefined });
  return say(
    'No listing matches.',
    <>
      Try fewer words, or another spelling.
      {isNarrow && (
        <>
          {' Or '}
          <a href={browseAddress({ q: list.q })}>
            search all listings for “<bdi>{list.q}</bdi>”
          </a>
          .
        </>
      )}{' '}
      {all}
    </>,
  );
}
