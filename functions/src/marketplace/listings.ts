import { z } from 'zod';
import { config } from '../config';
import { fail } from '../errors';
import { readListingCursor, writeListingCursor } from '../values/listing-cursor';
import { listingKinds, listingSorts, type ListingSort } from '../policy/listings';
import { encodePath } from '../values/paths';
import { isSlug, slugProblem } from '../values/slugs';
import { db, read } from '../records/database';
import { listListings, type Listing } from '../records/listings';
import { organizationRef } from '../records/organizations';
import { displayNameOf, userRef } from '../records/users';
import type { Version } from '../records/versions';
import { timestamp } from '../contract/fields';

/** Headers of answers that are the same for everybody. */
export const PUBLIC_ANSWER = { 'Cache-Control': 'public, max-age=60' };

/** The slug of a listing that should exist. */
export const slug = z
  .string({ error: 'A slug is needed.' })
  .min(1, { error: 'A slug is needed.', abort: true })
  .refine(isSlug, 'not-found');

/** A slug that somebody chooses. */
export const newSlug = z.string().check((context) => {
  const problem = slugProblem(context.value);
  if (problem) context.issues.push({ code: 'custom', message: problem, input: context.value });
});

const WORD = /^[a-z0-9][a-z0-9.+#-]*$/;
const WORD_RULE = 'A tag has 1 to 40 characters of a-z, 0-9 and . + # -, and begins with a letter or a digit.';

/** A tag: lower-cased. */
const tag = z.string().trim().toLowerCase().max(40, WORD_RULE).regex(WORD, WORD_RULE);
/** A technology: lower case as it is sent. */
const technology = z.string().max(40, WORD_RULE).regex(WORD, WORD_RULE);
const category = z.string().trim().min(1).max(60);

const several = <T extends z.ZodType<string>>(word: T) =>
  z
    .array(word)
    .max(20, 'At most 20.')
    .transform((words) => [...new Set(words)]);

/** What the owner of a listing says of it. */
export const listingFields = {
  kind: z.enum(listingKinds),
  description: z.string().trim().min(1, 'A description has 1 to 500 characters.').max(500),
  interactive: z.boolean(),
  title: z.string().trim().min(1, 'A title has 1 to 255 characters.').max(255),
  tags: several(tag),
  techStack: several(technology),
  category: category.nullable(),
  version: z.int().positive(),
};

/** A listing as everybody sees it. */
export const listingRow = z.object({
  slug: z.string(),
  title: z.string(),
  description: z.string(),
  kind: z.enum(listingKinds),
  interactive: z.boolean(),
  category: z.string().nullable(),
  tags: z.array(z.string()),
  techStack: z.array(z.string()),
  status: z.enum(['public', 'unlisted']),
  version: z.int().positive(),
  stars: z.int().nonnegative(),
  remixCount: z.int().nonnegative(),
  viewCount: z.int().nonnegative(),
  remixedFromSlug: z.string().nullable(),
  remixedFromTitle: z.string().nullable(),
  createdAt: timestamp,
  updatedAt: timestamp,
  marketplaceUrl: z.url(),
});

export function listingView(listing: Listing): z.output<typeof listingRow> {
  const { slug, title, description, kind, interactive, category, tags, techStack, status } = listing;
  const { pinned, lineage } = listing;
  return {
    ...{ slug, title, description, kind, interactive, category, tags, techStack, status },
    version: pinned.version,
    // A star may be taken back here before the part in which it was given is added.
    stars: Math.max(0, listing.stars),
    remixCount: listing.remixCount,
    viewCount: listing.viewCount,
    remixedFromSlug: lineage[0]?.slug ?? null,
    remixedFromTitle: lineage[0]?.title ?? null,
    createdAt: listing.createdAt.toISOString(),
    updatedAt: listing.updatedAt.toISOString(),
    marketplaceUrl: marketplaceUrl(slug),
  };
}

/** What a list is asked for by. */
export const listQuery = z.object({
  kind: z.enum(listingKinds).optional(),
  interactive: z
    .enum(['true', 'false'])
    .transform((text) => text === 'true')
    .optional(),
  category: category.optional(),
  tag: tag.optional(),
  stack: technology.optional(),
  sort: z.enum(listingSorts).default('recent'),
  limit: z.coerce.number().int().min(1).max(100).default(20),
  cursor: z.string().optional(),
});

/** A page of the listings that carry a token, as it is answered. A cursor of another list, or none of ours, is invalid-argument. */
export async function pageOfListings(
  token: string,
  sort: ListingSort,
  limit: number,
  cursor: string | undefined,
): Promise<{ rows: z.output<typeof listingRow>[]; nextCursor: string | null }> {
  const after = cursor === undefined ? undefined : readListingCursor(token, sort, cursor);
  if (cursor !== undefined && after === undefined) {
    const message = 'This cursor belongs to another list, or is none of ours.';
    fail('invalid-argument', { errors: [{ location: 'query.cursor', message }] });
  }
  const { records, last } = await listListings(token, sort, limit, after);
  return { rows: records.map(listingView), nextCursor: last ? writeListingCursor(token, sort, last) : null };
}

/** Whose listing it is. */
export async function ownerOf({ slug, ownerId, organizationId }: Listing) {
  const [user, organization] = await read(db(), userRef(ownerId), organizationRef(organizationId));
  if (!user || !organization) throw new Error(`The listing ${slug} has no owner or no organization.`);
  return { displayName: displayNameOf(user), organizationName: organization.name };
}

/** Opens the deck of a listing; its other files lie relative to it. */
export const contentUrl = ({ slug, pinned }: Listing) =>
  `${config.baseUrl()}/getMarketplaceListingContent/${slug}/${encodePath(pinned.entryPath)}`;

const marketplaceUrl = (slug: string) => `${config.marketplaceUrl()}/marketplace/${slug}`;

/** What a listing keeps of the version that it shows. */
export function pinOfListing({
  version,
  manifestId,
  shardCount,
  entryPath,
  fileCount,
  totalBytes,
}: Version): Listing['pinned'] {
  return { version, manifestId, shardCount, entryPath, fileCount, totalBytes };
}

/** The listing, if there ever was one: 404 otherwise. */
export function assertFound(listing: Listing | undefined): Listing {
  return listing ?? fail('not-found', undefined, { message: 'There is no such listing.' });
}

/** The listing, if it is there and may be shown: 404 when there never was one, 410 when its deck is gone or an operator took it down. */
export function assertShown(found: Listing | undefined): Listing {
  const listing = assertFound(found);
  if (listing.deletedAt || listing.takedown)
    return fail('expired', undefined, { nextAction: 'Look for another listing.' });
  return listing;
}
