import { z } from 'zod';
import { resendApiKey, serviceSecret } from '../../config';
import { accessRequestId, accessRequestRow } from '../../contract/access-requests';
import { accessRequestView, answerAccess } from '../../decks/access-answers';
import { endpoint } from '../../http/endpoint';

export const Input = z.object({
  requestId: accessRequestId,
  allow: z.boolean().meta({ description: 'true: allow the request. false: decline it.', example: true }),
});

export const Answer = accessRequestRow;

export const answerAccessRequest = endpoint({
  name: 'answerAccessRequest',
  about:
    'Answers a request for access to an own deck, within 7 days; a repeated call gets the same answer, and the other ' +
    'answer 409. To allow it mails a new link to the person who asks, and counts like sharePresentationViaEmail; to ' +
    'decline it mails nobody. The link has the rules of the link at whose address was asked, without an `expiresAt` ' +
    'that has passed, and opens for this person alone. An API key may not call it.',
  method: 'POST',
  caller: 'session',
  input: Input,
  answer: Answer,
  errors: ['not-found', 'conflict', 'rate-limited'],
  runtime: { class: 'mail', secrets: [serviceSecret, resendApiKey] },
  cost: { roundTrips: 12, reads: 17, writes: 17 },

  handle: async (call) => accessRequestView(await answerAccess(call)),
});
