import { z } from 'zod';
import { serviceSecret } from '../../config';
import { deliveryRow } from '../../contract/webhook-deliveries';
import { webhookId } from '../../contract/webhook-fields';
import { fail } from '../../errors';
import { asDoer } from '../../http/caller';
import { endpoint } from '../../http/endpoint';
import { requestLimits } from '../../policy/request-limits';
import { read } from '../../records/database';
import { actorOfDoer } from '../../records/events';
import { countRequest } from '../../records/request-windows';
import { webhookRef } from '../../records/webhooks';
import { webhookStateRef } from '../../records/webhook-states';
import { deliveryView } from '../../rows/webhooks';
import { sendTest } from '../../webhooks/deliver';

export const Input = z.object({ webhookId });

export const Answer = z.object({ delivery: deliveryRow });

export const sendTestEvent = endpoint({
  name: 'sendTestEvent',
  about:
    'Sends an event `test` to a webhook, also to a disabled one, and answers what came of it. It is sent once. It counts ' +
    'for nothing.',
  method: 'POST',
  caller: { scope: 'presentations:write', also: 'presentations:read' },
  input: Input,
  answer: Answer,
  errors: ['not-found', 'conflict', 'rate-limited'],
  runtime: { secrets: [serviceSecret] },
  cost: { roundTrips: 5, reads: 4, writes: 3 },

  async handle({ input: { webhookId: id }, caller, now }) {
    const doer = asDoer(caller);
    const { organizationId } = doer;
    await countRequest('tester', organizationId, requestLimits.webhookRequestsAnHour, now);
    const [webhook, state] = await read(webhookRef(organizationId, id), webhookStateRef(organizationId));
    if (!webhook) return fail('not-found', undefined, { message: 'There is no such webhook.' });
    if (state?.stoppedAt) fail('conflict', undefined, STOPPED);
    const { delivery, request } = await sendTest(webhook, actorOfDoer(doer), now);
    return { delivery: deliveryView(delivery, request) };
  },
});

const STOPPED = {
  message: 'The operator of the service has stopped the webhooks of the organization.',
  nextAction: 'Ask the operator of the service.',
};
