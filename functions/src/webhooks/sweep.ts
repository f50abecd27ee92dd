import pMap from 'p-map';
import { markAllSwept, type StoredEvent } from '../records/events';
import { planDeliveries } from '../records/webhook-deliveries';
import { listWebhooks } from '../records/webhooks';
import { queueTry } from './queue';

/** The events of a transaction: with 10 webhooks it writes some 450 documents. */
const AT_ONCE = 40;

/**
 * Makes the tasks of new events of one organization. An event keeps its mark until its tasks exist: a run that is cut
 * off before is repeated, finds the deliveries that it wrote, and makes the same tasks. Returns how many were made.
 */
export async function sweepEvents(organizationId: string, found: readonly StoredEvent[], now: Date): Promise<number> {
  const webhooks = (await listWebhooks(organizationId)).filter(({ status }) => status === 'active');
  if (webhooks.length === 0) {
    await markAllSwept(found);
    return 0;
  }
  let made = 0;
  for (let start = 0; start < found.length; start += AT_ONCE) {
    const some = found.slice(start, start + AT_ONCE);
    const { toQueue, toMark } = await planDeliveries(organizationId, some, webhooks, now);
    await pMap(toQueue, queueTry, { concurrency: 20 });
    if (toMark.length > 0) await markAllSwept(toMark);
    made += toQueue.length;
  }
  return made;
}
