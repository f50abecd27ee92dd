import { z } from 'zod';
import { disablings, webhookFormats } from '../policy/webhooks';
import { example } from './example';
import { time, timeOrNull } from './fields';

/** The rows of webhooks, and fields that inputs have, too. */

export const webhookFormat = z.enum(webhookFormats).meta({
  description:
    'standard: the event as JSON, signed as Standard Webhooks says. slack: a line `{text}` for people, as the incoming ' +
    'webhooks of Slack and of similar services take it.',
  example: 'standard',
});

/** What `includeReaders` means. */
export const aboutReaders =
  'Whether the events have the addresses of readers, where they are known. Without them, the name of a link that is an ' +
  'address is empty in its views.';

export const webhookIncludesReaders = z.boolean().meta({ description: aboutReaders, example: false });

export const webhookStatus = z.enum(['active', 'disabled']).meta({
  description: 'disabled: no event is sent. Events of this time are not sent later.',
  example: 'active',
});

/** A webhook in the list of its organization. */
export const webhookRow = z
  .object({
    webhookId: z.uuidv7().meta({ description: 'Id of the webhook.', example: example.webhookId }),
    url: z.string().meta({ description: 'Where events are sent to.', example: example.webhookUrl }),
    events: z
      .array(z.string().meta({ description: 'A type of events, or `*`.', example: 'link.opened' }))
      .meta({ description: 'The types of the events that are sent, or `*` for all.', example: ['link.opened'] }),
    format: webhookFormat,
    description: z
      .string()
      .nullable()
      .meta({ description: 'Purpose of the webhook, or null.', example: 'Tells the CRM who opened an offer.' }),
    includeReaders: webhookIncludesReaders,
    status: webhookStatus,
    disabledBy: z
      .enum(disablings)
      .nullable()
      .meta({
        description:
          'Why the webhook is disabled. user: a call disabled it. key-revoked: the key in `keyId` was revoked. failures: ' +
          'no event arrived for 5 days. Null for an active webhook.',
        example: null,
      }),
    keyId: z.string().nullable().meta({
      description:
        'Id of the API key that made or changed the webhook, whose revocation disables it. Null for a dashboard session.',
      example: null,
    }),
    createdAt: time('When the webhook was created.'),
    failingSince: timeOrNull('Since when no event arrived. Null when the last event arrived, and before the first.'),
  })
  .meta({ id: 'Webhook', description: 'A webhook without its secret.' });
