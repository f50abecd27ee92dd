import pMap from 'p-map';
import { markAllSwept, type StoredEvent } from '../records/events';
import { planDeliveries } from '../records/webhook-deliveries';
import { listWebhooks } from '../records/webhooks';
import { queueTry } from './queue';

/**
 * The events that are swept together: with 10 webhooks their transaction writes some 450 documents. An event of many
 * links has up to 200 KB.
 */
export const SWEPT_TOGETHER = 40;

/**
 * Makes the tasks of at most 40 new events of one organization. An event keeps its mark until its tasks exist: a run
 * that is cut off before is repeated, finds the deliveries that it wrote, and makes the same tasks. Returns how many
 * were made.
 */
export async function sweepEvents(organizationId: string, found: readonly StoredEvent[], now: Date): Promise<number> {
  const webhooks = (await listWebhooks(organizationId)).filter(({ status }) => status === 'active');
  if (webhooks.length === 0) {
    await markAllSwept(found);
    return 0;
  }
  const { toQueue, toMark } = await planDeliveries(organizationId, found, webhooks, now);
  await pMap(toQueue, queueTry, { concurrency: 20 });
  if (toMark.length > 0) await markAllSwept(toMark);
  return toQueue.length;
}
