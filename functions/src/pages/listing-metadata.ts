import { config } from '../config';
import type { ListingKind } from '../policy/listings';
import { jsonMarkup, markup, type Markup } from '../values/markup';
import { browseAddress } from './listing-card';

/** What other programs learn of a listing from its page. */
interface Described {
  title: string;
  description: string;
  kind: ListingKind;
  status: 'public' | 'unlisted';
  version: number;
  category: string | null;
  tags: readonly string[];
  stars: number;
  createdAt: string;
  updatedAt: string;
  owner: { displayName: string; organizationName: string };
  lineage: readonly { slug: string }[];
  marketplaceUrl: string;
  author: { authorId: string } | null;
  /** The absolute address of the picture. */
  pictureUrl: string | undefined;
  /** The size of the picture in pixels; undefined when its bytes do not tell it. */
  pictureSize: { width: number; height: number } | undefined;
}

const types: Record<ListingKind, string> = {
  presentation: 'PresentationDigitalDocument',
  app: 'WebApplication',
  plan: 'CreativeWork',
};

/** The listing as data of schema.org. */
function structuredData(listing: Described): object {
  const { title, description, kind, version, category, tags, stars, createdAt, updatedAt, owner, author } = listing;
  const { lineage, marketplaceUrl: url, pictureUrl } = listing;
  const [source] = lineage;
  return {
    '@context': 'https://schema.org',
    '@type': types[kind],
    ...{ name: title, description, url, version: String(version) },
    ...{ datePublished: createdAt, dateModified: updatedAt },
    author: {
      '@type': 'Person',
      name: owner.displayName,
      ...(author && { url: browseAddress({ author: author.authorId }) }),
    },
    publisher: { '@type': 'Organization', name: owner.organizationName },
    ...(pictureUrl !== undefined && { image: pictureUrl }),
    ...(category !== null && { genre: category }),
    ...(tags.length > 0 && { keywords: tags.join(', ') }),
    ...(source && { isBasedOn: `${config.marketplaceUrl()}/marketplace/${source.slug}` }),
    interactionStatistic: {
      '@type': 'InteractionCounter',
      interactionType: 'https://schema.org/LikeAction',
      userInteractionCount: stars,
    },
  };
}

/** The picture of link previews. A program that knows its size shows it large before it has read the picture. */
const pictureTags = (url: string, size: Described['pictureSize']) => markup`<meta property="og:image" content="${url}">
${
  size &&
  markup`<meta property="og:image:width" content="${size.width}">
<meta property="og:image:height" content="${size.height}">
`
}`;

/**
 * The elements in the head of a listing's page for other programs. Only a public listing is described as data, and can
 * be embedded.
 */
export function listingMetadata(listing: Described): Markup {
  const { title, status, marketplaceUrl, pictureUrl, pictureSize } = listing;
  const oembed = (format: string) =>
    `${config.marketplaceUrl()}/oembed?${new URLSearchParams({ url: marketplaceUrl, format }).toString()}`;
  return markup`${pictureUrl !== undefined && pictureTags(pictureUrl, pictureSize)}<meta name="twitter:card" content="${pictureUrl === undefined ? 'summary' : 'summary_large_image'}">
${
  status === 'public' &&
  markup`<link rel="alternate" type="application/json+oembed" href="${oembed('json')}" title="${title}">
<link rel="alternate" type="text/xml+oembed" href="${oembed('xml')}" title="${title}">
<script type="application/ld+json">${jsonMarkup(structuredData(listing))}</script>
`
}`;
}
