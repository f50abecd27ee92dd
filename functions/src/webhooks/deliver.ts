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
import { newId } from '../values/ids';
import { eventOf, messageOf, shownBody, type Sent } from './message';
import { postTo } from './post';
import { queueTry, type DeliveryTask } from './queue';

const send = (webhook: Webhook, event: Sent, now: Date): Promise<Outcome> =>
  postTo(webhook.url, messageOf(webhook, event, now), config.allowsPrivateWebhooks());

/**
 * Makes the try of a task. The queue repeats a task that was cut off: the receiver may get the event again, with the
 * same id, and the next try is queued once, also when it was recorded and not queued before the cut.
 */
export async function makeTry({ organizationId, deliveryId, failures }: DeliveryTask): Promise<void> {
  const found = await readDelivery(organizationId, deliveryId);
  if (found?.delivery.status !== 'pending') return;
  const { delivery, webhook, stored, isStopped } = found;
  if (delivery.failures > failures) return queueTry(delivery);
  if (isStopped) return giveUp(delivery, 'An operator has stopped the webhooks of the organization.');
  if (webhook?.status !== 'active') return giveUp(delivery, 'The webhook was disabled or deleted.');
  if (!stored) return giveUp(delivery, 'The event is older than 30 days.');
  const outcome = await send(webhook, stored, new Date());
  const recorded = await recordTry(delivery, outcome, new Date());
  if (recorded?.status === 'pending') await queueTry(recorded);
}

/** A delivery, and the beginning of the body of its request. */
interface Made {
  delivery: Delivery;
  request: string;
}

/**
 * Sends the event of a delivery again, at once. Undefined when its webhook, its event or itself is gone, or stopped.
 */
export async function sendAgain(organizationId: string, deliveryId: string): Promise<Made | undefined> {
  const found = await readDelivery(organizationId, deliveryId);
  if (!found?.webhook || found.isStopped) return undefined;
  const { webhook, delivery, stored } = found;
  const event = eventOf(webhook, delivery, stored);
  if (!event) return undefined;
  const outcome = await send(webhook, event, new Date());
  return { delivery: await recordAttempt(delivery, outcome, new Date()), request: shownBody(webhook, event) };
}

/** Sends an event `test` to a webhook, at once and once. */
export async function sendTest(webhook: Webhook, testedBy: Sent['actor'], now: Date): Promise<Made> {
  const test = { eventId: newId(), testedBy };
  const event = eventOf(webhook, { ...test, createdAt: now })!;
  const outcome = await send(webhook, event, now);
  return { delivery: await recordTest(webhook, test, outcome, now), request: shownBody(webhook, event) };
}
