import { z } from 'zod';
import { resendApiKey } from '../../config';
import { collaboratorRow, email, presentationId } from '../../contract/fields';
import { collaboratorView } from '../../contract/views';
import { invite } from '../../decks/invitations';
import { endpoint } from '../../http/endpoint';

/**
 * Lets an address edit a deck: at once when it has an account, otherwise when it signs up, of which a mail tells it. Inviting it again changes
 * nothing; one whose access was revoked starts anew, and so does one that could not be told.
 */

export const Input = z.object({ presentationId, email, message: z.string().trim().max(500).nullish() });

export const Answer = z.object({ collaborator: collaboratorRow });

export const inviteCollaborator = endpoint({
  name: 'inviteCollaborator',
  method: 'POST',
  caller: { scope: 'presentations:write', deck: 'owner' },
  input: Input,
  answer: Answer,
  errors: ['not-found', 'conflict', 'rate-limited', 'EMAIL_REQUIRED', 'EMAIL_INVALID'],
  runtime: { secrets: [resendApiKey] },

  async handle(call) {
    return { collaborator: collaboratorView(await invite(call)) };
  },
});
