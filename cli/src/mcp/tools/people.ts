import { z } from 'zod';
import { OPERAND } from '../command-form';
import { deck, tool } from '../tool';

export const peopleTools = {
  list_collaborators: tool({
    description: 'Lists the people who may edit a deck, and the invitations that wait.',
    input: { deck },
    hints: { isReadOnly: true },
    command: { path: 'collaborators', takes: { deck: OPERAND } },
  }),

  invite_collaborator: tool({
    description: 'Gives an address edit access to a deck, and mails an invitation. Ask the user first.',
    input: { deck, email: z.string(), message: z.string().optional() },
    hints: { isIdempotent: true },
    command: { path: 'collaborators invite', takes: { deck: 'deck', email: OPERAND, message: 'message' } },
  }),

  remove_collaborator: tool({
    description: 'Ends the edit access of a collaborator, or an invitation. The versions of that person stay.',
    input: { deck, email: z.string() },
    hints: { isIdempotent: true },
    command: { path: 'collaborators remove', takes: { deck: 'deck', email: OPERAND } },
  }),

  leave_deck: tool({
    description: "Ends the user's own edit access to a deck of another owner. Only the owner can give it again.",
    input: { deck, confirm: z.literal(true).describe('The user has agreed to lose access') },
    hints: { isIdempotent: true },
    command: { path: 'leave', takes: { deck: OPERAND } },
  }),
};
