import { z } from 'zod';
import { serviceSecret } from '../../config';
import { example } from '../../contract/example';
import { deckId, presentationId } from '../../contract/fields';
import { fail } from '../../errors';
import { endpoint } from '../../http/endpoint';
import { asMember } from '../../http/caller';
import { collaboratorRef, revoke } from '../../records/collaborators';
import { readIn, refIf } from '../../records/database';
import { presentationRef } from '../../records/presentations';
import { recipientKey } from '../../records/recipient-key';
import { transact } from '../../records/transact';
import { userRef } from '../../records/users';

export const Input = z.object({ presentationId });

export const Answer = z.object({
  presentationId: deckId,
  left: z.literal(true).meta({ description: 'Always true.' }),
});

export const leavePresentation = endpoint({
  name: 'leavePresentation',
  about:
    'Ends the edit access of the caller to a deck of another user. The deck is no longer in the list of the caller. A ' +
    'second call returns the same answer. The owner cannot leave a deck.',
  command: `deck leave ${example.deckId}`,
  method: 'POST',
  caller: { scope: 'presentations:write', deck: 'member' },
  input: Input,
  answer: Answer,
  errors: ['not-found'],
  runtime: { secrets: [serviceSecret] },
  cost: { roundTrips: 4, reads: 4, writes: 4 },

  async handle({ input: { presentationId: id }, caller, authorize, now }) {
    const { userId } = asMember(caller);
    const key = await recipientKey();
    await transact(async (tx) => {
      const [deck, user] = await readIn(tx, presentationRef(id), userRef(userId));
      const [row] = await readIn(
        tx,
        refIf((email) => collaboratorRef(key, id, email), user?.email),
      );
      const hasLeft = row?.status === 'revoked' && row.userId === userId;
      const memberIds = [...(deck?.memberIds ?? []), ...(hasLeft ? [userId] : [])];
      // Without `unusedMemberIds`: to leave is not a use of the deck, so the owner does not learn who left.
      authorize(deck && { ownerId: deck.ownerId, memberIds });
      if (deck!.ownerId === userId) {
        const message = 'The owner cannot leave the deck.';
        const nextAction = 'Delete the deck with deletePresentation, or leave a deck of another user.';
        fail('invalid-argument', { errors: [{ location: 'body.presentationId', message }] }, { nextAction });
      }
      if (row?.status === 'active') revoke(tx, deck!, row, key, now);
      else if (!hasLeft) throw new Error(`A dev of the deck ${id} has no active row.`);
    });
    return { presentationId: id, left: true as const };
  },
});
