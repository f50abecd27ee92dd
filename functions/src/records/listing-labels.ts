import { z } from 'zod';
import { LRUCache } from 'lru-cache';
import type { Context } from '../context';
import { labelOfListing } from '../values/deck-origins';
import { collection, paths } from './collections';
import { readFor, type Transaction } from './database';

/** The slug of a label, which is a hash of the slug. It stays when the listing is deleted or the slug is used again. */
export const listingLabel = z.object({ slug: z.string() });

const labelRef = (label: string) => collection(paths.listingLabels, listingLabel).doc(label);

/**
 * Slugs by label. A label never belongs to another slug, so the cache cannot be stale. Unknown labels are not cached.
 */
const cache = new LRUCache<string, string>({ max: 10_000 });

/** The slug of a label, or undefined. One read, or none when the instance has seen the label. */
export async function findSlug(context: Context, label: string): Promise<string | undefined> {
  const cached = cache.get(label);
  if (cached !== undefined) return cached;
  const [found] = await readFor(context, labelRef(label));
  if (found) cache.set(label, found.slug);
  return found?.slug;
}

/** Stores the label of a new listing. A listing that had the slug before has the same label. */
export function setLabel(tx: Transaction, slug: string): void {
  tx.set(labelRef(labelOfListing(slug)), { slug });
}
