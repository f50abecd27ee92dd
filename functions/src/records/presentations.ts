import { z } from 'zod';
import { FieldPath } from 'firebase-admin/firestore';
import { writeCursor, type Cursor } from '../values/cursor';
import { collection, date, paths } from './collections';
import { pageOf, type Transaction } from './database';

/** The stored form of a `ManifestPointer`; see policy/manifest. */
export const manifestPointer = z.object({
  version: z.number().int(),
  manifestId: z.string(),
  shardCount: z.number().int(),
  entryPath: z.string(),
});

/** The fields of a share token from which its URL is made. */
const tokenLink = z.object({ tokenId: z.string(), sealed: z.string() });
export type TokenLink = z.output<typeof tokenLink>;

/**
 * A deck. It holds everything that a row of a list or a request of a viewer needs, so they need no further read of it.
 */
export const presentation = z.object({
  presentationId: z.string(),
  ownerId: z.string(),
  organizationId: z.string(),
  /** The owner and every active dev collaborator. */
  memberIds: z.array(z.string()),
  /** The number of pending invitations. Decks that were never invited to have none. */
  pendingInvitations: z.number().int().nonnegative().nullish(),
  title: z.string(),
  current: manifestPointer,
  /** The oldest live share token. */
  firstToken: tokenLink.nullable(),
  /** The oldest live share token that follows the latest version. */
  latestToken: tokenLink.nullable(),
  /**
   * The bytes of the files that the deck stored at its last commit, all versions and unused files included. The caps of
   * the organization count them (decision 19). Null for a deck that is older than the counts.
   */
  storedBytes: z.number().int().nonnegative().nullish(),
  /** The number of shards of each view counter; see records/view-counters. */
  viewShards: z.number().int().positive(),
  createdAt: date,
  updatedAt: date,
  updatedBy: z.string(),
  /**
   * The time and reason of a takedown by an operator, which closes all links. The owner keeps the deck and cannot end
   * the takedown.
   */
  takedown: z.object({ at: date, reason: z.string() }).nullish(),
  /** The slug of the listing that shows a version of the deck. A deck has at most one listing. */
  listingSlug: z.string().nullish(),
  /** The listing and its version whose files were the first version of the deck. */
  remixedFrom: z.object({ slug: z.string(), version: z.number().int() }).nullish(),
  /** Every token that was created at or before this time is revoked (decision 8). */
  tokensRevokedAt: date.nullable(),
  expiresAt: date.nullable(),
});
export type Presentation = z.output<typeof presentation>;

export const presentationRef = (presentationId: string) =>
  collection(paths.presentations, presentation).doc(presentationId);

/** Sets the time after which the links of a deck are closed; null for never. */
export function setExpiry(tx: Transaction, presentationId: string, expiresAt: Date | null): void {
  tx.update(presentationRef(presentationId), { expiresAt });
}

/** Stores the listing of the deck. */
export function setListing(tx: Transaction, presentationId: string, listingSlug: string): void {
  tx.update(presentationRef(presentationId), { listingSlug });
}

/** Closes the links of a deck; null opens them again. */
export function setTakedown(tx: Transaction, presentationId: string, takedown: Presentation['takedown']): void {
  tx.update(presentationRef(presentationId), { takedown });
}

/**
 * A page of the decks that a user owns or may edit, last changed first, and the cursor of the next page; null on the
 * last page. One query.
 */
export async function listPresentations(
  userId: string,
  limit: number,
  after: Cursor | undefined,
): Promise<{ decks: Presentation[]; next: string | null }> {
  let query = collection(paths.presentations, presentation)
    .where('memberIds', 'array-contains', userId)
    .orderBy('updatedAt', 'desc')
    .orderBy(FieldPath.documentId(), 'desc');
  if (after) query = query.startAfter(after.time, after.id);
  const { records, last } = await pageOf(query, limit);
  return { decks: records, next: last ? writeCursor({ time: last.updatedAt, id: last.presentationId }) : null };
}
