import { config } from '../config';
import { xml, xmlDocument } from '../house/xml';

const xmlns = 'http://www.sitemaps.org/schemas/sitemap/0.9';

/** The addresses of all parts: that of the pages of the site, which its build makes, and those of the listings. */
export function sitemapIndex(parts: number): string {
  const listings = Array.from({ length: parts }, (_, i) => `${config.marketplaceUrl()}/sitemap-listings-${i + 1}.xml`);
  const urls = [`${config.viewerUrl()}/sitemap-site.xml`, ...listings];
  return xmlDocument(
    xml(
      'sitemapindex',
      { xmlns },
      urls.map((url) => xml('sitemap', {}, xml('loc', {}, url))),
    ),
  );
}

/** A part with the pages of listings. The first part also has the page of the marketplace. */
export function sitemapPart(listings: readonly { slug: string; updatedAt: Date }[], isFirst: boolean): string {
  const marketplace = `${config.marketplaceUrl()}/marketplace`;
  const pages = listings.map(({ slug, updatedAt }) =>
    xml('url', {}, xml('loc', {}, `${marketplace}/${slug}`), xml('lastmod', {}, updatedAt.toISOString())),
  );
  return xmlDocument(xml('urlset', { xmlns }, isFirst && xml('url', {}, xml('loc', {}, marketplace)), pages));
}
