import { config } from '../config';
import type { ListingFilter, ListingKind } from '../policy/listings';
import type { ListingSort } from '../values/listing-cursor';
import { markup, type Markup } from '../values/markup';

/** The fields of a listing that a card shows. */
export interface Card {
  title: string;
  description: string;
  kind: ListingKind;
  interactive: boolean;
  category: string | null;
  tags: readonly string[];
  techStack: readonly string[];
  stars: number;
  remixCount: number;
  viewCount: number;
  marketplaceUrl: string;
}

/** A list of the marketplace: its filters, its order, and the cursor of the page. */
export type Browsed = ListingFilter & { sort?: ListingSort | undefined; cursor?: string | undefined };

/** The URL of a list. One list has one URL, because it leaves out parameters with their default value. */
export function browseAddress({ kind, interactive, category, tag, stack, sort, cursor }: Browsed = {}): string {
  const parameters = Object.entries({
    ...{ kind, interactive: interactive?.toString(), category, tag, stack },
    sort: sort === 'recent' ? undefined : sort,
    cursor,
  }).filter((each): each is [string, string] => each[1] !== undefined);
  const query = new URLSearchParams(parameters).toString();
  return `${config.marketplaceUrl()}/marketplace${query && `?${query}`}`;
}

export const kindNames: Record<ListingKind, { one: string; many: string }> = {
  presentation: { one: 'Presentation', many: 'Presentations' },
  app: { one: 'App', many: 'Apps' },
  plan: { one: 'Plan', many: 'Plans' },
};

/** Links to the lists of these words: the first `most`, and the number of the others. */
export function wordLinks(filter: 'tag' | 'stack', words: readonly string[], most = words.length): Markup | false {
  const left = words.length - most;
  const links = words
    .slice(0, most)
    .map((word) => markup`<li><a href="${browseAddress({ [filter]: word })}">${word}</a></li>`);
  return (
    words.length > 0 && markup`<ul class="words">${links}${left > 0 && markup`<li><span>+${left}</span></li>`}</ul>`
  );
}

export const categoryLink = (category: string) =>
  markup`<a href="${browseAddress({ category })}"><bdi lang="">${category}</bdi></a>`;

const number = new Intl.NumberFormat('en');
export const counted = (count: number, one: string, many: string) =>
  `${number.format(count)} ${count === 1 ? one : many}`;

export function countsLine({ stars, remixCount, viewCount }: Card): string {
  return [
    counted(stars, 'star', 'stars'),
    counted(remixCount, 'remix', 'remixes'),
    counted(viewCount, 'view', 'views'),
  ].join(' · ');
}

export function kindLine({ kind, interactive }: Card): string {
  return `${kindNames[kind].one}${interactive && kind !== 'app' ? ' · Interactive' : ''}`;
}

const WORDS_ON_CARD = 6;

function card(listing: Card): Markup {
  const { title, description, category, tags, marketplaceUrl } = listing;
  // Titles and descriptions may be in any language, left to right or right to left.
  return markup`<li class="card">
<h3 class="short" dir="auto" lang=""><a href="${marketplaceUrl}">${title}</a></h3>
<p class="meta">${kindLine(listing)}${category !== null && markup` · ${categoryLink(category)}`}</p>
<p class="short" dir="auto" lang="">${description}</p>
${wordLinks('tag', tags, WORDS_ON_CARD)}
<p class="counts">${countsLine(listing)}</p>
</li>
`;
}

export const cards = (listings: readonly Card[]) => markup`<ul class="cards">
${listings.map(card)}</ul>`;
