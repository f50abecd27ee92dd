import { z } from 'zod';
import { cursor, nextCursor, pageLimit } from '../../contract/fields';
import { deliveryRow } from '../../contract/webhook-deliveries';
import { webhookId } from '../../contract/webhook-fields';
import { fail } from '../../errors';
import { asMember } from '../../http/caller';
import { endpoint } from '../../http/endpoint';
import { listDeliveries } from '../../records/webhook-deliveries';
import { deliveryView } from '../../rows/webhooks';
import { eventOf, shownBody } from '../../webhooks/message';

export const Input = z.object({ webhookId, limit: pageLimit('deliveries'), cursor });

export const Answer = z.object({
  deliveries: z.array(deliveryRow).meta({ description: 'The deliveries, the newest first.' }),
  nextCursor,
});

export const listWebhookDeliveries = endpoint({
  name: 'listWebhookDeliveries',
  about:
    'Lists what was sent to a webhook in the last 7 days, with the body of each request and the beginning of each answer.',
  method: 'GET',
  caller: { scope: 'presentations:read' },
  input: Input,
  answer: Answer,
  errors: ['not-found'],
  runtime: { class: 'list' },
  cost: { roundTrips: 3, reads: 4, writes: 0 },

  async handle({ input: { webhookId: id, limit, cursor: after }, caller }) {
    const { webhook, records, next } = await listDeliveries(asMember(caller).organizationId, id, limit, after);
    if (!webhook) return fail('not-found', undefined, { message: 'There is no such webhook.' });
    const deliveries = records.map(({ stored, ...delivery }) => {
      const event = eventOf(webhook, delivery, stored);
      return deliveryView(delivery, event ? shownBody(webhook, event) : null);
    });
    return { deliveries, nextCursor: next };
  },
});
