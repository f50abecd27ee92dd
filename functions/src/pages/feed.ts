import { config } from '../config';
import { name } from '../house/tokens.json';
import { xml, xmlDocument } from '../house/xml';
import { browseAddress } from './listing-card';

interface Entry {
  title: string;
  description: string;
  author: { authorId: string; displayName: string } | null;
  tags: readonly string[];
  createdAt: string;
  updatedAt: string;
  marketplaceUrl: string;
}

/** The listings as an Atom feed, in their order. */
export function atomFeed(listings: readonly Entry[]): string {
  const page = `${config.marketplaceUrl()}/marketplace`;
  // A feed needs a time, also without an entry.
  const updatedAt = listings.map((each) => each.updatedAt).reduce((a, b) => (a > b ? a : b), new Date(0).toISOString());
  return xmlDocument(
    xml(
      'feed',
      { xmlns: 'http://www.w3.org/2005/Atom' },
      xml('title', {}, `${name}: the newest listings`),
      xml('link', { rel: 'self', type: 'application/atom+xml', href: `${page}/feed.xml` }),
      xml('link', { rel: 'alternate', type: 'text/html', href: page }),
      xml('id', {}, page),
      xml('updated', {}, updatedAt),
      xml('author', {}, xml('name', {}, name)),
      listings.map(entry),
    ),
  );
}

const entry = ({ title, description, author, tags, createdAt, updatedAt, marketplaceUrl }: Entry) =>
  xml(
    'entry',
    {},
    xml('title', {}, title),
    xml('link', { rel: 'alternate', type: 'text/html', href: marketplaceUrl }),
    xml('id', {}, marketplaceUrl),
    xml('published', {}, createdAt),
    xml('updated', {}, updatedAt),
    xml('summary', {}, description),
    author &&
      xml(
        'author',
        {},
        xml('name', {}, author.displayName),
        xml('uri', {}, browseAddress({ author: author.authorId })),
      ),
    tags.map((tag) => xml('category', { term: tag })),
  );
