import { z } from 'zod';
import { serviceSecret } from '../../config';
import { example } from '../../contract/example';
import { always, collaboratorRow, eitherOf, email, presentationId } from '../../contract/fields';
import { collaboratorView, withDeliveryFor } from '../../rows/decks';
import { fail } from '../../errors';
import { endpoint } from '../../http/endpoint';
import { collaboratorRef, findCollaborator, revoke } from '../../records/collaborators';
import { readIn } from '../../records/database';
import { presentationRef } from '../../records/presentations';
import { recipientKey } from '../../records/recipient-key';
import { transact } from '../../records/transact';

export const Input = z
  .object({
    presentationId,
    collaboratorId: z.string().min(1).nullish().meta({
      description: 'Id of the collaborator. Send either this or `email`.',
      example: example.collaboratorId,
    }),
    email: email
      .nullish()
      .meta({ description: 'Invited address. Send either this or `collaboratorId`.', example: 'grace@example.com' }),
  })
  .refine((input) => Boolean(input.collaboratorId) !== Boolean(input.email), {
    ...always,
    path: ['collaboratorId'],
    error: 'Send either collaboratorId or email.',
  })
  .meta({
    ...eitherOf('collaboratorId', 'email'),
    example: { presentationId: example.deckId, email: 'grace@example.com' },
  });

export const Answer = z.object({ collaborator: collaboratorRow });

export const uninviteCollaborator = endpoint({
  name: 'uninviteCollaborator',
  about:
    'Revokes the edit access of a collaborator, or a pending invitation. The service refuses the next call of that ' +
    'user on the deck. A second call for the same collaborator returns the same answer.',
  command: `deck collaborators remove grace@example.com --deck ${example.deckId}`,
  method: 'POST',
  caller: { scope: 'presentations:write', deck: 'owner' },
  input: Input,
  answer: Answer,
  errors: ['not-found', 'EMAIL_REQUIRED', 'EMAIL_INVALID'],
  runtime: { secrets: [serviceSecret] },
  cost: { roundTrips: 4, reads: 3, writes: 4 },

  async handle({ input, caller, authorize, now }) {
    const id = input.presentationId;
    const key = await recipientKey();
    return transact(async (tx) => {
      const [found] = await readIn(tx, presentationRef(id));
      const deck = authorize(found);
      const row = input.collaboratorId
        ? await findCollaborator(tx, { presentationId: id, collaboratorId: input.collaboratorId })
        : (await readIn(tx, collaboratorRef(key, id, input.email!)))[0];
      if (!row) return fail('not-found', undefined, { message: 'The deck has no such collaborator.' });
      const revoked = row.status === 'revoked' ? row : revoke(tx, deck, row, key, now);
      return { collaborator: withDeliveryFor(caller, collaboratorView(revoked)) };
    });
  },
});
