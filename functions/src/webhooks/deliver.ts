import { config } from '../config';
import {
  giveUp,
  readDelivery,
  recordAttempt,
  recordTest,
  recordTry,
  type Delivery,
  type Outcome,
} from '../records/webhook-deliveries';
import type { Webhook } from '../records/webhooks';
import { webhookEventView } from '../rows/webhooks';
import { newId } from '../values/ids';
import { messageOf, type Sent } from './message';
import { postTo } from './post';
import { queueTry, type DeliveryTask } from './queue';

const send = (webhook: Webhook, event: Sent, now: Date): Promise<Outcome> =>
  postTo(webhook.url, messageOf(webhook, event, now), config.allowsPrivateWebhooks());

/**
 * Makes the try of a task. The queue repeats a task that was cut off: the receiver may get the event again, with the same
 * id, and the next try is queued once, also when it was recorded and not queued before the cut.
 */
export async function makeTry({ organizationId, deliveryId, failures }: DeliveryTask): Promise<void> {
  const found = await readDelivery(organizationId, deliveryId);
  if (found?.delivery.status !== 'pending') return;
  const { delivery, webhook, event, isStopped } = found;
  if (delivery.failures > failures) return queueTry(delivery);
  if (isStopped) return giveUp(delivery, 'An operator has stopped the webhooks of the organization.');
  if (webhook?.status !== 'active') return giveUp(delivery, 'The webhook was disabled or deleted.');
  if (!event) return giveUp(delivery, 'The event is older than 30 days.');
  const outcome = await send(webhook, event, new Date());
  const recorded = await recordTry(delivery, outcome, new Date());
  if (recorded?.status === 'pending') await queueTry(recorded);
}

/** Sends the event of a delivery again, at once. Undefined when its webhook, its event or itself is gone, or stopped. */
export async function sendAgain(organizationId: string, deliveryId: string): Promise<Delivery | undefined> {
  const found = await readDelivery(organizationId, deliveryId);
  if (!found?.webhook || !found.event || found.isStopped) return undefined;
  return recordAttempt(found.delivery, await send(found.webhook, found.event, new Date()), new Date());
}

/** Sends an event `test` to a webhook, at once and once. */
export async function sendTest(webhook: Webhook, actor: Sent['actor'], now: Date): Promise<Delivery> {
  const eventId = newId();
  const { organizationId } = webhook;
  const of = { eventId, type: 'test', createdAt: now, organizationId, presentationId: null, actor, reader: null };
  const outcome = await send(webhook, { ...of, data: { webhook: webhookEventView(webhook) } }, now);
  return recordTest(webhook, eventId, outcome, now);
}
