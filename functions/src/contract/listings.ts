import { z } from 'zod';
import { config } from '../config';
import { reportReasons } from '../policy/listing-reports';
import { listingKinds } from '../policy/listings';
import type { Listing } from '../records/listings';
import { listingSorts } from '../values/listing-cursor';
import { isSlug, slugProblem } from '../values/slugs';
import { timestamp } from './fields';

/** What the calls of the marketplace share: the fields of a listing, its row in an answer, and what a list is asked for by. */

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

const marketplaceUrl = (slug: string) => `${config.marketplaceUrl()}/marketplace/${slug}`;

/** What somebody says of a listing. */
export const listingReport = z.object({
  slug,
  reason: z.enum(reportReasons),
  details: z
    .string()
    .max(2000, 'Details have at most 2000 characters.')
    // An operator's terminal shows it: what could move its cursor is taken out.
    .transform((text) => text.replace(/[^\P{Cc}\n\t]/gu, '').trim())
    .nullish(),
});
