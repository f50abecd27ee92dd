import type { BulkWriter, CollectionReference, QueryDocumentSnapshot } from 'firebase-admin/firestore';
import { z } from 'zod';
import { collection, paths } from './collections';
import { db, documentsOf, isNotFound, type Transaction } from './database';
import { date } from './fields';
import { presentationRef, type Presentation } from './presentations';

/** Longer than any function may run: what was let in before a deck went has ended by then, and nothing more can appear under its id. */
export const GRACE_MS = 15 * 60_000;

/**
 * Says that nothing may be left under the id of a deck. It is written in the transaction that removes the deck's document, or the upload
 * session that reserved the id, and stays until everything was removed once more after `sweepAt`.
 */
export const deletion = z.object({
  presentationId: z.string(),
  /** Who may ask again whether it is done; null when there never was a deck. */
  ownerId: z.string().nullable(),
  /** The deck's place in the marketplace. */
  listingSlug: z.string().nullish(),
  deletedBy: z.string(),
  deletedAt: date,
  sweepAt: date,
});
export type Deletion = z.output<typeof deletion>;

export const deletionRef = (presentationId: string) => collection(paths.deletions, deletion).doc(presentationId);

/** Writes down that everything under that id must go. `deletedAt` is the last moment at which somebody was let in. */
export function createDeletion(tx: Transaction, of: Omit<Deletion, 'sweepAt'>): void {
  const sweepAt = new Date(of.deletedAt.getTime() + GRACE_MS);
  tx.set(deletionRef(of.presentationId), { ...of, sweepAt });
}

/** Deletes the document of a deck, so that every other call finds no deck, and notes that everything under its id must be deleted. */
export function beginDeletion(tx: Transaction, deck: Presentation, deletedBy: string, now: Date): void {
  const { presentationId, ownerId, listingSlug = null } = deck;
  createDeletion(tx, { presentationId, ownerId, listingSlug, deletedBy, deletedAt: now });
  tx.delete(presentationRef(presentationId));
}

/** Forgets a deletion that is complete. */
export async function endDeletion(presentationId: string): Promise<void> {
  await deletionRef(presentationId).delete();
}

/** The deletions whose last sweep is due, the longest due first. */
export function dueDeletions(now: Date): AsyncGenerator<QueryDocumentSnapshot<Deletion>> {
  return documentsOf(collection(paths.deletions, deletion).where('sweepAt', '<=', now).orderBy('sweepAt'));
}

/** How many documents this call removed. */
export interface RemovedRecords {
  versions: number;
  blobs: number;
  collaborators: number;
  /** Those and all others. */
  total: number;
}

/**
 * Removes every document under a deck, whatever its collection is called, and at last the deck's own. It may run twice at once and
 * goes on where an earlier one died; each document is counted by the one that removed it.
 */
export async function deleteRecords(presentationId: string): Promise<RemovedRecords> {
  const deckRef = presentationRef(presentationId);
  // Five hundred at a time set the pace, not the writer's guess at a rate; what the database refuses is tried again, later and later.
  const writer = db().bulkWriter({ throttling: false });
  try {
    const subcollections = await deckRef.listCollections();
    const tallies = await Promise.all(subcollections.map((each) => deleteDocuments(each, writer)));
    // What is left of all of them goes in one call.
    const counts = await Promise.all([...tallies.map((tally) => tally()), writer.flush()]);
    const removed = new Map(subcollections.map(({ path }, i) => [path, counts[i] as number]));
    // What hangs below those documents, which nothing does today, would have no parent to be found by.
    await db().recursiveDelete(deckRef, writer);
    const of = (path: string) => removed.get(path) ?? 0;
    return {
      versions: of(paths.versions(presentationId)),
      blobs: of(paths.blobs(presentationId)),
      collaborators: of(paths.collaborators(presentationId)),
      total: [...removed.values()].reduce((sum, count) => sum + count, 0),
    };
  } finally {
    await writer.close();
  }
}

const PAGE = 500;

/** Hands every document to the writer and answers what tells, once the writer has been flushed, how many were removed. */
async function deleteDocuments(documents: CollectionReference, writer: BulkWriter): Promise<() => Promise<number>> {
  let count = 0;
  const deletes: Promise<unknown>[] = [];
  // Their names alone: a page of manifests would be a hundred megabytes.
  for await (const { ref } of documentsOf(documents.select(), PAGE)) {
    const done = writer.delete(ref, { exists: true }).then(
      () => count++,
      (error: unknown) => {
        if (!isNotFound(error)) throw error;
      },
    );
    // A failure is thrown where they are waited for, which may be later than it happens.
    done.catch(() => undefined);
    deletes.push(done);
    if (deletes.length === PAGE) await Promise.all([writer.flush(), ...deletes.splice(0)]);
  }
  return async () => {
    await Promise.all(deletes);
    return count;
  };
}
