import { z } from 'zod';
import { example } from '../../contract/example';
import { collaboratorRow, presentationId } from '../../contract/fields';
import { collaboratorView, withDeliveryFor } from '../../rows/decks';
import { endpoint } from '../../http/endpoint';
import { listCollaborators as listRows } from '../../records/collaborators';
import { read } from '../../records/database';
import { presentationRef } from '../../records/presentations';

export const Input = z.object({ presentationId });

export const Answer = z.object({
  collaborators: z
    .array(collaboratorRow)
    .meta({ description: 'The collaborators, oldest invitation first. Of the revoked ones the last 500.' }),
});

export const listCollaborators = endpoint({
  name: 'listCollaborators',
  about: 'Lists the collaborators of a deck: pending, active and revoked.',
  command: `deck collaborators ${example.deckId}`,
  method: 'POST',
  caller: { scope: 'presentations:read', deck: 'owner' },
  input: Input,
  answer: Answer,
  errors: ['not-found'],
  cost: { roundTrips: 4, reads: 4, writes: 0 },

  async handle({ input, caller, authorize }) {
    const [deck] = await read(presentationRef(input.presentationId));
    authorize(deck);
    const rows = await listRows(input.presentationId);
    return { collaborators: rows.map((row) => withDeliveryFor(caller, collaboratorView(row))) };
  },
});
