import { listing as script } from '../../runtime/bundle.cjs';
import { config } from '../config';
import { sandboxFlags } from '../policy/sandbox';
import { deckCommand, installCommand } from '../values/client-commands';
import { markup, trusted, type Markup } from '../values/markup';
import { inlineHash } from './inline-hash';
import { authorLink, cards, categoryLink, counted, kindLine, type Card } from './listing-card';
import { fileList, listingFacts, versionList } from './listing-facts';
import { lineageTree } from './listing-lineage';
import { listingMetadata } from './listing-metadata';
import { reportForm } from './listing-report';
import { listingStyle } from './listing-style';
import { sitePage, sitePolicy } from './site-page';

type Facts = Parameters<typeof listingFacts>[0];
type Metadata = Parameters<typeof listingMetadata>[0];
type Family = Parameters<typeof lineageTree>[0];

/** The fields of a listing that its page shows. */
export type ShownListing = Card &
  Facts &
  Metadata &
  Omit<Family, 'remixes'> & {
    /** The address of the deck's entry. A deck that has no origin of its own has an opaque one in its frame. */
    deck: { url: string; hasOrigin: boolean };
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
    `connect-src ${new URL(config.baseUrl()).origin}`,
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
    head: listingMetadata(listing),
    main: markup`<main>
${introduction(listing)}
<div class="frame"><iframe src="${deck.url}" title="${title}" sandbox="${sandboxFlags}${deck.hasOrigin && ' allow-same-origin'}" allow="fullscreen; clipboard-write; screen-wake-lock" referrerpolicy="no-referrer"></iframe></div>
${actions(listing)}
<script data-slug="${slug}" data-url="${config.baseUrl()}">${trusted(script)}</script>
<div class="about">
<div>
${listingFacts(listing)}
${versionList(listing)}
${fileList(listing)}
</div>
<div>
${status === 'public' && remixing(slug)}
${lineageTree(listing)}
</div>
</div>
${remixesOf(listing)}
${reportForm(slug)}
</main>`,
  });
}

function introduction(listing: ShownListing): Markup {
  const { title, description, category, author, status, picture } = listing;
  return markup`<div class="intro${picture && ' pictured'}">
${picture && markup`<img class="picture" src="${picture.url}" alt="" width="640" height="360">\n`}<div>
<p class="meta">${kindLine(listing)}${category !== null && markup` · ${categoryLink(category)}`}${author && markup` · By ${authorLink(author)}`}${status === 'unlisted' && ' · Unlisted'}</p>
<h1 dir="auto" lang="">${title}</h1>
<p class="lead" dir="auto" lang="">${description}</p>
</div>
</div>`;
}

/**
 * What a reader can do with the listing. The script shows the hidden buttons, which need it. “Edit” keeps its place, so
 * that nothing moves when the script learns that the reader is the owner.
 */
function actions(listing: ShownListing): Markup {
  const { slug, status, deck, marketplaceUrl } = listing;
  return markup`<div class="bar"><div class="actions">
<a class="button" href="${deck.url}" target="_blank" rel="noopener">Open full screen</a>
${
  status === 'public' &&
  // The script shows the hidden buttons. What it does not show stands before them, so that nothing moves.
  markup`<a class="button plain" href="${config.marketplaceUrl()}/dashboard/remix/${slug}">Remix</a>
<button type="button" class="plain" id="star" aria-pressed="false" hidden>Star</button>
`
}<button type="button" class="plain" data-copy="${marketplaceUrl}" hidden>Copy link</button>
<a class="button plain unseen" id="edit" href="${config.marketplaceUrl()}/dashboard">Edit</a>
</div>${counts(listing)}<p id="status" role="status"></p></div>`;
}

/** The counts that are not 0. The script writes the stars again when they change. */
function counts({ stars, remixCount, viewCount }: Card): Markup {
  return markup`<p class="counts"><span id="stars">${stars > 0 && counted(stars, 'star', 'stars')}</span>${
    remixCount > 0 && markup`<span>${counted(remixCount, 'remix', 'remixes')}</span>`
  }${viewCount > 0 && markup`<span>${counted(viewCount, 'view', 'views')}</span>`}</p>`;
}

function remixing(slug: string): Markup {
  const baseUrl = config.baseUrl();
  const commands = [
    installCommand(config.clientUrl()),
    deckCommand(baseUrl, 'signup'),
    deckCommand(baseUrl, 'remix', slug),
  ].join('\n');
  return markup`<section aria-labelledby="remix">
<h2 id="remix">Remix this listing</h2>
<p class="quiet">A remix copies the files of this listing into a new deck of yours: <a href="${config.marketplaceUrl()}/dashboard/remix/${slug}">in the browser</a>, or into a new folder with these commands in a terminal. They install the client of this service and make an account for you. You need Node 20.19 or newer. Leave out what you have done before.</p>
<div class="commands"><div><span>Terminal</span><button type="button" class="plain" data-copy="${commands}" hidden>Copy</button></div>
<pre tabindex="0" role="group" aria-label="The commands that remix this listing" translate="no">${commands}</pre></div>
<p class="quiet">The copy contains the author’s scripts. When you open your deck, they can send its address, with your secret link, to any server. Read the scripts before you open or share the deck.</p>
</section>`;
}

function remixesOf({ remixes, moreRemixesUrl }: ShownListing): Markup | false {
  return (
    remixes.length > 0 &&
    markup`<section class="list" aria-labelledby="remixes">
<h2 id="remixes">Remixes</h2>
${cards(remixes)}
${moreRemixesUrl !== undefined && markup`<p class="more"><a class="button" rel="next" href="${moreRemixesUrl}">More remixes</a></p>`}
</section>`
  );
}
