import { z } from 'zod';
import { objectPaths } from '../../blobs/bucket';
import { deleteObjects } from '../../blobs/removal';
import type { Caller } from '../../http/authenticate';
import { assertMayAct } from '../../decks/deck-access';
import { endpoint } from '../../http/endpoint';
import { presentationId } from '../../contract/fields';
import { owns } from '../../policy/presentation-access';
import { read } from '../../records/database';
import { createDeletion, deleteRecords, deletionRef } from '../../records/deletions';
import { listingRef, updateListing } from '../../records/listings';
import { presentationRef } from '../../records/presentations';
import { transact } from '../../records/transact';

/**
 * Removes a deck with everything in it. Its document goes first, so that from then on every other call finds no deck; a deletion that is
 * cut off is finished by calling again, or by a scheduled function. The counts are of what this call removed.
 */

export const Input = z.object({ presentationId });

export const Answer = z.object({
  presentationId: z.uuidv7(),
  deleted: z.literal(true),
  versionsDeleted: z.int(),
  assetsDeleted: z.int(),
  collaboratorsDeleted: z.int(),
  listingSlug: z.string().nullable(),
});

export const deletePresentation = endpoint({
  name: 'deletePresentation',
  method: 'POST',
  caller: { scope: 'presentations:write', deck: 'owner' },
  input: Input,
  answer: Answer,
  errors: ['not-found'],
  runtime: { timeoutSeconds: 540 },

  async handle({ input: { presentationId: id }, caller, now }) {
    const listingSlug = await hideDeck(id, caller, now);
    const [records] = await Promise.all([deleteRecords(id), ...objectPaths.ofDeck(id).map((p) => deleteObjects(p))]);
    return {
      presentationId: id,
      deleted: true as const,
      versionsDeleted: records.versions,
      assetsDeleted: records.blobs,
      collaboratorsDeleted: records.collaborators,
      listingSlug,
    };
  },
});

/**
 * Takes the deck's document away and writes down what is left to do; one whose deletion has begun already passes. Its listing goes in the same
 * moment: what it shows will be gone. Answers the listing's slug, which stays taken.
 */
function hideDeck(id: string, caller: Caller, now: Date): Promise<string | null> {
  return transact(async (tx) => {
    const [deck, begun] = await read(tx, presentationRef(id), deletionRef(id));
    const ownerId = begun?.ownerId;
    if (!deck && ownerId && owns(caller, { ownerId })) return begun.listingSlug ?? null;
    const found = assertMayAct(caller, 'owner', deck);
    const listingSlug = found.listingSlug ?? null;
    const [listing] = listingSlug ? await read(tx, listingRef(listingSlug)) : [];
    const deletedBy = caller.userId ?? caller.keyId;
    createDeletion(tx, { presentationId: id, ownerId: found.ownerId, listingSlug, deletedBy, deletedAt: now });
    if (listing) updateListing(tx, listing, { status: 'unlisted', deletedAt: now, updatedAt: now });
    tx.delete(presentationRef(id));
    return listingSlug;
  });
}
