import { config } from '../config';
import { kindNames, ListingCard, TextLink, WordLinks, type CardFields } from '../house/listing-card';
import { defaultSort, type ListingSearch } from '../policy/listing-search';
import type { SearchSort } from '../values/listing-cursor';

export { counted, kindNames } from '../house/listing-card';

/** The fields of a listing that a card shows, and the address of its page. */
export interface Card extends CardFields {
  slug: string;
  techStack: readonly string[];
  marketplaceUrl: string;
}

/** A list of the marketplace: what it searches, its order, the cursor of the page and that of the page before it. */
export type Browsed = ListingSearch & {
  sort?: SearchSort | undefined;
  cursor?: string | undefined;
  previous?: string | undefined;
};

/** The order of a list in its address: none for the default. */
export const chosenSort = ({ sort, q }: Pick<Browsed, 'sort' | 'q'>) =>
  sort === defaultSort({ q }) || sort === 'best' ? undefined : sort;

/** The URL of a list. One list has one URL, because it leaves out parameters with their default value. */
export function browseAddress({ author, sort, interactive, cursor, previous, ...words }: Browsed = {}): string {
  const { q, kind, category, tag, stack } = words;
  const parameters = Object.entries({
    q,
    kind,
    interactive: interactive?.toString(),
    category,
    tag,
    stack,
    sort: chosenSort({ sort, q }),
    cursor,
    previous,
  }).filter((each): each is [string, string] => each[1] !== undefined);
  const query = new URLSearchParams(parameters).toString();
  const path = author === undefined ? '/marketplace' : `/marketplace/by/${author}`;
  return `${config.marketplaceUrl()}${path}${query && `?${query}`}`;
}

interface FilterLinksProps {
  filter: 'tag' | 'stack';
  words: readonly string[];
}

/** Links to the lists of these words. */
export const FilterLinks = ({ filter, words }: FilterLinksProps) => (
  <WordLinks words={words} addressOf={(word) => browseAddress({ [filter]: word })} />
);

export const CategoryLink = ({ category }: { category: string }) => (
  <TextLink href={browseAddress({ category })}>{category}</TextLink>
);

export const AuthorLink = ({ authorId, displayName }: NonNullable<Card['author']>) => (
  <TextLink href={browseAddress({ author: authorId })}>{displayName}</TextLink>
);

export function kindLine({ kind, interactive }: Pick<Card, 'kind' | 'interactive'>): string {
  return `${kindNames[kind].one}${interactive && kind !== 'app' ? ' · Interactive' : ''}`;
}

const addressesOf = ({ marketplaceUrl, author, category }: Card) => ({
  listing: marketplaceUrl,
  author: browseAddress({ author: author?.authorId }),
  category: browseAddress({ category: category ?? undefined }),
  tag: (tag: string) => browseAddress({ tag }),
});

export const Cards = ({ listings }: { listings: readonly Card[] }) => (
  <ul class="cards">
    {listings.map((listing) => (
      <ListingCard listing={listing} addresses={addressesOf(listing)} />
    ))}
  </ul>
);
