import { z } from 'zod';
import { deck, presentationId, rows, tool } from '../tool';

const email = z.string().describe('The email address of the collaborator');

export const peopleTools = {
  list_collaborators: tool({
    title: 'List collaborators',
    description: 'Lists the people who may edit a deck, and the invitations that wait.',
    input: { deck },
    output: { presentationId, collaborators: rows },
    hints: { isReadOnly: true },
    run: (input, run) => run(['collaborators'], { operands: [input.deck] }),
  }),

  invite_collaborator: tool({
    title: 'Invite a collaborator',
    description: 'Gives an address edit access to a deck, and mails an invitation. Ask the user first.',
    input: { deck, email, message: z.string().optional().describe('A message in the invitation') },
    output: { presentationId, collaborator: z.looseObject({}) },
    hints: { isIdempotent: true },
    run: (input, run) =>
      run(['collaborators', 'invite'], {
        options: { deck: input.deck, message: input.message },
        operands: [input.email],
      }),
  }),

  remove_collaborator: tool({
    title: 'Remove a collaborator',
    description: 'Ends the edit access of a collaborator, or an invitation. The versions of that person stay.',
    input: { deck, email },
    output: { presentationId, collaborator: z.looseObject({}) },
    hints: { isIdempotent: true },
    run: (input, run) => run(['collaborators', 'remove'], { options: { deck: input.deck }, operands: [input.email] }),
  }),

  leave_deck: tool({
    title: 'Leave a deck',
    description: "Ends the user's own edit access to a deck of another owner. Only the owner can give it again.",
    input: { deck, confirm: z.literal(true).describe('The user has agreed to lose access') },
    output: { presentationId },
    hints: { isIdempotent: true },
    run: (input, run) => run(['leave'], { operands: [input.deck] }),
  }),
};
