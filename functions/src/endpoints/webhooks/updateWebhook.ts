import { z } from 'zod';
import { newWebhookUrl, webhookDescription, webhookEvents, webhookId } from '../../contract/webhook-fields';
import { webhookFormat, webhookIncludesReaders, webhookRow, webhookStatus } from '../../contract/webhook-rows';
import { asDoer } from '../../http/caller';
import { endpoint } from '../../http/endpoint';
import { assertUnrevoked } from '../../records/api-keys';
import { transact } from '../../records/transact';
import { changeWebhook } from '../../records/webhooks';
import { webhookView } from '../../rows/webhooks';

export const Input = z.object({
  webhookId,
  url: newWebhookUrl.optional(),
  events: webhookEvents.optional(),
  format: webhookFormat.optional(),
  description: webhookDescription,
  includeReaders: webhookIncludesReaders.optional(),
  status: webhookStatus.optional(),
});

export const Answer = z.object({ webhook: webhookRow });

export const updateWebhook = endpoint({
  name: 'updateWebhook',
  about:
    'Changes the fields of a webhook that are sent, also its status: a disabled webhook is enabled again. The owner of ' +
    'the organization is told by mail. The revocation of a key disables the webhooks that the key changed last.',
  method: 'POST',
  caller: { scope: 'presentations:write', also: 'presentations:read' },
  input: Input,
  answer: Answer,
  errors: ['not-found'],
  cost: { roundTrips: 4, reads: 4, writes: 3 },

  handle({ input: { webhookId: id, ...changes }, caller, now }) {
    const doer = asDoer(caller);
    return transact(async (tx) => {
      await assertUnrevoked(tx, doer);
      return { webhook: webhookView(await changeWebhook(tx, id, changes, { doer, now })) };
    });
  },
});
