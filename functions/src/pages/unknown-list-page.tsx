import { browse as script } from '../../runtime/bundle.cjs';
import { listingKinds } from '../policy/listings';
import { searchSorts } from '../values/listing-cursor';
import { SearchForm } from './browse-forms';
import { browseAddress, kindNames, type Browsed } from './listing-card';
import { RequestId } from './notice-page';
import { sitePage } from './site-page';

/** What is wrong with a parameter of a list, for people. */
const words: Record<string, (value: string) => string> = {
  kind: (value) => `There is no kind “${value}”. The kinds are ${listingKinds.join(', ')}.`,
  sort: (value) => `There is no order “${value}”. The orders are ${searchSorts.join(', ')}.`,
  interactive: (value) => `“${value}” is not true or false.`,
  tag: (value) => `“${value}” is not a tag. A tag has letters, digits and . + # -`,
  stack: (value) => `“${value}” is not a technology. A technology has letters, digits and . + # -`,
  category: () => 'A category has at most 60 characters.',
  q: () => 'A search has at most 100 characters.',
  author: () => 'This is not the address of an author.',
  cursor: () =>
    'This page of the list does not exist. Part of the address may be missing, or it belongs to another list.',
};

const MAX_SHOWN = 60;
const short = (value: string) => (value.length > MAX_SHOWN ? `${value.slice(0, MAX_SHOWN)}…` : value);

/** The page for a list whose address has parameters that are wrong. `list` has the others. */
export function unknownListPage(wrong: Readonly<Record<string, string>>, list: Browsed, requestId: string): string {
  const problems = Object.entries(wrong).map(([name, value]) => words[name]?.(short(value)) ?? `“${name}” is wrong.`);
  const isRest = browseAddress(list) !== browseAddress();
  return sitePage({
    title: 'This list does not exist',
    isFound: false,
    script,
    main: (
      <main>
        <p class="meta">
          <a href={browseAddress()}>Marketplace</a>
        </p>
        <h1>This list does not exist</h1>
        <ul class="wrong">
          {problems.map((problem) => (
            <li dir="auto">{problem}</li>
          ))}
        </ul>
        <p class="next">
          {isRest && (
            <a class="button" href={browseAddress(list)}>
              Show the list without it
            </a>
          )}
          <a class="button plain" href={browseAddress()}>
            Show all listings
          </a>
        </p>
        <SearchForm list={{}} />
        <section class="list" aria-labelledby="kinds">
          <h2 id="kinds">Lists</h2>
          <ul class="choices">
            {lists.map(([text, each]) => (
              <li>
                <a href={browseAddress(each)}>{text}</a>
              </li>
            ))}
          </ul>
        </section>
        <RequestId id={requestId} />
      </main>
    ),
  });
}

const lists: readonly [text: string, list: Browsed][] = [
  ...listingKinds.map((kind): [string, Browsed] => [kindNames[kind].many, { kind }]),
  ['Most remixed', { sort: 'popular' }],
  ['Most starred', { sort: 'stars' }],
];
