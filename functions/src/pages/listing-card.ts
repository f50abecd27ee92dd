import { config } from '../config';
import type { ListingSearch } from '../policy/listing-search';
import type { ListingKind } from '../policy/listings';
import type { ListingSort } from '../values/listing-cursor';
import { markup, type Markup } from '../values/markup';
import { KB } from '../values/units';
import { drawnPicture } from './drawn-picture';

/** The fields of a listing that a card shows. */
export interface Card {
  slug: string;
  title: string;
  description: string;
  kind: ListingKind;
  interactive: boolean;
  category: string | null;
  tags: readonly string[];
  techStack: readonly string[];
  author: { authorId: string; displayName: string } | null;
  picture: { url: string; size: number } | null;
  stars: number;
  remixCount: number;
  viewCount: number;
  createdAt: string;
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

export const authorLink = ({ authorId, displayName }: NonNullable<Card['author']>) =>
  markup`<a href="${browseAddress({ author: authorId })}"><bdi lang="">${displayName}</bdi></a>`;

const number = new Intl.NumberFormat('en');
export const counted = (count: number, one: string, many: string) =>
  `${number.format(count)} ${count === 1 ? one : many}`;

/** The counts that are not 0. */
export function countsLine({ stars, remixCount, viewCount }: Card): string {
  return [
    stars > 0 && counted(stars, 'star', 'stars'),
    remixCount > 0 && counted(remixCount, 'remix', 'remixes'),
    viewCount > 0 && counted(viewCount, 'view', 'views'),
  ]
    .filter((part) => part !== false)
    .join(' · ');
}

export function kindLine({ kind, interactive }: Pick<Card, 'kind' | 'interactive'>): string {
  return `${kindNames[kind].one}${interactive && kind !== 'app' ? ' · Interactive' : ''}`;
}

const date = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeZone: 'UTC' });
export const day = (time: string) =>
  markup`<time datetime="${time.slice(0, 10)}">${date.format(new Date(time))}</time>`;

/** A larger picture makes a page of cards slow on a phone. */
const MAX_PICTURE_BYTES = 512 * KB;

/** The deck's own picture, or a drawn one. Its alternative text is empty: the title stands beside it. */
export function cardPicture({ slug, title, picture }: Pick<Card, 'slug' | 'title' | 'picture'>): Markup {
  if (!picture || picture.size > MAX_PICTURE_BYTES) return drawnPicture({ slug, title });
  return markup`<img class="picture" src="${picture.url}" alt="" width="640" height="360" loading="lazy" decoding="async">`;
}

const WORDS_ON_CARD = 3;

function card(listing: Card): Markup {
  const { title, description, kind, interactive, category, author, tags, createdAt, marketplaceUrl } = listing;
  const counts = countsLine(listing);
  // Titles and descriptions may be in any language, left to right or right to left.
  return markup`<li class="card">
${cardPicture(listing)}
<h3 class="short" dir="auto" lang=""><a href="${marketplaceUrl}">${title}</a></h3>
${(kind !== 'presentation' || interactive) && markup`<p class="kind">${kind === 'presentation' ? 'Interactive' : kindNames[kind].one}</p>\n`}<p class="meta">${author && markup`${authorLink(author)} · `}${day(createdAt)}${category !== null && markup` · ${categoryLink(category)}`}</p>
<p class="short summary" dir="auto" lang="">${description}</p>
${wordLinks('tag', tags, WORDS_ON_CARD)}
${counts !== '' && markup`<p class="counts">${counts}</p>\n`}</li>
`;
}

export const cards = (listings: readonly Card[]) => markup`<ul class="cards">
${listings.map(card)}</ul>`;
