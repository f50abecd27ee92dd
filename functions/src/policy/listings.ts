import { createHash } from 'node:crypto';

export const listingKinds = ['presentation', 'app', 'plan'] as const;
export type ListingKind = (typeof listingKinds)[number];

/** The filters of a list. A filter that is left out accepts every listing. */
export interface ListingFilter {
  kind?: ListingKind | undefined;
  interactive?: boolean | undefined;
  category?: string | undefined;
  tag?: string | undefined;
  stack?: string | undefined;
}

/** The fields of a listing from which its tokens are made. */
export interface Facets {
  kind: ListingKind;
  interactive: boolean;
  category: string | null;
  tags: readonly string[];
  techStack: readonly string[];
  /** The ancestors of the listing. */
  lineage: readonly { slug: string }[];
}

/**
 * The token of a combination of filters (decision 14). A listing stores the tokens of all combinations that match it,
 * so a list with any filters is one `array-contains` query. A token is 96 bits of a SHA-256. Stored listings depend on
 * this function.
 */
export function filterToken({ kind, interactive, category, tag, stack }: ListingFilter): string {
  return hash(['filter', kind ?? null, interactive ?? null, category ?? null, tag ?? null, stack ?? null]);
}

/** The token of all descendants of a listing. Stored listings depend on this function. */
export const descendantToken = (slug: string) => hash(['descendant', slug]);

/** All tokens of a listing: at most 2 × 2 × 2 × 21 × 21 for filters, and one for each ancestor. */
export function tokensOf({ kind, interactive, category, tags, techStack, lineage }: Facets): string[] {
  const tokens = lineage.map(({ slug }) => descendantToken(slug));
  for (const byKind of [undefined, kind]) {
    for (const byInteractive of [undefined, interactive]) {
      for (const byCategory of category === null ? [undefined] : [undefined, category]) {
        for (const tag of [undefined, ...tags]) {
          for (const stack of [undefined, ...techStack]) {
            tokens.push(filterToken({ kind: byKind, interactive: byInteractive, category: byCategory, tag, stack }));
          }
        }
      }
    }
  }
  return tokens;
}

const TOKEN_BYTES = 12;
const hash = (parts: readonly (string | boolean | null)[]) =>
  createHash('sha256').update(JSON.stringify(parts)).digest().subarray(0, TOKEN_BYTES).toString('base64url');

/** The largest number of ancestors that a listing stores. */
const MAX_LINEAGE = 50;

interface Ancestor {
  slug: string;
  title: string;
}

/**
 * The lineage of a remix of this listing, nearest ancestor first, at most 50. A listing that an operator took down is
 * left out; its own ancestors stay. Empty without a listing.
 */
export function lineageOfRemix(
  source: (Ancestor & { lineage: readonly Ancestor[]; takedown: object | null }) | undefined,
): Ancestor[] {
  if (!source) return [];
  const { slug, title, lineage, takedown } = source;
  return (takedown ? [...lineage] : [{ slug, title }, ...lineage]).slice(0, MAX_LINEAGE);
}
