import type { ComponentChildren } from 'preact';
import { DrawnPicture } from './drawn-picture';

/** The fields of a listing that its card shows. */
export interface CardFields {
  title: string;
  description: string;
  kind: keyof typeof kindNames;
  interactive: boolean;
  category: string | null;
  tags: readonly string[];
  author: { authorId: string; displayName: string } | null;
  picture: { url: string } | null;
  /** The brand colour of the organization. */
  colour: string | null;
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

type Pictured = Pick<CardFields, 'title' | 'picture' | 'colour'>;

/** The deck's own picture, or a drawn one. Its alternative text is empty: the title stands beside it. */
export function ListingPicture({ title, picture, colour, isBare = false }: Pictured & { isBare?: boolean }) {
  if (!picture) return <DrawnPicture title={title} colour={colour} isBare={isBare} />;
  return <img class="picture" src={picture.url} alt="" width={640} height={360} loading="lazy" decoding="async" />;
}

/** A link whose text may be in any language. */
export const TextLink = ({ href, children }: { href: string | undefined; children: ComponentChildren }) => (
  <a href={href}>
    <bdi lang="">{children}</bdi>
  </a>
);

interface WordLinksProps {
  words: readonly string[];
  addressOf: (word: string) => string | undefined;
  most?: number;
}

/** Links to the lists of these words: the first `most`, and the number of the others. */
export function WordLinks({ words, addressOf, most = words.length }: WordLinksProps) {
  const left = words.length - most;
  return (
    words.length > 0 && (
      <ul class="words">
        {words.slice(0, most).map((word) => (
          <li key={word}>
            <a href={addressOf(word)}>{word}</a>
          </li>
        ))}
        {left > 0 && (
          <li>
            <span>+{left}</span>
          </li>
        )}
      </ul>
    )
  );
}

const WORDS_ON_CARD = 3;

/**
 * The card of a listing, as an item of a list. The marketplace shows it, and the dashboard shows it before the listing
 * is published. Titles and descriptions may be in any language, left to right or right to left.
 */
export function ListingCard({ listing, addresses }: { listing: CardFields; addresses?: CardAddresses }) {
  const { title, description, kind, interactive, category, author, tags, createdAt } = listing;
  const counts = countsLine(listing);
  const label = kind === 'presentation' ? interactive && 'Interactive' : kindNames[kind].one;
  return (
    // A drawn picture shows the title. The heading then is for screen readers alone.
    <li class={listing.picture ? 'listing-card' : 'listing-card titled'}>
      {/* In the order of the page, so that the title does not move while the page arrives. */}
      <ListingPicture {...listing} />
      <h3 dir="auto" lang="">
        <a href={addresses?.listing}>
          <span>{title}</span>
        </a>
      </h3>
      {label && <p class="kind">{label}</p>}
      <p class="meta">
        {author && (
          <>
            <TextLink href={addresses?.author}>{author.displayName}</TextLink> ·{' '}
          </>
        )}
        <time datetime={createdAt.slice(0, 10)}>{date.format(new Date(createdAt))}</time>
        {category !== null && (
          <>
            {' '}
            · <TextLink href={addresses?.category}>{category}</TextLink>
          </>
        )}
      </p>
      <p class="summary" dir="auto" lang="">
        {description}
      </p>
      <WordLinks words={tags} addressOf={(tag) => addresses?.tag(tag)} most={WORDS_ON_CARD} />
      {counts !== '' && <p class="counts">{counts}</p>}
    </li>
  );
}
