import { z } from 'zod';
import { serviceSecret } from '../../config';
import { time } from '../../contract/fields';
import { webhookId, webhookSecret } from '../../contract/webhook-fields';
import { asDoer } from '../../http/caller';
import { endpoint } from '../../http/endpoint';
import { assertUnrevoked } from '../../records/api-keys';
import { transact } from '../../records/transact';
import { rotateWebhookSecret as rotate } from '../../records/webhooks';

export const Input = z.object({ webhookId });

export const Answer = z.object({
  secret: webhookSecret.meta({ description: 'The new secret. The service returns it once.' }),
  oldUntil: time('Until when the secret before signs, too.'),
});

export const rotateWebhookSecret = endpoint({
  name: 'rotateWebhookSecret',
  about:
    'Gives a webhook another secret. For 24 hours each request has two signatures, also that of the secret before. ' +
    'A second call within this time ends the oldest secret at once. The owner of the organization is told by mail.',
  method: 'POST',
  caller: { scope: 'presentations:write', also: 'presentations:read' },
  input: Input,
  answer: Answer,
  errors: ['not-found'],
  runtime: { secrets: [serviceSecret] },
  cost: { roundTrips: 4, reads: 4, writes: 3 },

  handle({ input: { webhookId: id }, caller, now }) {
    const doer = asDoer(caller);
    return transact(async (tx) => {
      await assertUnrevoked(tx, doer);
      const { secret, oldUntil } = await rotate(tx, id, { doer, now });
      return { secret, oldUntil: oldUntil.toISOString() };
    });
  },
});
