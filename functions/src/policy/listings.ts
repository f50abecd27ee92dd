import { createHash } from 'node:crypto';

export const listingKinds = ['presentation', 'app', 'plan'] as const;
export type ListingKind = (typeof listingKinds)[number];

/** What listings are filtered by; left out, a filter lets everything pass. */
export interface ListingFilter {
  kind?: ListingKind | undefined;
  interactive?: boolean | undefined;
  category?: string | undefined;
  tag?: string | undefined;
  stack?: string | undefined;
}

/** What of a listing the filters look at. */
export interface Facets {
  kind: ListingKind;
  interactive: boolean;
  category: string | null;
  tags: readonly string[];
  techStack: readonly string[];
  /** The listings that it descends from. */
  lineage: readonly { slug: string }[];
}

/**
 * The token of a combination of filters (decision 14). A listing carries the tokens of all combinations that find it, so that each
 * combination is one `array-contains`. 96 bits of a hash: two combinations do not meet by chance. Stored listings depend on it.
 */
export function filterToken({ kind, interactive, category, tag, stack }: ListingFilter): string {
  return hash(['filter', kind ?? null, interactive ?? null, category ?? null, tag ?? null, stack ?? null]);
}

/** The token that all descendants of a listing carry. */
export const descendantToken = (slug: string) => hash(['descendant', slug]);

/** Every token under which a listing is found: at most 2 × 2 × 2 × 21 × 21 and one for each ancestor. */
export function tokensOf({ kind, interactive, category, tags, techStack, lineage }: Facets): string[] {
  const tokens = lineage.map(({ slug }) => descendantToken(slug));
  for (const byKind of [undefined, kind]) {
    for (const byForm of [undefined, interactive]) {
      for (const byCategory of category === null ? [undefined] : [undefined, category]) {
        for (const tag of [undefined, ...tags]) {
          for (const stack of [undefined, ...techStack]) {
            tokens.push(filterToken({ kind: byKind, interactive: byForm, category: byCategory, tag, stack }));
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

/** How many ancestors a listing remembers. */
const MAX_LINEAGE = 50;

interface Ancestor {
  slug: string;
  title: string;
}

/** The lineage of a remix of that listing, nearest first. What an operator took down is not named anew. */
export function lineageOfRemix(
  source: (Ancestor & { lineage: readonly Ancestor[]; takedown: object | null }) | undefined,
): Ancestor[] {
  if (!source) return [];
  const { slug, title, lineage, takedown } = source;
  return (takedown ? [...lineage] : [{ slug, title }, ...lineage]).slice(0, MAX_LINEAGE);
}
