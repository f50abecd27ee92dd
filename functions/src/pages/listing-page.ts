import { config } from '../config';
import { reportReasons, type ReportReason } from '../policy/listing-reports';
import { sandboxFlags } from '../policy/sandbox';
import { deckCommand, installCommand } from '../values/client-commands';
import { markup, trusted, type Markup } from '../values/markup';
import { inlineHash } from './inline-hash';
import { cards, categoryLink, countsLine, kindLine, wordLinks, type Card } from './listing-card';
import { sitePage, sitePolicy } from './site-page';

/** The fields of a listing that its page shows. */
export interface ShownListing extends Card {
  slug: string;
  status: 'public' | 'unlisted';
  version: number;
  createdAt: string;
  updatedAt: string;
  owner: { displayName: string; organizationName: string };
  /** Nearest first. */
  lineage: readonly { slug: string; title: string }[];
  /** The address of the deck's entry. A deck that has no origin of its own has an opaque one in its frame. */
  deck: { url: string; hasOrigin: boolean };
  remixes: readonly Card[];
  /** The page with further remixes; undefined when there are none. */
  moreRemixesUrl: string | undefined;
}

// Counts one view for each listing and browser session. A browser without sessionStorage does not count.
const script = `
const { slug, url } = document.currentScript.dataset;
try {
  if (!sessionStorage.getItem('viewed ' + slug)) {
    sessionStorage.setItem('viewed ' + slug, 'yes');
    const headers = { 'Content-Type': 'application/json' };
    fetch(url, { method: 'POST', headers, body: JSON.stringify({ slug }) })
      .then((answer) => answer.text())
      .catch(() => {});
  }
} catch {}
`;

/**
 * The Content-Security-Policy of the page: that of the site's pages, the deck's frame, and the call that counts a view.
 */
export function listingPagePolicy(deckUrl: string): string {
  return sitePolicy(config.baseUrl(), [
    // Links of the deck without a target open in the frame.
    `frame-src ${new URL(deckUrl).origin} https:`,
    `script-src ${inlineHash(script)}`,
    `connect-src ${new URL(config.baseUrl()).origin}`,
  ]);
}

/**
 * The page of one listing. Without an origin of its own, the deck has the same sandbox as its answers. With one, it
 * keeps this origin, which is not that of the page, and so its storage. In both cases it cannot navigate the page.
 */
export function listingPage(listing: ShownListing): string {
  const { slug, title, description, status, category, deck, marketplaceUrl } = listing;
  return sitePage({
    title,
    description,
    canonical: marketplaceUrl,
    isFound: status === 'public',
    main: markup`<main>
<p class="meta">${kindLine(listing)}${category !== null && markup` · ${categoryLink(category)}`}${status === 'unlisted' && ' · Unlisted'}</p>
<h1 dir="auto" lang="">${title}</h1>
<p class="lead" dir="auto" lang="">${description}</p>
<div class="frame"><iframe src="${deck.url}" title="${title}" sandbox="${sandboxFlags}${deck.hasOrigin && ' allow-same-origin'}" allow="fullscreen; clipboard-write; screen-wake-lock" referrerpolicy="no-referrer"></iframe></div>
<p class="bar"><a class="button" href="${deck.url}" target="_blank" rel="noopener">Open full screen</a><span class="counts">${countsLine(listing)}</span></p>
<div class="about">
<div>
${facts(listing)}
</div>
<div>
${remixing(slug)}
</div>
</div>
${remixesOf(listing)}
${reportForm(slug)}
</main>
<script data-slug="${slug}" data-url="${config.baseUrl()}/recordMarketplaceView">${trusted(script)}</script>`,
  });
}

function facts(listing: ShownListing): Markup {
  const { owner, version, createdAt, updatedAt, tags, techStack, lineage } = listing;
  const row = (name: string, value: Markup | string | false) => value && markup`<dt>${name}</dt><dd>${value}</dd>\n`;
  return markup`<section aria-labelledby="about">
<h2 id="about">About</h2>
<dl>
${row('By', markup`<bdi lang="">${owner.displayName}</bdi>, <bdi lang="">${owner.organizationName}</bdi>`)}
${row('Version', markup`${version}, published ${day(createdAt)}`)}
${day(createdAt).text !== day(updatedAt).text && row('Changed', day(updatedAt))}
${row('Tags', wordLinks('tag', tags))}
${row('Made with', wordLinks('stack', techStack))}
${row('Remixed from', lineage.length > 0 && ancestors(lineage))}
</dl>
</section>`;
}

const date = new Intl.DateTimeFormat('en', { dateStyle: 'long', timeZone: 'UTC' });
const day = (time: string) => markup`<time datetime="${time.slice(0, 10)}">${date.format(new Date(time))}</time>`;

function ancestors([source, ...earlier]: ShownListing['lineage']): Markup {
  const link = ({ slug, title }: ShownListing['lineage'][number]) =>
    markup`<a href="${config.marketplaceUrl()}/marketplace/${slug}"><bdi lang="">${title}</bdi></a>`;
  return markup`${source && link(source)}${
    earlier.length > 0 &&
    markup`<details><summary>and ${earlier.length} earlier</summary><ol>${earlier.map((each) => markup`<li>${link(each)}</li>`)}</ol></details>`
  }`;
}

function remixing(slug: string): Markup {
  const baseUrl = config.baseUrl();
  const commands = [
    installCommand(config.clientUrl()),
    deckCommand(baseUrl, 'signup'),
    deckCommand(baseUrl, 'remix', slug),
  ];
  return markup`<section aria-labelledby="remix">
<h2 id="remix">Remix this listing</h2>
<p class="quiet">Run these commands in a terminal. They install the client of this service, make an account for you, and copy the files of this listing into a new deck of yours and into a new folder. You need Node 20.19 or newer. Leave out what you have done before.</p>
<pre tabindex="0" role="group" aria-label="The commands that remix this listing">${commands.join('\n')}</pre>
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

const reasonNames: Record<ReportReason, string> = {
  copyright: 'It infringes a copyright',
  illegal: 'It is illegal',
  impersonation: 'It pretends to be from someone else',
  malware: 'It contains malware',
  offensive: 'It is offensive',
  phishing: 'It tries to steal passwords or money',
  privacy: 'It shows private information',
  spam: 'It is spam',
  other: 'Something else',
};

function reportForm(slug: string): Markup {
  const options = reportReasons.map((reason) => markup`<option value="${reason}">${reasonNames[reason]}</option>`);
  return markup`<details class="report">
<summary>Report this listing</summary>
<form method="post" action="${config.baseUrl()}/reportPage">
<input type="hidden" name="slug" value="${slug}">
<label>What is wrong with it?<select name="reason" required><option value="">Choose one</option>${options}</select></label>
<label class="whole">Details (optional)<textarea name="details" rows="4" maxlength="2000" dir="auto"></textarea></label>
<button>Send report</button>
</form>
</details>`;
}
