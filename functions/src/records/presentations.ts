import { FieldPath } from 'firebase-admin/firestore';
import { z } from 'zod';
import { writeCursor, type Cursor } from '../values/cursor';
import { collection, paths } from './collections';
import { pageOf, type Transaction } from './database';
import { date } from './fields';

/** Where the files of a version are; see policy/manifest. */
export const manifestPointer = z.object({
  version: z.number().int(),
  manifestId: z.string(),
  shardCount: z.number().int(),
  entryPath: z.string(),
});

/** Enough of a share token to make its URL. */
const tokenLink = z.object({ tokenId: z.string(), sealed: z.string() });
export type TokenLink = z.output<typeof tokenLink>;

/** A deck. Everything that a list row or a viewer's request needs stands in it, so that they cost no further read. */
export const presentation = z.object({
  presentationId: z.string(),
  ownerId: z.string(),
  organizationId: z.string(),
  /** The owner and every active dev collaborator. */
  memberIds: z.array(z.string()),
  /** How many addresses are invited that have no account yet. */
  pendingInvitations: z.number().int().nonnegative().nullish(),
  title: z.string(),
  current: manifestPointer,
  /** The first share token that is not revoked. */
  firstToken: tokenLink.nullable(),
  /** The first of those that follow the latest version. */
  latestToken: tokenLink.nullable(),
  /** Over how many documents the views of this deck are spread; see records/view-counters. */
  viewShards: z.number().int().positive(),
  createdAt: date,
  updatedAt: date,
  updatedBy: z.string(),
  /** Since when an operator keeps its links shut, and why. The owner can do nothing about it, and keeps the deck. */
  takedown: z.object({ at: date, reason: z.string() }).nullish(),
  /** The marketplace listing that shows a version of it; it has at most one. */
  listingSlug: z.string().nullish(),
  /** The listing whose files it began with. */
  remixedFrom: z.object({ slug: z.string(), version: z.number().int() }).nullish(),
  /** Every token that was made up to then is revoked. */
  tokensRevokedAt: date.nullable(),
  expiresAt: date.nullable(),
});
export type Presentation = z.output<typeof presentation>;

export const presentationRef = (presentationId: string) =>
  collection(paths.presentations, presentation).doc(presentationId);

/** Sets when the links of a deck stop opening; null for never. */
export function setExpiry(tx: Transaction, presentationId: string, expiresAt: Date | null): void {
  tx.update(presentationRef(presentationId), { expiresAt });
}

/** Notes the listing that shows a version of the deck. */
export function setListing(tx: Transaction, presentationId: string, listingSlug: string): void {
  tx.update(presentationRef(presentationId), { listingSlug });
}

/** Shuts the links of a deck, or opens them again with null. */
export function setTakedown(tx: Transaction, presentationId: string, takedown: Presentation['takedown']): void {
  tx.update(presentationRef(presentationId), { takedown });
}

/** A page of the decks that a user owns or may edit, newest change first, and the cursor of the next page. One query. */
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
