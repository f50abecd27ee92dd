import { z } from 'zod';
import { serviceSecret } from '../../config';
import { example } from '../../contract/example';
import { id } from '../../contract/fields';
import { deliveryRow } from '../../contract/webhook-deliveries';
import { fail } from '../../errors';
import { asMember } from '../../http/caller';
import { endpoint } from '../../http/endpoint';
import { requestLimits } from '../../policy/request-limits';
import { countRequest } from '../../records/request-windows';
import { deliveryView } from '../../rows/webhooks';
import { sendAgain } from '../../webhooks/deliver';

export const Input = z.object({
  deliveryId: id('deliveryId').meta({ description: 'Id of the delivery.', example: example.deliveryId }),
});

export const Answer = z.object({ delivery: deliveryRow });

export const redeliverWebhook = endpoint({
  name: 'redeliverWebhook',
  about:
    'Sends the event of a delivery again, at once, with the same `webhook-id`, to the present address of the webhook. ' +
    'It answers what came of it. A success ends the attempts of a delivery that waits for the next one.',
  method: 'POST',
  caller: { scope: 'presentations:write', also: 'presentations:read' },
  input: Input,
  answer: Answer,
  errors: ['not-found', 'rate-limited'],
  runtime: { secrets: [serviceSecret] },
  cost: { roundTrips: 6, reads: 6, writes: 3 },

  async handle({ input: { deliveryId }, caller, now }) {
    const { organizationId } = asMember(caller);
    await countRequest('tester', organizationId, requestLimits.webhookRequestsAnHour, now);
    const made = await sendAgain(organizationId, deliveryId);
    if (!made)
      return fail('not-found', undefined, { message: 'There is no such delivery, or its webhook or event is gone.' });
    return { delivery: deliveryView(made.delivery, made.request) };
  },
});
