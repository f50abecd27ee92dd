import { z } from 'zod';
import { endpoint } from '../../http/endpoint';
import { collaboratorRow, presentationId } from '../../contract/fields';
import { collaboratorView } from '../../contract/views';
import { listCollaborators as listRows } from '../../records/collaborators';
import { read } from '../../records/database';
import { presentationRef } from '../../records/presentations';

/** Everybody who was invited to a deck, oldest invitation first: pending, active and revoked, of the revoked ones the last five hundred. */

export const Input = z.object({ presentationId });

export const Answer = z.object({ collaborators: z.array(collaboratorRow) });

export const listCollaborators = endpoint({
  name: 'listCollaborators',
  method: 'POST',
  caller: { scope: 'presentations:read', deck: 'owner' },
  input: Input,
  answer: Answer,
  errors: ['not-found'],

  async handle({ input, authorize }) {
    const [deck] = await read(presentationRef(input.presentationId));
    authorize(deck);
    return { collaborators: (await listRows(input.presentationId)).map(collaboratorView) };
  },
});
