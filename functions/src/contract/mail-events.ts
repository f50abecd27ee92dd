import { z } from 'zod';
import type { MailState } from '../policy/mail-deliveries';
import { example } from './example';

/** The events of Resend that say what became of a mail. It sends others, too. */
export const mailEventStates = {
  'email.delivered': 'delivered',
  'email.delivery_delayed': 'delayed',
  'email.bounced': 'bounced',
  'email.complained': 'complained',
  'email.failed': 'failed',
  'email.suppressed': 'failed',
} as const satisfies Record<string, MailState>;

const MAIL_TOKEN = 'x'.repeat(86);
const types = Object.keys(mailEventStates) as (keyof typeof mailEventStates)[];
const reason = z.string().meta({ description: 'The reason as a sentence.', example: 'The mailbox does not exist.' });

/**
 * An event as Resend sends it (https://resend.com/docs/dashboard/webhooks/event-types), as far as the service reads it.
 */
export const mailEvent = z.object({
  type: z.enum(types).meta({ description: 'What happened. Other types are ignored.', example: 'email.delivered' }),
  created_at: z.iso.datetime({ offset: true }).meta({ description: 'When it happened.', example: example.time }),
  data: z
    .object({
      email_id: z.string().meta({ description: 'Id of the mail at Resend.', example: example.mailId }),
      to: z
        .array(z.string().meta({ description: 'An address.', example: 'grace@example.com' }))
        .min(1)
        .meta({ description: 'The recipient.' }),
      tags: z
        .object({
          kind: z.string().optional().meta({ description: 'What the mail is, for the service.', example: 'share' }),
          mail: z
            .string()
            .optional()
            .meta({ description: 'The token of the links that stop such mails.', example: MAIL_TOKEN }),
        })
        .default({})
        .meta({ description: 'What the service gave the mail.' }),
      bounce: z
        .object({
          message: reason,
          type: z.string().meta({ description: 'Permanent: the address takes no mail.', example: 'Permanent' }),
        })
        .optional()
        .meta({ description: 'Why the mail bounced.' }),
      failed: z.object({ reason }).optional().meta({ description: 'Why the mail failed.' }),
      suppressed: z.object({ message: reason }).optional().meta({ description: 'Why Resend did not send it.' }),
    })
    .meta({
      description: 'The mail, and why it was refused.',
      examples: [{ email_id: example.mailId, to: ['grace@example.com'], tags: { kind: 'share', mail: MAIL_TOKEN } }],
    }),
});
