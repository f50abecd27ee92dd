import { config } from '../config';
import { kindNames, listingCard, wordLinks as wordList, type CardFields } from '../house/listing-card';
import type { ListingSearch } from '../policy/listing-search';
import type { ListingSort } from '../values/listing-cursor';
import { markup, type Markup } from '../values/markup';
import { shown } from './elements';

export { counted, kindNames } from '../house/listing-card';

/** The fields of a listing that a card shows, and the address of its page. */
export interface Card extends CardFields {
  slug: string;
  techStack: readonly string[];
  marketplaceUrl: string;
}

/** A list of the marketplace: what it searches, its order, the cursor of the page and that of the page before it. */
export type Browsed = ListingSearch & {
  sort?: ListingSort | undefined;
  cursor?: string | undefined;
  previous?: string | undefined;
};

/** The URL of a list. One list has one URL, because it leaves out parameters with their default value. */
export function browseAddress({ author, sort, interactive, cursor, previous, ...words }: Browsed = {}): string {
  const { q, kind, category, tag, stack } = words;
  const parameters = Object.entries({
    ...{ q, kind, interactive: interactive?.toString(), category, tag, stack },
    sort: sort === 'recent' ? undefined : sort,
    ...{ cursor, previous },
  }).filter((each): each is [string, string] => each[1] !== undefined);
  const query = new URLSearchParams(parameters).toString();
  const path = author === undefined ? '/marketplace' : `/marketplace/by/${author}`;
  return `${config.marketplaceUrl()}${path}${query && `?${query}`}`;
}

/** Links to the lists of these words. */
export const wordLinks = (filter: 'tag' | 'stack', words: readonly string[]) =>
  shown(wordList(words, (word) => browseAddress({ [filter]: word })));

export const categoryLink = (category: string) =>
  markup`<a href="${browseAddress({ category })}"><bdi lang="">${category}</bdi></a>`;

export const authorLink = ({ authorId, displayName }: NonNullable<Card['author']>) =>
  markup`<a href="${browseAddress({ author: authorId })}"><bdi lang="">${displayName}</bdi></a>`;

export function kindLine({ kind, interactive }: Pick<Card, 'kind' | 'interactive'>): string {
  return `${kindNames[kind].one}${interactive && kind !== 'app' ? ' · Interactive' : ''}`;
}

function card(listing: Card): Markup {
  const element = listingCard(listing, {
    listing: listing.marketplaceUrl,
    author: browseAddress({ author: listing.author?.authorId }),
    category: browseAddress({ category: listing.category ?? undefined }),
    tag: (tag) => browseAddress({ tag }),
  });
  return markup`${shown(element)}\n`;
}

export const cards = (listings: readonly Card[]) => markup`<ul class="cards">
${listings.map(card)}</ul>`;
