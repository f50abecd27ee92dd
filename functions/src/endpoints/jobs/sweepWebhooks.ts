import { resendApiKey, serviceSecret } from '../../config';
import { unsweptEvents, type StoredEvent } from '../../records/events';
import { dueWebhookStates, endDay } from '../../records/webhook-states';
import { job } from '../../schedules/job';
import { tellOwner } from '../../webhooks/owner-mails';
import { sweepEvents, SWEPT_TOGETHER } from '../../webhooks/sweep';

/**
 * Makes the tasks of new events, tells the events of a day for which the plan had no room, and mails owners what was
 * changed at their webhooks.
 */
export const sweepWebhooks = job(
  'sweepWebhooks',
  '* * * * *',
  async ({ now, processItems }) => {
    let tasks = 0;
    const swept = await processItems(eventsByOrganization(), async ({ id, events }) => {
      tasks += await sweepEvents(id, events, now);
    });
    const told = await processItems(dueWebhookStates(now), async ({ id }) => {
      await endDay(id, now);
      await tellOwner(id, now);
    });
    return { tasks, told: told.done, failed: swept.failed + told.failed };
  },
  [serviceSecret, resendApiKey],
);

/** The events of each page of the sweep, by organization. */
async function* eventsByOrganization() {
  for await (const page of unsweptEvents(SWEPT_TOGETHER)) {
    const byOrganization = new Map<string, StoredEvent[]>();
    for (const event of page) {
      byOrganization.set(event.organizationId, [...(byOrganization.get(event.organizationId) ?? []), event]);
    }
    for (const [id, events] of byOrganization) yield { id, events };
  }
}
