import type { Answer } from '../../service';
import type { Deck } from './use-deck';

export type Listing = Answer<'getMarketplaceListing'>;

/** What the form of a listing holds: texts as they are typed. */
export interface ListingFields {
  kind: Listing['kind'];
  title: string;
  description: string;
  category: string;
  tags: string;
  techStack: string;
  slug: string;
  version: string;
  interactive: boolean;
}

/** The fields of a listing, or those to begin with. */
export function fieldsOf(listing: Listing | null, { title, version }: Deck): ListingFields {
  return {
    kind: listing?.kind ?? 'presentation',
    title: listing?.title ?? title,
    description: listing?.description ?? '',
    category: listing?.category ?? '',
    tags: listing?.tags.join(', ') ?? '',
    techStack: listing?.techStack.join(', ') ?? '',
    slug: listing?.slug ?? '',
    version: String(listing?.version ?? version),
    interactive: listing?.interactive ?? false,
  };
}

/**
 * The tags of a list with commas between them, in lower case, each once. A tag of several words stays one tag: the
 * service stores its words with hyphens.
 */
export const tagsIn = (text: string): string[] => [
  ...new Set(
    text
      .toLowerCase()
      .split(/[,;\n]/)
      .map((tag) => tag.trim().replace(/\s+/g, '-'))
      .filter(Boolean),
  ),
];

/** The fields as the service takes them. */
export const inputOf = ({
  kind,
  title,
  description,
  category,
  tags,
  techStack,
  version,
  interactive,
}: ListingFields) => ({
  kind,
  title: title.trim(),
  description: description.trim(),
  category: category.trim() || null,
  tags: tagsIn(tags),
  techStack: tagsIn(techStack),
  version: Number(version),
  interactive: kind === 'app' || interactive,
});
