import { z } from 'zod';
import { serviceSecret } from '../../config';
import { linkRules, presentationId, requireEmail } from '../../contract/fields';
import { mailMessage, mailSubject } from '../../contract/mail-fields';
import { previewMail, previewRecipient } from '../../decks/mail-preview';
import { endpoint } from '../../http/endpoint';

export const Input = z.object({
  presentationId,
  message: mailMessage,
  subject: mailSubject,
  expiresAt: linkRules.expiresAt,
  requireEmail,
});

export const Answer = z.object({
  from: z
    .string()
    .meta({ description: 'The sender in the email.', example: 'Ann Lee via Deckhost <decks@example.com>' }),
  replyTo: z.string().nullable().meta({
    description: 'The address that gets the answers: that of the caller. Null for an admin key.',
    example: 'ann@example.com',
  }),
  subject: z.string().meta({ description: 'The subject of the email.', example: 'The numbers of this quarter' }),
  html: z.string().meta({ description: 'The email as HTML.', example: '<!doctype html>…' }),
  text: z.string().meta({ description: 'The email as text.', example: 'Quarterly results…' }),
});

export const previewShareEmail = endpoint({
  name: 'previewShareEmail',
  about:
    'Returns the email that sharePresentationViaEmail would send now, addressed to ' +
    `${previewRecipient}. The call sends nothing, counts nothing and creates no link. The links in the preview open ` +
    'nothing.',
  method: 'POST',
  caller: { scope: 'presentations:read', deck: 'owner' },
  input: Input,
  answer: Answer,
  errors: ['message-too-long', 'not-found', 'conflict'],
  runtime: { class: 'read', secrets: [serviceSecret] },
  cost: { roundTrips: 2, reads: 4, writes: 0 },

  handle: previewMail,
});
