import type { ListingKind } from '../policy/listings';

export interface ListingFields {
  slug: string;
  title: string;
  description: string;
  kind: ListingKind;
  interactive: boolean;
  category: string | null;
  tags: string[];
  techStack: string[];
  status: 'public' | 'unlisted';
  pinned: { version: number };
  createdAt: Date;
  updatedAt: Date;
}

/** A listing without its figures, its author and its ancestors, which other records have. */
export function listingSummary(listing: ListingFields) {
  const { slug, title, description, kind, interactive, category, tags, techStack, status } = listing;
  return {
    slug,
    title,
    description,
    kind,
    interactive,
    category,
    tags,
    techStack,
    status,
    version: listing.pinned.version,
    createdAt: listing.createdAt.toISOString(),
    updatedAt: listing.updatedAt.toISOString(),
  };
}
