import { config } from '../config';
import { markup, trusted, type Markup } from '../values/markup';
import { inlineHash } from './inline-hash';
import { siteStyle } from './site-style';

interface SitePage {
  title: string;
  /** The text for search engines and link previews. */
  description?: string;
  /** The canonical URL, when several URLs lead to the page. */
  canonical?: string;
  /** Whether search engines may index the page. */
  isFound: boolean;
  main: Markup;
}

const style = trusted(siteStyle);

/** Renders a page of the marketplace around its main part. */
export function sitePage({ title, description, canonical, isFound, main }: SitePage): string {
  const site = config.marketplaceUrl();
  return markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
${!isFound && markup`<meta name="robots" content="noindex">\n`}<title dir="auto">${title}</title>
<meta property="og:title" content="${title}">
<meta property="og:type" content="website">
<meta property="og:site_name" content="Decks">
${description !== undefined && markup`<meta name="description" content="${description}">\n<meta property="og:description" content="${description}">\n`}${
    canonical !== undefined &&
    markup`<link rel="canonical" href="${canonical}">\n<meta property="og:url" content="${canonical}">\n`
  }<link rel="icon" href="data:,">
<style>${style}</style>
</head>
<body>
<header class="site"><a href="${site}/">Decks</a><nav aria-label="Site"><a href="${site}/marketplace">Marketplace</a></nav></header>
${main}
</body>
</html>
`.text;
}

/** The Content-Security-Policy of the pages: their style, forms to one origin, and the sources in `more`. */
export function sitePolicy(formTarget = config.marketplaceUrl(), more: readonly string[] = []): string {
  return [
    `default-src 'none'`,
    // The empty icon is a data: URL. Pictures of listings are files of their decks.
    `img-src data: ${new URL(config.baseUrl()).origin}`,
    `style-src ${inlineHash(siteStyle)}`,
    `base-uri 'none'`,
    `form-action ${new URL(formTarget).origin}`,
    `frame-ancestors 'none'`,
    ...more,
  ].join('; ');
}

interface NoticeOptions {
  problems?: readonly string[];
  /** Whether the page links to the marketplace, which is the default. */
  isLinked?: boolean;
}

/** A page with a message. */
export function siteNotice(heading: string, text: string, options: NoticeOptions = {}): string {
  const { problems = [], isLinked = true } = options;
  return sitePage({
    title: heading,
    isFound: false,
    main: markup`<main class="notice">
<h1>${heading}</h1>
<p class="quiet">${text}</p>
${problems.length > 0 && markup`<ul>${problems.map((problem) => markup`<li>${problem}</li>`)}</ul>`}
${isLinked && markup`<p><a class="button" href="${config.marketplaceUrl()}/marketplace">To the marketplace</a></p>\n`}</main>`,
  });
}
