import { config } from '../config';
import { markup } from '../values/markup';
import { xmlDocument } from '../values/xml';

const schema = 'http://www.sitemaps.org/schemas/sitemap/0.9';

/** The addresses of all parts: that of the pages of the site, which its build makes, and those of the listings. */
export function sitemapIndex(parts: number): string {
  const listings = Array.from({ length: parts }, (_, i) => `${config.marketplaceUrl()}/sitemap-listings-${i + 1}.xml`);
  const elements = [`${config.viewerUrl()}/sitemap-site.xml`, ...listings].map(
    (url) => markup`<sitemap><loc>${url}</loc></sitemap>\n`,
  );
  return xmlDocument(markup`<sitemapindex xmlns="${schema}">\n${elements}</sitemapindex>`);
}

/** A part with the pages of listings. The first part also has the page of the marketplace. */
export function sitemapPart(listings: readonly { slug: string; updatedAt: Date }[], isFirst: boolean): string {
  const marketplace = `${config.marketplaceUrl()}/marketplace`;
  const elements = listings.map(
    ({ slug, updatedAt }) =>
      markup`<url><loc>${marketplace}/${slug}</loc><lastmod>${updatedAt.toISOString()}</lastmod></url>\n`,
  );
  return xmlDocument(
    markup`<urlset xmlns="${schema}">\n${isFirst && markup`<url><loc>${marketplace}</loc></url>\n`}${elements}</urlset>`,
  );
}
