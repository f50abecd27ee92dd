import { z } from 'zod';
import { objectPaths } from '../../blobs/bucket';
import { deleteObjects } from '../../blobs/removal';
import type { Caller } from '../../http/authenticate';
import { assertMayAct } from '../../decks/deck-access';
import { endpoint } from '../../http/endpoint';
import { example } from '../../contract/example';
import { deckId, presentationId } from '../../contract/fields';
import { owns } from '../../policy/presentation-access';
import { read } from '../../records/database';
import { createDeletion, deleteRecords, deletionRef } from '../../records/deletions';
import { listingRef, updateListing } from '../../records/listings';
import { presentationRef } from '../../records/presentations';
import { transact } from '../../records/transact';

/**
 * The first transaction deletes the document of the deck, so that every other call answers 404 from then on. A scheduled
 * function finishes a deletion that was interrupted.
 */

export const Input = z.object({ presentationId });

const deleted = (what: string) =>
  z.int().meta({ description: `Number of ${what} that this call deleted.`, example: 3 });
export const Answer = z.object({
  presentationId: deckId,
  deleted: z.literal(true).meta({ description: 'Always true.' }),
  versionsDeleted: deleted('versions'),
  assetsDeleted: deleted('files'),
  collaboratorsDeleted: deleted('collaborators'),
  listingSlug: z
    .string()
    .nullable()
    .meta({ description: 'Slug of the listing of the deck, or null. The slug stays taken.', example: example.slug }),
});

export const deletePresentation = endpoint({
  name: 'deletePresentation',
  about:
    'Deletes a deck with all versions, files, links and collaborators. The deletion cannot be undone. The ' +
    'listing of the deck becomes unlisted and its content answers 410. A second call finishes an interrupted ' +
    'deletion; its counts may be 0.',
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
