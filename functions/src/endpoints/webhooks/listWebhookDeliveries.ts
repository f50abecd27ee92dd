import { z } from 'zod';
import { cursor, nextCursor, pageLimit } from '../../contract/fields';
import { deliveryRow } from '../../contract/webhook-deliveries';
import { webhookId } from '../../contract/webhook-fields';
import { asMember } from '../../http/caller';
import { endpoint } from '../../http/endpoint';
import { listDeliveries } from '../../records/webhook-deliveries';
import { deliveryView } from '../../rows/webhooks';

export const Input = z.object({ webhookId, limit: pageLimit('deliveries'), cursor });

export const Answer = z.object({
  deliveries: z.array(deliveryRow).meta({ description: 'The deliveries, the newest first.' }),
  nextCursor,
});

export const listWebhookDeliveries = endpoint({
  name: 'listWebhookDeliveries',
  about: 'Lists what was sent to a webhook in the last 7 days, with the beginning of each answer.',
  method: 'GET',
  caller: { scope: 'presentations:read' },
  input: Input,
  answer: Answer,
  errors: ['not-found'],
  cost: { roundTrips: 2, reads: 6, writes: 0 },

  async handle({ input: { webhookId: id, limit, cursor: after }, caller }) {
    const { records, next } = await listDeliveries(asMember(caller).organizationId, id, limit, after);
    return { deliveries: records.map(deliveryView), nextCursor: next };
  },
});
