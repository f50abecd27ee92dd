import { z } from 'zod';
import { example } from '../../contract/example';
import { deckId, presentationId } from '../../contract/fields';
import { closeDeck, emptyDeck } from '../../decks/close-deck';
import type { Caller } from '../../http/caller';
import type { Call } from '../../http/definition';
import { endpoint } from '../../http/endpoint';
import { owns } from '../../policy/presentation-access';
import { readIn } from '../../records/database';
import { deletionRef } from '../../records/deletions';
import { presentationRef } from '../../records/presentations';
import { transact } from '../../records/transact';

export const Input = z.object({ presentationId });

const deleted = (records: string) =>
  z.int().meta({ description: `Number of ${records} that this call deleted.`, example: 3 });
export const Answer = z.object({
  presentationId: deckId,
  deleted: z.literal(true).meta({ description: 'Always true.' }),
  versionsDeleted: deleted('versions'),
  assetsDeleted: deleted('files'),
  collaboratorsDeleted: deleted('collaborators'),
  listingSlug: z.string().nullable().meta({
    description: 'Slug of the listing of the deck, or null. No other listing can have the slug.',
    example: example.slug,
  }),
});

export const deletePresentation = endpoint({
  name: 'deletePresentation',
  about:
    'Permanently deletes a deck with all versions, files, links and collaborators. The listing of the deck becomes ' +
    'unlisted and its content answers 410. A second call finishes an interrupted deletion. Its counts may be 0.',
  command: `deck delete ${example.deckId} --yes`,
  method: 'POST',
  caller: { scope: 'presentations:write', deck: 'owner' },
  input: Input,
  answer: Answer,
  errors: ['not-found'],
  runtime: { class: 'work' },
  cost: { roundTrips: 14, reads: 15, writes: 13, bucketCalls: 3 },

  // A scheduled function finishes a deletion that was interrupted after hideDeck.
  async handle(call) {
    const id = call.input.presentationId;
    const listingSlug = await hideDeck(call);
    const records = await emptyDeck(id);
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

type DeleteCall = Call<z.output<typeof Input>, Caller>;

/**
 * Deletes the document of the deck, so that every later call answers 404. The same transaction makes the listing of the
 * deck unlisted and records the deletion. When the deletion has already begun, the owner passes and nothing is written.
 * Returns the slug of the listing.
 */
function hideDeck({ input: { presentationId: id }, caller, authorize, now }: DeleteCall): Promise<string | null> {
  return transact(async (tx) => {
    const [deck, begun] = await readIn(tx, presentationRef(id), deletionRef(id));
    if (!deck && begun?.ownerId && owns(caller, { ownerId: begun.ownerId })) {
      authorize({ ownerId: begun.ownerId, memberIds: [] });
      return begun.listingSlug;
    }
    const found = authorize(deck);
    await closeDeck(tx, found, caller.userId ?? caller.keyId, now);
    return found.listingSlug;
  });
}
