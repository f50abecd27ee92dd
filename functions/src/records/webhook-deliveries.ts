import { z } from 'zod';
import { deliveryStatuses, DELIVERY_TTL_MS, isDroppable, isGivenUp, nextTryAt, wants } from '../policy/webhooks';
import { planCaps } from '../policy/plans';
import type { Cursor } from '../values/cursor';
import { idOf, newId } from '../values/ids';
import { collection, date, documentOf, paths } from './collections';
import { newestPage, read, readIn } from './database';
import { eventRef, markSwept, storedActor, type StoredEvent } from './events';
import { organizationRef } from './organizations';
import { transact } from './transact';
import { newState, stateOfDay, tellChanges, webhookStateRef, writeState } from './webhook-states';
import { disable, webhookRef, type Webhook } from './webhooks';

/** An event that is sent to a webhook. The TTL policy deletes it. */
const delivery = z.object({
  deliveryId: z.string(),
  organizationId: z.string(),
  webhookId: z.string(),
  eventId: z.string(),
  type: z.string(),
  /** Who asked for a test. Null for an event of the feed. */
  testedBy: storedActor.nullable(),
  status: z.enum(deliveryStatuses),
  /** How often it was sent, also on request. */
  attempts: z.number().int(),
  /** The tries by the queue that failed. They decide when the next one is. */
  failures: z.number().int(),
  lastStatus: z.number().int().nullable(),
  /** The first 1 KB of the last answer, or why there was none. */
  lastAnswer: z.string().nullable(),
  lastAttemptAt: date.nullable(),
  /** Null when it is not tried again. */
  nextAttemptAt: date.nullable(),
  createdAt: date,
  expiresAt: date,
});
export type Delivery = z.output<typeof delivery>;

const deliveries = (organizationId: string) => collection(paths.webhookDeliveries(organizationId), delivery);
export const deliveryRef = (organizationId: string, deliveryId: string) => deliveries(organizationId).doc(deliveryId);

/** The id of the delivery of an event of the feed. */
const deliveryIdOf = ({ webhookId }: Webhook, { eventId }: StoredEvent) => idOf(`${webhookId} ${eventId}`);

/** What came of one request: the status of the answer, and its beginning or the reason why there is none. */
export interface Outcome {
  status: number | null;
  answer: string;
}

export const isSuccess = ({ status }: Outcome): boolean => status !== null && status >= 200 && status <= 299;

const newDelivery = (
  webhook: Webhook,
  of: Pick<Delivery, 'deliveryId' | 'eventId' | 'type' | 'testedBy'>,
  now: Date,
): Delivery => ({
  ...of,
  organizationId: webhook.organizationId,
  webhookId: webhook.webhookId,
  status: 'pending',
  attempts: 0,
  failures: 0,
  lastStatus: null,
  lastAnswer: null,
  lastAttemptAt: null,
  nextAttemptAt: now,
  createdAt: now,
  expiresAt: new Date(now.getTime() + DELIVERY_TTL_MS),
});

/**
 * Records for events of an organization what is sent to which webhook, each pair once. Returns the deliveries whose
 * tasks are to be made, and the events that stay unswept until then: a run that is cut off before is repeated. Above
 * the deliveries of a day, visits are counted only.
 */
export function planDeliveries(
  organizationId: string,
  found: readonly StoredEvent[],
  webhooks: readonly Webhook[],
  now: Date,
): Promise<{ toQueue: Delivery[]; toMark: StoredEvent[] }> {
  const pairs = found.flatMap((event) =>
    webhooks
      .filter(({ events }) => wants(events, event.type))
      .map((webhook) => ({ event, webhook, id: deliveryIdOf(webhook, event) })),
  );
  return transact(async (tx) => {
    const [stored, organization] = await readIn(tx, webhookStateRef(organizationId), organizationRef(organizationId));
    const present = await tx.read(found.map(({ eventId }) => eventRef(organizationId, eventId)));
    const known = await tx.read(pairs.map(({ id }) => deliveryRef(organizationId, id)));
    const limit = planCaps[organization?.plan ?? 'free'].deliveriesPerDay;
    let state = stateOfDay(tx, stored ?? newState(organizationId), now);
    const toQueue: Delivery[] = [];
    const toMark: StoredEvent[] = [];
    found.forEach((event, i) => {
      if (!present[i]?.isUnswept) return;
      const own = pairs.flatMap((pair, at) => (pair.event === event ? [{ ...pair, known: known[at] }] : []));
      const fresh = state.stoppedAt ? [] : own.filter((pair) => !pair.known);
      const isDropped = fresh.length > 0 && isDroppable(event.type) && state.deliveries + fresh.length > limit;
      const made = isDropped
        ? []
        : fresh.map(({ webhook, id }) =>
            newDelivery(webhook, { deliveryId: id, eventId: event.eventId, type: event.type, testedBy: null }, now),
          );
      for (const each of made) tx.create(deliveryRef(organizationId, each.deliveryId), each);
      state = { ...state, deliveries: state.deliveries + made.length, dropped: state.dropped + (isDropped ? 1 : 0) };
      const waiting = own.flatMap((pair) => (pair.known?.status === 'pending' ? [pair.known] : []));
      if (made.length + waiting.length === 0) return markSwept(tx, event);
      toQueue.push(...made, ...waiting);
      toMark.push(event);
    });
    writeState(tx, state, now);
    return { toQueue, toMark };
  });
}

/** Records what came of a try by the queue. Nothing happens when another try was recorded since `before` was read. */
export function recordTry(before: Delivery, outcome: Outcome, now: Date): Promise<Delivery | undefined> {
  const { organizationId, deliveryId, webhookId } = before;
  return transact(async (tx) => {
    const refs = [deliveryRef(organizationId, deliveryId), webhookRef(organizationId, webhookId)] as const;
    const [present, webhook, state] = await readIn(tx, ...refs, webhookStateRef(organizationId));
    if (!present || present.status !== 'pending' || present.failures !== before.failures) return present;
    const isDelivered = isSuccess(outcome);
    const failures = present.failures + (isDelivered ? 0 : 1);
    const next = isDelivered ? null : nextTryAt(failures, present.createdAt, now);
    const status = isDelivered ? 'delivered' : next ? 'pending' : 'failed';
    const recorded = {
      ...present,
      ...attempted(present, outcome, now),
      status,
      failures,
      nextAttemptAt: next,
    } as const;
    tx.set(refs[0], recorded);
    if (webhook?.status !== 'active') return recorded;
    const failing = isDelivered
      ? { failingSince: null, failedEvents: 0 }
      : {
          failingSince: webhook.failingSince ?? now,
          failedEvents: webhook.failedEvents + (status === 'failed' ? 1 : 0),
        };
    const isChanged = failing.failedEvents !== webhook.failedEvents || !failing.failingSince !== !webhook.failingSince;
    if (isChanged) tx.update(refs[1], failing);
    if (isGivenUp(failing, now)) {
      disable(tx, { ...webhook, ...failing }, 'failures');
      tellChanges(tx, organizationId, state, [{ what: 'disabled-failures', url: webhook.url }], now);
    }
    return recorded;
  });
}

/** What a request changes at the delivery. */
const attempted = ({ attempts }: Delivery, { status, answer }: Outcome, now: Date) => ({
  attempts: attempts + 1,
  lastStatus: status,
  lastAnswer: answer,
  lastAttemptAt: now,
});

/**
 * Records what came of a request that a person asked for. A success ends the tries of the queue, a failure does not.
 */
export async function recordAttempt(before: Delivery, outcome: Outcome, now: Date): Promise<Delivery> {
  const changes = {
    ...attempted(before, outcome, now),
    ...(isSuccess(outcome) && { status: 'delivered' as const, nextAttemptAt: null }),
  };
  await documentOf(deliveryRef(before.organizationId, before.deliveryId)).update(changes);
  return { ...before, ...changes };
}

/** Records what came of the test of a webhook. */
export async function recordTest(
  webhook: Webhook,
  test: Pick<Delivery, 'eventId' | 'testedBy'>,
  outcome: Outcome,
  now: Date,
): Promise<Delivery> {
  const waiting = newDelivery(webhook, { ...test, deliveryId: newId(), type: 'test' }, now);
  const status = isSuccess(outcome) ? ('delivered' as const) : ('failed' as const);
  const recorded = { ...waiting, ...attempted(waiting, outcome, now), status, nextAttemptAt: null };
  await documentOf(deliveryRef(webhook.organizationId, recorded.deliveryId)).create(recorded);
  return recorded;
}

/** Ends a delivery whose webhook was disabled or deleted, or whose organization was stopped. */
export async function giveUp({ organizationId, deliveryId }: Delivery, answer: string): Promise<void> {
  const ended = { status: 'failed' as const, nextAttemptAt: null, lastAnswer: answer };
  await documentOf(deliveryRef(organizationId, deliveryId)).update(ended);
}

/**
 * Takes the answers to an event out of its deliveries: receivers may have answered with what they were sent. A delivery
 * stays when its webhook is deleted.
 */
export async function forgetAnswers({ organizationId, eventId }: StoredEvent): Promise<void> {
  const { docs } = await deliveries(organizationId).query().where('eventId', '==', eventId).get();
  for (const document of docs) await document.ref.update({ lastAnswer: null });
}

/** A delivery, its webhook, its event of the feed and the state of its organization. Two round trips. */
export async function readDelivery(organizationId: string, deliveryId: string) {
  const [found, state] = await read(deliveryRef(organizationId, deliveryId), webhookStateRef(organizationId));
  if (!found) return undefined;
  const refs = [webhookRef(organizationId, found.webhookId), eventRef(organizationId, found.eventId)] as const;
  const [webhook, stored] = await read(...refs);
  return { delivery: found, webhook, stored, isStopped: Boolean(state?.stoppedAt) };
}

/**
 * A page of the deliveries of a webhook, the newest first, with their events of the feed, and the webhook. One query,
 * then one read.
 */
export async function listDeliveries(
  organizationId: string,
  webhookId: string,
  limit: number,
  after: Cursor | undefined,
): Promise<{ webhook: Webhook | undefined; records: (Delivery & { stored?: StoredEvent })[]; next: string | null }> {
  const query = deliveries(organizationId).query().where('webhookId', '==', webhookId);
  const { records, next } = await newestPage(query, 'createdAt', limit, after);
  const ofEvents = records.map(({ eventId, testedBy }) => (testedBy ? undefined : eventRef(organizationId, eventId)));
  const [webhook, ...events] = await read(webhookRef(organizationId, webhookId), ...ofEvents);
  return { webhook, records: records.map((each, i) => ({ ...each, ...(events[i] && { stored: events[i] }) })), next };
}
