import { z } from 'zod';
import { objectPaths } from '../../blobs/bucket';
import { deleteObjects } from '../../blobs/removal';
import type { Call } from '../../http/definition';
import type { KeyCaller } from '../../http/authenticate';
import { endpoint } from '../../http/endpoint';
import { presentationId } from '../../contract/fields';
import { owns } from '../../policy/presentation-access';
import { readIn, refIf } from '../../records/database';
import { beginDeletion, deleteRecords, deletionRef } from '../../records/deletions';
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

  async handle(call) {
    const id = call.input.presentationId;
    const listingSlug = await hideDeck(call);
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

type DeleteCall = Call<z.output<typeof Input>, KeyCaller>;

/**
 * Deletes the deck's document, takes its listing out of the lists and writes down what is left to delete, in one transaction. A deck
 * whose deletion has begun passes for its owner. Returns the slug of the listing, which stays taken.
 */
function hideDeck({ input: { presentationId: id }, caller, authorize, now }: DeleteCall): Promise<string | null> {
  return transact(async (tx) => {
    const [deck, begun] = await readIn(tx, presentationRef(id), deletionRef(id));
    if (!deck && begun?.ownerId && owns(caller, { ownerId: begun.ownerId })) {
      authorize({ ownerId: begun.ownerId, memberIds: [] });
      return begun.listingSlug ?? null;
    }
    const found = authorize(deck);
    const [listing] = await readIn(tx, refIf(listingRef, found.listingSlug));
    beginDeletion(tx, found, caller.userId ?? caller.keyId, now);
    if (listing) updateListing(tx, listing, { status: 'unlisted', deletedAt: now, updatedAt: now });
    return found.listingSlug ?? null;
  });
}
