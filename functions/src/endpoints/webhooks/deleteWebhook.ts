import { z } from 'zod';
import { webhookId } from '../../contract/webhook-fields';
import { asMember } from '../../http/caller';
import { endpoint } from '../../http/endpoint';
import { transact } from '../../records/transact';
import { deleteWebhook as remove } from '../../records/webhooks';

export const Input = z.object({ webhookId });

export const Answer = z.object({ webhookId });

export const deleteWebhook = endpoint({
  name: 'deleteWebhook',
  about: 'Deletes a webhook. Nothing is sent to its address any more, also no event that waits.',
  method: 'POST',
  caller: { scope: 'presentations:write', also: 'presentations:read' },
  input: Input,
  answer: Answer,
  errors: ['not-found'],
  cost: { roundTrips: 3, reads: 2, writes: 2 },

  async handle({ input: { webhookId: id }, caller }) {
    const { organizationId } = asMember(caller);
    await transact((tx) => remove(tx, organizationId, id));
    return { webhookId: id };
  },
});
