import { config } from '../config';
import { name } from '../house/house.cjs';
import { markup } from '../values/markup';
import { xmlDocument } from '../values/xml';
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
  const entries = listings.map(
    (each) => markup`<entry>
<title>${each.title}</title>
<link rel="alternate" type="text/html" href="${each.marketplaceUrl}"/>
<id>${each.marketplaceUrl}</id>
<published>${each.createdAt}</published>
<updated>${each.updatedAt}</updated>
<summary>${each.description}</summary>
${author(each.author)}${each.tags.map((tag) => markup`<category term="${tag}"/>\n`)}</entry>
`,
  );
  return xmlDocument(markup`<feed xmlns="http://www.w3.org/2005/Atom">
<title>${name}: the newest listings</title>
<link rel="self" type="application/atom+xml" href="${page}/feed.xml"/>
<link rel="alternate" type="text/html" href="${page}"/>
<id>${page}</id>
<updated>${updatedAt}</updated>
<author><name>${name}</name></author>
${entries}</feed>`);
}

const author = (by: Entry['author']) =>
  by && markup`<author><name>${by.displayName}</name><uri>${browseAddress({ author: by.authorId })}</uri></author>\n`;
