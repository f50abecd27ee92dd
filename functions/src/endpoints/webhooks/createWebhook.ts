import { z } from 'zod';
import { serviceSecret } from '../../config';
import { newWebhookUrl, webhookDescription, webhookEvents, webhookSecret } from '../../contract/webhook-fields';
import { webhookFormat, webhookIncludesReaders, webhookRow } from '../../contract/webhook-rows';
import { asDoer } from '../../http/caller';
import { endpoint } from '../../http/endpoint';
import { assertUnrevoked } from '../../records/api-keys';
import { createWebhook as create } from '../../records/webhooks';
import { webhookView } from '../../rows/webhooks';

export const Input = z.object({
  url: newWebhookUrl,
  events: webhookEvents,
  format: webhookFormat.default('standard'),
  description: webhookDescription,
  includeReaders: webhookIncludesReaders.default(false),
});

export const Answer = z.object({ webhook: webhookRow, secret: webhookSecret.optional() });

export const createWebhook = endpoint({
  name: 'createWebhook',
  about:
    'Makes the service send events to an address. The answer has the secret with which you check that a request comes ' +
    'from the service. The owner of the organization is told by mail. An organization may have 10 webhooks; a key makes ' +
    'webhooks that its revocation disables.',
  method: 'POST',
  caller: { scope: 'presentations:write', also: 'presentations:read' },
  input: Input,
  answer: Answer,
  isIdempotent: true,
  errors: ['conflict'],
  runtime: { secrets: [serviceSecret] },
  cost: { roundTrips: 5, reads: 4, writes: 4 },

  handle({ input: { description = null, ...settings }, caller, now, idempotency }) {
    const doer = asDoer(caller);
    return idempotency.run(
      async (tx): Promise<z.input<typeof Answer>> => {
        await assertUnrevoked(tx, doer);
        const { webhook, secret } = await create(tx, { ...settings, description }, { doer, now });
        return { webhook: webhookView(webhook), secret };
      },
      ({ webhook }) => ({ webhook }),
    );
  },
});
