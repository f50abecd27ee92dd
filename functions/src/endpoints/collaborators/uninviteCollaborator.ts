import { z } from 'zod';
import { always, collaboratorRow, email, presentationId } from '../../contract/fields';
import { endpoint } from '../../http/endpoint';
import { collaboratorView } from '../../contract/views';
import { fail } from '../../errors';
import { collaboratorRef, findCollaborator, revoke } from '../../records/collaborators';
import { readIn } from '../../records/database';
import { presentationRef } from '../../records/presentations';
import { transact } from '../../records/transact';

/** Takes a collaborator's access away, or an invitation back; it bites at the dev's next call. Doing it again answers the same. */

export const Input = z
  .object({ presentationId, collaboratorId: z.string().min(1).nullish(), email: email.nullish() })
  .refine((input) => Boolean(input.collaboratorId) !== Boolean(input.email), {
    ...always,
    path: ['collaboratorId'],
    error: 'Send either collaboratorId or email.',
  });

export const Answer = z.object({ collaborator: collaboratorRow });

export const uninviteCollaborator = endpoint({
  name: 'uninviteCollaborator',
  method: 'POST',
  caller: { scope: 'presentations:write', deck: 'owner' },
  input: Input,
  answer: Answer,
  errors: ['not-found', 'EMAIL_REQUIRED', 'EMAIL_INVALID'],

  handle({ input, authorize, now }) {
    const id = input.presentationId;
    return transact(async (tx) => {
      const [found] = await readIn(tx, presentationRef(id));
      const deck = authorize(found);
      const row = input.collaboratorId
        ? await findCollaborator(tx, id, input.collaboratorId)
        : (await readIn(tx, collaboratorRef(id, input.email!)))[0];
      if (!row) return fail('not-found', undefined, { message: 'The deck has no such collaborator.' });
      return { collaborator: collaboratorView(row.status === 'revoked' ? row : revoke(tx, deck, row, now)) };
    });
  },
});
