import { z } from 'zod';
import { deliveryStatuses } from '../policy/webhooks';
import { example } from './example';
import { time, timeOrNull } from './fields';

/** An event that was sent to a webhook, or is to be sent. */
export const deliveryRow = z
  .object({
    deliveryId: z.uuid().meta({ description: 'Id of the delivery.', example: example.deliveryId }),
    eventId: z
      .uuidv7()
      .meta({ description: 'Id of the event, the `webhook-id` of the request.', example: example.eventId }),
    type: z.string().meta({ description: 'Type of the event, or `test`.', example: 'link.opened' }),
    status: z.enum(deliveryStatuses).meta({
      description:
        'pending: it is sent, or tried again. delivered: the answer had a status of 2xx. failed: it is not tried again.',
      example: 'delivered',
    }),
    attempts: z.int().nonnegative().meta({ description: 'How often it was sent.', example: 1 }),
    lastStatus: z
      .int()
      .nullable()
      .meta({ description: 'Status of the last answer. Null without an answer.', example: 200 }),
    lastAnswer: z
      .string()
      .nullable()
      .meta({
        description:
          'The first 1 KB of the last answer, or why there was none. Null before the first attempt, and once a person in ' +
          'the event was forgotten.',
        example: 'ok',
      }),
    request: z.string().nullable().meta({
      description: 'The body of the request as it would be sent now, at most 16 KB of it. Null when the event is gone.',
      example: '{"type":"presentation.renamed"}',
    }),
    createdAt: time('When the event was found for the webhook.'),
    lastAttemptAt: timeOrNull('When it was last sent. Null before the first attempt.'),
    nextAttemptAt: timeOrNull('When it is sent next. Null when it is not sent again.'),
  })
  .meta({ id: 'WebhookDelivery', description: 'An event that was sent to a webhook, or is to be sent.' });
