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
  ownerId: string;
  kind: ListingKind;
  interactive: boolean;
  category: string | null;
  tags: readonly string[];
  techStack: readonly string[];
  /** The ancestors of the listing. */
  lineage: readonly ListingId[];
}

/**
 * The token of a combination of filters. A listing stores the tokens of all combinations that match it,
 * so a list with any filters is one `array-contains` query. Stored listings depend on this function.
 */
export function filterToken({ kind, interactive, category, tag, stack }: ListingFilter): string {
  return tokenOf(['filter', kind ?? null, interactive ?? null, category ?? null, tag ?? null, stack ?? null]);
}

/**
 * The token of all descendants of a listing. A later generation of a slug has other descendants. Stored listings depend
 * on this function.
 */
export const descendantToken = (slug: string, generation: number) => tokenOf(['descendant', slug, generation]);

/**
 * The public id of the author of listings: a hash of the user's id, which nobody can guess. Addresses of pages contain
 * it.
 */
export const authorIdOf = (ownerId: string) =>
  createHash('sha256')
    .update(JSON.stringify(['author', ownerId]))
    .digest('hex')
    .slice(0, 20);

/** The token of all listings of an author. Stored listings depend on this function. */
export const authorToken = (authorId: string) => tokenOf(['author', authorId]);

/** All tokens of a listing: at most 2 × 2 × 2 × 21 × 21 for filters, one for each ancestor and one for the author. */
export function tokensOf(listing: Facets): string[] {
  const { ownerId, lineage } = listing;
  return [
    ...lineage.map(({ slug, generation }) => descendantToken(slug, generation)),
    authorToken(authorIdOf(ownerId)),
    ...filterTokensOf(listing),
  ];
}

function filterTokensOf({ kind, interactive, category, tags, techStack }: Facets): string[] {
  const tokens: string[] = [];
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
/** A token: 96 bits of a SHA-256 of the parts. */
export const tokenOf = (parts: readonly (string | number | boolean | null)[]) =>
  createHash('sha256').update(JSON.stringify(parts)).digest().subarray(0, TOKEN_BYTES).toString('base64url');

/** The largest number of ancestors that a listing stores. */
const MAX_LINEAGE = 50;

/**
 * A listing of a slug. The slug of a deleted listing may be free again; the next listing with the slug
 * has the next generation. The first generation is 1.
 */
export interface ListingId {
  slug: string;
  generation: number;
}

/** Whether both are the same listing, and not two listings that have the same slug one after the other. */
export const isSameListing = (a: ListingId, b: ListingId) => a.slug === b.slug && a.generation === b.generation;

/** An ancestor of a listing, with the title that it had when the listing was published. */
export interface Ancestor extends ListingId {
  title: string;
}

/**
 * The lineage of a remix of this listing, nearest ancestor first, at most 50. Ancestors that an operator took down are
 * in the lineage, too: `namedAncestors` leaves them out of answers.
 */
export function lineageOfRemix({ slug, generation, title, lineage }: Ancestor & { lineage: readonly Ancestor[] }) {
  return [{ slug, generation, title }, ...lineage].slice(0, MAX_LINEAGE);
}

/** The fields of an ancestor's listing that decide whether a lineage names it. */
export interface AncestorState {
  generation: number;
  takedown: object | null;
}

/**
 * The ancestors that an answer may name: all but those that an operator took down, and those whose slug belongs to
 * another listing now. `stateOf` returns undefined for a listing that does not exist.
 */
export function namedAncestors(
  lineage: readonly Ancestor[],
  stateOf: (slug: string) => AncestorState | undefined,
): Ancestor[] {
  return lineage.filter(({ slug, generation }) => {
    const state = stateOf(slug);
    return !state || (state.generation === generation && !state.takedown);
  });
}

const FREE_AFTER_MS = 30 * 24 * 3600_000;

/**
 * Whether a new listing may have the slug of this listing: its deck was deleted 30 days ago, and nobody but its owner
 * gave it a star, remixed it or viewed it. The slug of a listing that was taken down is never free.
 */
export function isSlugFree(
  listing: { deletedAt: Date | null; takedown: object | null; usedByOthers: boolean },
  now: Date,
): boolean {
  const { deletedAt, takedown, usedByOthers } = listing;
  if (!deletedAt || takedown || now.getTime() - deletedAt.getTime() < FREE_AFTER_MS) return false;
  return !usedByOthers;
}
