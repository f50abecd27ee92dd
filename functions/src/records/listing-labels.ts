import { z } from 'zod';
import { LRUCache } from 'lru-cache';
import { currentContext, type Context } from '../context';
import { labelOfListing } from '../values/deck-origins';
import { collection, paths } from './collections';
import { readFor, type Transaction } from './database';
import { commitDocuments } from './firestore/client';

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

/**
 * Stores the label of a listing that was published before listings had labels, and marks the listing. Both documents
 * are the same whoever writes them, so calls may race, and a repeated call changes nothing.
 */
export async function labelListing(slug: string): Promise<void> {
  const trail = currentContext()?.trail;
  if (trail) trail.databaseWrites += 2;
  await commitDocuments([
    { path: labelRef(labelOfListing(slug)).path, fields: { slug } },
    { path: `${paths.listings}/${slug}`, fields: { hasLabel: true }, isMerge: true, exists: true },
  ]);
}
