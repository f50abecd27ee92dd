import { z } from 'zod';
import { resendApiKey, serviceSecret } from '../../config';
import { example } from '../../contract/example';
import { collaboratorRow, email, presentationId } from '../../contract/fields';
import { optionalText } from '../../contract/human-text';
import { collaboratorView, withDeliveryFor } from '../../rows/decks';
import { invite } from '../../decks/invitations';
import { endpoint } from '../../http/endpoint';

export const Input = z.object({
  presentationId,
  email: email.meta({
    description: 'Address to invite. It must not be the address of the owner.',
    example: 'grace@example.com',
  }),
  message: optionalText({ max: 500, lines: true }).meta({
    description: 'Message of the owner in the email.',
    example: 'Please check the numbers on slide 4.',
  }),
});

export const Answer = z.object({ collaborator: collaboratorRow });

export const inviteCollaborator = endpoint({
  name: 'inviteCollaborator',
  about:
    'Grants edit access to a deck by email address. An address with an account becomes active at once and gets no ' +
    'email; any other address becomes pending, gets an email, and becomes active when it signs up or logs in. A ' +
    'second call changes nothing, except that it invites a revoked address as a new one. One address gets at most 20 ' +
    'invitations a day from all users, and invitation emails count to the rates of sharePresentationViaEmail.',
  command: `deck collaborators invite grace@example.com --deck ${example.deckId}`,
  method: 'POST',
  caller: { scope: 'presentations:write', deck: 'owner' },
  input: Input,
  answer: Answer,
  errors: ['not-found', 'conflict', 'rate-limited', 'EMAIL_REQUIRED', 'EMAIL_INVALID'],
  runtime: { class: 'mail', secrets: [serviceSecret, resendApiKey] },
  cost: { roundTrips: 5, reads: 8, writes: 7 },

  async handle(call) {
    return { collaborator: withDeliveryFor(call.caller, collaboratorView(await invite(call))) };
  },
});
