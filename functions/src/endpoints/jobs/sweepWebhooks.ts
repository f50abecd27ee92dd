import { resendApiKey, serviceSecret } from '../../config';
import { dueWebhookStates } from '../../records/webhook-states';
import { job } from '../../schedules/job';
import { tellOwner } from '../../webhooks/owner-mails';

/** Mails owners what was changed at their webhooks, at most once an hour. */
export const sweepWebhooks = job(
  'sweepWebhooks',
  '* * * * *',
  async ({ now, processItems }) => {
    const told = await processItems(dueWebhookStates(now), ({ id }) => tellOwner(id, now));
    return { told: told.done, failed: told.failed };
  },
  [serviceSecret, resendApiKey],
);
