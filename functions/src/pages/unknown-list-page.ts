import { listingKinds } from '../policy/listings';
import { listingSorts } from '../values/listing-cursor';
import { markup } from '../values/markup';
import { searchForm } from './browse-forms';
import { browseAddress, kindNames, type Browsed } from './listing-card';
import { sitePage } from './site-page';

/** What is wrong with a parameter of a list, for people. */
const words: Record<string, (value: string) => string> = {
  kind: (value) => `There is no kind “${value}”. The kinds are ${listingKinds.join(', ')}.`,
  sort: (value) => `There is no order “${value}”. The orders are ${listingSorts.join(', ')}.`,
  interactive: (value) => `“${value}” is not true or false.`,
  tag: (value) => `“${value}” is not a tag. A tag has letters, digits and . + # -`,
  stack: (value) => `“${value}” is not a technology. A technology has letters, digits and . + # -`,
  category: () => 'A category has at most 60 characters.',
  q: () => 'A search has at most 100 characters.',
  author: () => 'This is not the address of an author.',
  cursor: () => 'This page of the list does not exist. The address may be cut off, or another list’s.',
};

const MAX_SHOWN = 60;
const short = (value: string) => (value.length > MAX_SHOWN ? `${value.slice(0, MAX_SHOWN)}…` : value);

/** The page for a list whose address has parameters that are wrong. `list` has the others. */
export function unknownListPage(wrong: Readonly<Record<string, string>>, list: Browsed): string {
  const problems = Object.entries(wrong).map(([name, value]) => words[name]?.(short(value)) ?? `“${name}” is wrong.`);
  const isRest = browseAddress(list) !== browseAddress();
  return sitePage({
    title: 'This list does not exist',
    isFound: false,
    main: markup`<main>
<p class="meta"><a href="${browseAddress()}">Marketplace</a></p>
<h1>This list does not exist</h1>
<ul class="wrong">${problems.map((problem) => markup`<li dir="auto">${problem}</li>`)}</ul>
<p class="next">${isRest && markup`<a class="button" href="${browseAddress(list)}">Show the list without it</a>`}<a class="button plain" href="${browseAddress()}">Show all listings</a></p>
${searchForm({})}
<section class="list" aria-labelledby="kinds"><h2 id="kinds">Lists</h2>
<ul class="choices">${listingKinds.map((kind) => markup`<li><a href="${browseAddress({ kind })}">${kindNames[kind].many}</a></li>`)}<li><a href="${browseAddress({ sort: 'popular' })}">Most remixed</a></li><li><a href="${browseAddress({ sort: 'stars' })}">Most starred</a></li></ul>
</section>
</main>`,
  });
}
