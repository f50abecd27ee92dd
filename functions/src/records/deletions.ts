import { z } from 'zod';
import type { BulkWriter, CollectionReference, DocumentReference } from 'firebase-admin/firestore';
import { deckView } from '../rows/decks';
import { collection, date, documentOf, paths } from './collections';
import { documentsOf, idsOf, type Transaction } from './database';
import { addEvent } from './events';
import { presentationRef, type Presentation } from './presentations';
import { isNotFound } from './refusals';
import { db } from './sdk';
import { countedWriter } from './sdk-calls';

/**
 * Longer than the timeout of any function but `followLiveSession`, whose streams end seconds after their deck: after
 * this time no call that found the deck can still write under its id.
 */
export const GRACE_MS = 15 * 60_000;

/**
 * Says that everything under the id of a deck must be deleted. The transaction that deletes the document
 * of the deck, or the upload session that reserved the id, creates it. `finishDeletions` deletes it after a last pass,
 * which is due at `sweepAt`.
 */
export const deletion = z.object({
  presentationId: z.string(),
  /** The owner, who may repeat `deletePresentation` until the last pass. Null for an upload session. */
  ownerId: z.string().nullable(),
  /** The slug of the deck's listing. */
  listingSlug: z.string().nullable(),
  deletedBy: z.string(),
  deletedAt: date,
  sweepAt: date,
});
export type Deletion = z.output<typeof deletion>;

export const deletionRef = (presentationId: string) => collection(paths.deletions, deletion).doc(presentationId);

/**
 * Records that everything under an id must be deleted. `deletedAt` is the last time at which a call could find the deck
 * or session.
 */
export function createDeletion(tx: Transaction, of: Omit<Deletion, 'sweepAt'>): void {
  const sweepAt = new Date(of.deletedAt.getTime() + GRACE_MS);
  tx.set(deletionRef(of.presentationId), { ...of, sweepAt });
}

/**
 * Deletes the document of a deck, so that every other call finds no deck, and records that everything under its id must
 * be deleted.
 */
export function beginDeletion(tx: Transaction, deck: Presentation, deletedBy: string, now: Date): void {
  const { presentationId, organizationId, ownerId, listingSlug } = deck;
  createDeletion(tx, { presentationId, ownerId, listingSlug, deletedBy, deletedAt: now });
  tx.delete(presentationRef(presentationId));
  addEvent(tx, 'presentation.deleted', { organizationId, presentationId }, { presentation: deckView(deck) });
}

/** Deletes the record of a completed deletion. */
export async function endDeletion(presentationId: string): Promise<void> {
  await documentOf(deletionRef(presentationId)).delete();
}

/** The deletions whose last pass is due, the longest due first. */
export function dueDeletions(now: Date): AsyncGenerator<{ id: string }> {
  return idsOf(collection(paths.deletions, deletion).query().where('sweepAt', '<=', now).orderBy('sweepAt'));
}

/** The numbers of documents that one call deleted. */
export interface DeletedRecords {
  versions: number;
  blobs: number;
  collaborators: number;
  /** All deleted documents, those of other collections included. */
  total: number;
}

/**
 * Deletes every document in every subcollection of a deck, then the document of the deck. Idempotent: it may run
 * concurrently, and it continues where an interrupted call stopped. Each document is counted by the call that deleted
 * it.
 */
export async function deleteRecords(presentationId: string): Promise<DeletedRecords> {
  const deckRef = documentOf(presentationRef(presentationId));
  // The pages of 500 documents limit the rate, so the throttling of the writer is off. The writer retries refused
  // writes with a growing backoff.
  const writer = countedWriter(db().bulkWriter({ throttling: false }));
  try {
    const subcollections = await deckRef.listCollections();
    const tallies = await Promise.all(subcollections.map((each) => deleteDocuments(each, writer)));
    // One flush sends the last pages of all subcollections.
    const counts = await Promise.all([...tallies.map((tally) => tally()), writer.flush()]);
    const deleted = new Map(subcollections.map(({ path }, i) => [path, counts[i] as number]));
    // This deletes the document of the deck, and documents of nested subcollections. No collection is nested today.
    await db().recursiveDelete(deckRef, writer);
    const of = (path: string) => deleted.get(path) ?? 0;
    return {
      versions: of(paths.versions(presentationId)),
      blobs: of(paths.blobs(presentationId)),
      collaborators: of(paths.collaborators(presentationId)),
      total: [...deleted.values()].reduce((sum, count) => sum + count, 0),
    };
  } finally {
    await writer.close();
  }
}

/** Deletes all documents of a collection, or a document, with everything below them. It may be cut off and repeated. */
export async function deleteBelow(root: CollectionReference | DocumentReference): Promise<void> {
  const writer = countedWriter(db().bulkWriter({ throttling: false }));
  try {
    await db().recursiveDelete(root as DocumentReference, writer);
  } finally {
    await writer.close();
  }
}

const PAGE_SIZE = 500;

/**
 * Gives the delete of every document to the writer. Returns a function that tells, after the writer was flushed, how
 * many documents were deleted.
 */
async function deleteDocuments(documents: CollectionReference, writer: BulkWriter): Promise<() => Promise<number>> {
  let count = 0;
  const deletes: Promise<unknown>[] = [];
  // Reads only names: 500 manifest shards of 128 KB are 64 MB.
  for await (const { ref } of documentsOf(documents.select(), PAGE_SIZE)) {
    const done = writer.delete(ref, { exists: true }).then(
      () => count++,
      (error: unknown) => {
        if (!isNotFound(error)) throw error;
      },
    );
    // The error is thrown where `deletes` are awaited. This handler prevents an unhandled rejection before that.
    done.catch(() => undefined);
    deletes.push(done);
    if (deletes.length === PAGE_SIZE) await Promise.all([writer.flush(), ...deletes.splice(0)]);
  }
  return async () => {
    await Promise.all(deletes);
    return count;
  };
}
