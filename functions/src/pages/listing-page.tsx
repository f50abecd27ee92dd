import { listing as script } from '../../runtime/bundle.cjs';
import { config } from '../config';
import { raw, untranslated } from '../house/attributes';
import { ListingPicture } from '../house/listing-card';
import { inlineHash } from '../house/render';
import { sandboxFlags } from '../policy/sandbox';
import { deckCommand, installCommand } from '../values/client-commands';
import { AuthorLink, Cards, CategoryLink, counted, kindLine, type Card } from './listing-card';
import { FileList, ListingFacts, VersionList } from './listing-facts';
import { Lineage } from './listing-lineage';
import { ListingMetadata } from './listing-metadata';
import { ReportForm } from './listing-report';
import { SlideRow, type ShownSlide } from './listing-slides';
import { listingStyle } from './listing-style';
import { sitePage, sitePolicy } from './site-page';

type Facts = Parameters<typeof ListingFacts>[0];
type Metadata = Parameters<typeof ListingMetadata>[0];
type Family = Parameters<typeof Lineage>[0];

/** The fields of a listing that its page shows. */
export type ShownListing = Card &
  Facts &
  Metadata &
  Omit<Family, 'remixes'> & {
    /** The address of the deck's entry. A deck that has no origin of its own has an opaque one in its frame. */
    deck: { url: string; hasOrigin: boolean };
    /** The first slides, in their order. */
    slides: readonly ShownSlide[];
    remixes: readonly (Card & Family['remixes'][number])[];
    /** The page with further remixes; undefined when there are none. */
    moreRemixesUrl: string | undefined;
  };

/**
 * The Content-Security-Policy of the page: that of the site's pages, the deck's frame, and the calls of the script. A
 * browser does not run a script element with data, so the policy does not name it.
 */
export function listingPagePolicy(deckUrl: string): string {
  const more = [
    // Links of the deck without a target open in the frame.
    `frame-src ${new URL(deckUrl).origin} https:`,
    `script-src ${inlineHash(script)}`,
    `connect-src 'self' ${new URL(config.baseUrl()).origin}`,
  ];
  return sitePolicy(config.baseUrl(), more, { style: listingStyle, hasPictures: true });
}

/**
 * The page of one listing. Without an origin of its own, the deck has the same sandbox as its answers. With one, it
 * keeps this origin, which is not that of the page, and so its storage. In both cases it cannot navigate the page.
 */
export function listingPage(listing: ShownListing): string {
  const { slug, title, description, status, deck, marketplaceUrl } = listing;
  return sitePage({
    title,
    description,
    canonical: marketplaceUrl,
    isFound: status === 'public',
    style: listingStyle,
    head: <ListingMetadata {...listing} />,
    main: (
      <main>
        <Introduction {...listing} />
        <div class="frame">
          <iframe
            src={deck.url}
            title={title}
            sandbox={`${sandboxFlags}${deck.hasOrigin ? ' allow-same-origin' : ''}`}
            allow="fullscreen; clipboard-write; screen-wake-lock"
            referrerpolicy="no-referrer"
          />
        </div>
        <Actions {...listing} />
        <SlideRow {...listing} />
        <script data-slug={slug} data-url={config.baseUrl()} {...raw(script)} />
        <div class="about">
          <div>
            <ListingFacts {...listing} />
            <VersionList {...listing} />
            <FileList {...listing} />
          </div>
          <div>
            {status === 'public' && <Remixing slug={slug} deck={deck} />}
            <Lineage {...listing} />
          </div>
        </div>
        <Remixes {...listing} />
        <ReportForm slug={slug} />
      </main>
    ),
  });
}

const Introduction = ({ title, description, category, author, status, ...listing }: ShownListing) => (
  <div class="intro">
    <ListingPicture {...listing} title={title} isBare />
    <div>
      <p class="meta">
        {kindLine(listing)}
        {category !== null && (
          <>
            {' · '}
            <CategoryLink category={category} />
          </>
        )}
        {author && (
          <>
            {' · By '}
            <AuthorLink {...author} />
          </>
        )}
        {status === 'unlisted' && ' · Unlisted'}
      </p>
      <h1 dir="auto" lang="">
        {title}
      </h1>
      <p class="lead" dir="auto" lang="">
        {description}
      </p>
    </div>
  </div>
);

/**
 * What a reader can do with the listing. The script shows the hidden buttons, which need it. What it does not show
 * stands before them, and “Edit” keeps its place, so that nothing moves when the script has run.
 */
const Actions = (listing: ShownListing) => (
  <div class="bar">
    <div class="actions">
      <a class="button" href={listing.deck.url} target="_blank" rel="noopener">
        Open full screen
      </a>
      {listing.status === 'public' && (
        <>
          <a class="button plain" href={remixAddress(listing.slug)}>
            Remix
          </a>
          <button type="button" class="plain" id="star" aria-pressed={false} hidden>
            Star
          </button>
        </>
      )}
      <button type="button" class="plain" data-copy={listing.marketplaceUrl} hidden>
        Copy link
      </button>
      <a class="button plain unseen" id="edit" href={`${config.marketplaceUrl()}/dashboard`}>
        Edit
      </a>
    </div>
    <Counts {...listing} />
    <p id="status" role="status" />
  </div>
);

/** The counts that are not 0. The script writes the stars again when they change. */
const Counts = ({ stars, remixCount, viewCount }: Card) => (
  <p class="counts">
    <span id="stars">{stars > 0 && counted(stars, 'star', 'stars')}</span>
    {remixCount > 0 && <span>{counted(remixCount, 'remix', 'remixes')}</span>}
    {viewCount > 0 && <span>{counted(viewCount, 'view', 'views')}</span>}
  </p>
);

const remixAddress = (slug: string) => `${config.marketplaceUrl()}/dashboard/remix/${slug}`;

function Remixing({ slug, deck }: Pick<ShownListing, 'slug' | 'deck'>) {
  const baseUrl = config.baseUrl();
  const commands = [
    installCommand(config.clientUrl()),
    deckCommand(baseUrl, 'signup'),
    deckCommand(baseUrl, 'remix', slug),
  ].join('\n');
  return (
    <section aria-labelledby="remix">
      <h2 id="remix">Remix this listing</h2>
      <p class="quiet">
        A remix copies the files of this listing into a new deck of yours:{' '}
        <a href={remixAddress(slug)}>in the browser</a>, or into a new folder with these commands in a terminal. They
        install the client of this service and create an account for you. You need Node 20.19 or newer. Skip the steps
        that you have already done.
      </p>
      <div class="commands">
        <div>
          <span>Terminal</span>
          <button type="button" class="plain" data-copy={commands} hidden>
            Copy
          </button>
        </div>
        <pre tabIndex={0} role="group" aria-label="The commands that remix this listing" {...untranslated}>
          {commands}
        </pre>
      </div>
      <p class="quiet">
        The copy contains the author’s scripts.{' '}
        {deck.hasOrigin
          ? 'They cannot see your secret link, but they can send the contents of the deck, and what people do in it, to any server.'
          : 'When someone opens your deck, they can send its address, including your secret link, to any server.'}{' '}
        Read the scripts before you open or share the deck.
      </p>
    </section>
  );
}

const Remixes = ({ remixes, moreRemixesUrl }: ShownListing) =>
  remixes.length > 0 && (
    <section class="list" aria-labelledby="remixes">
      <h2 id="remixes">Remixes</h2>
      <Cards listings={remixes} />
      {moreRemixesUrl !== undefined && (
        <p class="more">
          <a class="button" rel="next" href={moreRemixesUrl}>
            More remixes
          </a>
        </p>
      )}
    </section>
  );
