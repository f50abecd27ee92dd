import { config } from '../config';
import { rawJson } from '../house/attributes';
import type { ListingKind } from '../policy/listings';
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
  /** The size of the picture in pixels. */
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
    name: title,
    description,
    url,
    version: String(version),
    datePublished: createdAt,
    dateModified: updatedAt,
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

/**
 * The elements in the head of a listing's page for other programs. Only a public listing is described as data, and can
 * be embedded. A program that knows the size of the picture shows it large before it has read the picture.
 */
export function ListingMetadata(listing: Described) {
  const { title, status, marketplaceUrl, pictureUrl, pictureSize } = listing;
  const oembed = (format: string) =>
    `${config.marketplaceUrl()}/oembed?${new URLSearchParams({ url: marketplaceUrl, format }).toString()}`;
  return (
    <>
      {pictureUrl !== undefined && <meta property="og:image" content={pictureUrl} />}
      {pictureUrl !== undefined && pictureSize && (
        <>
          <meta property="og:image:width" content={String(pictureSize.width)} />
          <meta property="og:image:height" content={String(pictureSize.height)} />
        </>
      )}
      <meta name="twitter:card" content={pictureUrl === undefined ? 'summary' : 'summary_large_image'} />
      {status === 'public' && (
        <>
          <link rel="alternate" type="application/json+oembed" href={oembed('json')} title={title} />
          <link rel="alternate" type="text/xml+oembed" href={oembed('xml')} title={title} />
          <script type="application/ld+json" {...rawJson(structuredData(listing))} />
        </>
      )}
    </>
  );
}
