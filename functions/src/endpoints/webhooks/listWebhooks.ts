import { z } from 'zod';
import { webhookRow } from '../../contract/webhook-rows';
import { asMember } from '../../http/caller';
import { endpoint } from '../../http/endpoint';
import { MAX_WEBHOOKS } from '../../policy/webhooks';
import { listWebhooks as listRecords } from '../../records/webhooks';
import { webhookView } from '../../rows/webhooks';

export const Input = z.object({});

export const Answer = z.object({
  webhooks: z.array(webhookRow).meta({ description: 'The webhooks, the newest first.' }),
  limit: z.int().meta({ description: 'How many webhooks an organization may have.', example: MAX_WEBHOOKS }),
});

export const listWebhooks = endpoint({
  name: 'listWebhooks',
  about: "Lists the webhooks of the caller's organization. It never returns a secret.",
  method: 'GET',
  caller: { scope: 'presentations:read' },
  input: Input,
  answer: Answer,
  errors: [],
  runtime: { class: 'list' },
  cost: { roundTrips: 2, reads: 2, writes: 0 },

  async handle({ caller }) {
    const webhooks = await listRecords(asMember(caller).organizationId);
    return { webhooks: webhooks.map(webhookView), limit: MAX_WEBHOOKS };
  },
});
