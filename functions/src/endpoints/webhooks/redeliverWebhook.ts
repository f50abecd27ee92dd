import { z } from 'zod';
import { serviceSecret } from '../../config';
import { example } from '../../contract/example';
import { id } from '../../contract/fields';
import { deliveryRow } from '../../contract/webhook-deliveries';
import { fail } from '../../errors';
import { asMember } from '../../http/caller';
import { endpoint } from '../../http/endpoint';
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
  errors: ['not-found'],
  runtime: { secrets: [serviceSecret] },
  cost: { roundTrips: 4, reads: 5, writes: 1 },

  async handle({ input: { deliveryId }, caller }) {
    const delivery = await sendAgain(asMember(caller).organizationId, deliveryId);
    if (!delivery)
      return fail('not-found', undefined, { message: 'There is no such delivery, or its webhook or event is gone.' });
    return { delivery: deliveryView(delivery) };
  },
});
