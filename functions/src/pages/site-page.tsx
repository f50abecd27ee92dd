import type { ComponentChildren } from 'preact';
import { config } from '../config';
import { Footer, Header } from '../house/frame';
import { raw } from '../house/attributes';
import { inlineHash, renderPage } from '../house/render';
import { name } from '../house/tokens.json';
import { siteStyle } from './site-style';

interface SitePage {
  title: string;
  /** The text for search engines and link previews. */
  description?: string;
  /** The canonical URL, when several URLs lead to the page. */
  canonical?: string;
  /** Whether search engines may index the page. */
  isFound: boolean;
  /** Further elements of the head. */
  head?: ComponentChildren;
  main: ComponentChildren;
  /** The script of the page. The policy must allow it. */
  script?: string;
  /** The style sheet; that of the marketplace when absent. */
  style?: string;
}

/** Renders a page around its main part. All pages of the functions have this frame. */
export function sitePage(page: SitePage): string {
  const { title, description, canonical, isFound, head, main, script, style = siteStyle } = page;
  const site = config.marketplaceUrl();
  return renderPage(
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="referrer" content="no-referrer" />
        {!isFound && <meta name="robots" content="noindex" />}
        <title dir="auto">{title}</title>
        <meta property="og:title" content={title} />
        <meta property="og:type" content="website" />
        <meta property="og:site_name" content={name} />
        {description !== undefined && (
          <>
            <meta name="description" content={description} />
            <meta property="og:description" content={description} />
          </>
        )}
        {canonical !== undefined && (
          <>
            <link rel="canonical" href={canonical} />
            <meta property="og:url" content={canonical} />
          </>
        )}
        {head}
        {/* The readers of feeds learn of the feed on the pages that search engines may show. */}
        {isFound && (
          <link
            rel="alternate"
            type="application/atom+xml"
            title="The newest listings"
            href={`${site}/marketplace/feed.xml`}
          />
        )}
        <link rel="icon" href={`${site}/favicon.ico`} sizes="32x32" />
        <link rel="icon" href={`${site}/favicon.svg`} type="image/svg+xml" />
        <style {...raw(style)} />
      </head>
      <body>
        <Header site={site} path={canonical?.slice(site.length)} />
        {script !== undefined && <script {...raw(script)} />}
        {main}
        <Footer site={site} />
      </body>
    </html>,
  );
}

/** What differs between the pages in their Content-Security-Policy. */
interface PolicyOptions {
  style?: string;
  /** Who may frame the page: nobody when absent. */
  framing?: string;
  /** Whether the page shows pictures of listings, which are files of their decks. */
  hasPictures?: true;
}

/**
 * The Content-Security-Policy of a page: its style, the icon, forms to the origin of `formTarget`, and the sources in
 * `more`.
 */
export function sitePolicy(
  formTarget: string | null = config.marketplaceUrl(),
  more: readonly string[] = [],
  { style = siteStyle, framing = `frame-ancestors 'none'`, hasPictures }: PolicyOptions = {},
): string {
  const pictures = hasPictures ? ` ${new URL(config.baseUrl()).origin}` : '';
  return [
    `default-src 'none'`,
    `img-src ${new URL(config.marketplaceUrl()).origin}${pictures}`,
    `style-src ${inlineHash(style)}`,
    `base-uri 'none'`,
    `form-action ${formTarget === null ? "'none'" : new URL(formTarget).origin}`,
    framing,
    ...more,
  ].join('; ');
}
