import { config } from '../config';
import { rawJson } from '../house/attributes';
import type { ListingKind } from '../policy/listings';
import { browseAddress } from './listing-card';
import { PreviewMetadata, type PreviewPicture } from './preview-metadata';

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
  preview: PreviewPicture | undefined;
}

const types: Record<ListingKind, string> = {
  presentation: 'PresentationDigitalDocument',
  app: 'WebApplication',
  plan: 'CreativeWork',
};

/** The listing as data of schema.org. */
function structuredData(listing: Described): object {
  const { title, description, kind, version, category, tags, stars, createdAt, updatedAt, owner, author } = listing;
  const { lineage, marketplaceUrl: url, preview } = listing;
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
    ...(preview && { image: preview.url }),
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
 * be embedded.
 */
export function ListingMetadata(listing: Described) {
  const { title, status, marketplaceUrl, preview } = listing;
  const oembed = (format: string) =>
    `${config.marketplaceUrl()}/oembed?${new URLSearchParams({ url: marketplaceUrl, format }).toString()}`;
  return (
    <>
      <PreviewMetadata picture={preview} />
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
