import { drawnPicture } from './drawn-picture';
import { element, type Child, type Element } from './elements';

/** The fields of a listing that its card shows. */
export interface CardFields {
  title: string;
  description: string;
  kind: keyof typeof kindNames;
  interactive: boolean;
  category: string | null;
  tags: readonly string[];
  author: { authorId: string; displayName: string } | null;
  picture: { url: string; size: number } | null;
  stars: number;
  remixCount: number;
  viewCount: number;
  createdAt: string;
}

/** The addresses of the links of a card. The card of a listing that is not published yet has none. */
export interface CardAddresses {
  listing: string;
  author: string;
  category: string;
  tag: (tag: string) => string;
}

export const kindNames = {
  presentation: { one: 'Presentation', many: 'Presentations' },
  app: { one: 'App', many: 'Apps' },
  plan: { one: 'Plan', many: 'Plans' },
};

const number = new Intl.NumberFormat('en');
export const counted = (count: number, one: string, many: string) =>
  `${number.format(count)} ${count === 1 ? one : many}`;

/** The counts that are not 0. */
function countsLine({ stars, remixCount, viewCount }: CardFields): string {
  return [
    stars > 0 && counted(stars, 'star', 'stars'),
    remixCount > 0 && counted(remixCount, 'remix', 'remixes'),
    viewCount > 0 && counted(viewCount, 'view', 'views'),
  ]
    .filter((part) => part !== false)
    .join(' · ');
}

const date = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeZone: 'UTC' });
const day = (time: string) => element('time', { datetime: time.slice(0, 10) }, date.format(new Date(time)));

/** A larger picture makes a page of cards slow on a phone. */
const MAX_PICTURE_BYTES = 512 * 1024;

/** The deck's own picture, or a drawn one. Its alternative text is empty: the title stands beside it. */
export function listingPicture({ title, picture }: Pick<CardFields, 'title' | 'picture'>): Element {
  if (!picture || picture.size > MAX_PICTURE_BYTES) return drawnPicture(title);
  const loading = { loading: 'lazy', decoding: 'async' };
  return element('img', { class: 'picture', src: picture.url, alt: '', width: 640, height: 360, ...loading });
}

/** A link whose text may be in any language. */
const link = (text: string, href: string | undefined) => element('a', { href }, element('bdi', { lang: '' }, text));

/** Links to the lists of these words: the first `most`, and the number of the others. */
export function wordLinks(
  words: readonly string[],
  addressOf: (word: string) => string | undefined,
  most = words.length,
): Element | false {
  const left = words.length - most;
  const links = words.slice(0, most).map((word) => element('li', {}, element('a', { href: addressOf(word) }, word)));
  const others = left > 0 && element('li', {}, element('span', {}, `+${left}`));
  return words.length > 0 && element('ul', { class: 'words' }, ...links, others);
}

const WORDS_ON_CARD = 3;

/**
 * The card of a listing, as an item of a list. The marketplace shows it, and the dashboard shows it before the listing
 * is published. Titles and descriptions may be in any language, left to right or right to left.
 */
export function listingCard(listing: CardFields, addresses?: CardAddresses): Element {
  const { title, description, kind, interactive, category, author, tags, createdAt } = listing;
  const text = { dir: 'auto', lang: '' };
  const counts = countsLine(listing);
  const label = kind === 'presentation' ? interactive && 'Interactive' : kindNames[kind].one;
  const meta: Child[] = [
    ...(author ? [link(author.displayName, addresses?.author), ' · '] : []),
    day(createdAt),
    ...(category !== null ? [' · ', link(category, addresses?.category)] : []),
  ];
  return element(
    'li',
    { class: 'listing-card' },
    // In the order of the page, so that the title does not move while the page arrives.
    listingPicture(listing),
    element('h3', text, element('a', { href: addresses?.listing }, title)),
    label && element('p', { class: 'kind' }, label),
    element('p', { class: 'meta' }, ...meta),
    element('p', { class: 'summary', ...text }, description),
    wordLinks(tags, (tag) => addresses?.tag(tag), WORDS_ON_CARD),
    counts !== '' && element('p', { class: 'counts' }, counts),
  );
}
