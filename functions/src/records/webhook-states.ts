import { z } from 'zod';
import { MAX_TOLD_CHANGES, TELL_EVERY_MS, webhookChanges, type WebhookChange } from '../policy/webhooks';
import { dayOf, startOfDay } from '../values/days';
import { DAY_MS } from '../values/units';
import { collection, date, paths } from './collections';
import { addEvent } from './events';
import { idsOf, read, readIn, type Transaction } from './database';
import { transact } from './transact';

const toldChange = z.object({
  at: date,
  what: z.enum(webhookChanges),
  /** The host of the address of the webhook. */
  host: z.string(),
  /** The name of the key that made the change; null for a session and for the service. */
  keyName: z.string().nullable(),
});
export type ToldChange = z.output<typeof toldChange>;

/** What the service knows about the webhooks of an organization. The first change of a webhook writes it. */
const webhookState = z.object({
  organizationId: z.string(),
  /** Since when an operator has stopped the webhooks; null unless one has. */
  stoppedAt: date.nullable(),
  /** The day (UTC) whose deliveries and dropped events are counted. */
  day: z.string(),
  deliveries: z.number().int(),
  dropped: z.number().int(),
  /** The changes of which the owner is told by the next mail, the oldest first. */
  changes: z.array(toldChange),
  /** When the owner was told before. */
  mailedAt: date.nullable(),
  /** When the next mail is due, or the end of a day with dropped events. Null when nothing is to be told. */
  dueAt: date.nullable(),
});
export type WebhookState = z.output<typeof webhookState>;

export const webhookStateRef = (organizationId: string) =>
  collection(paths.webhookStates, webhookState).doc(organizationId);

export const newState = (organizationId: string): WebhookState => ({
  organizationId,
  stoppedAt: null,
  day: '',
  deliveries: 0,
  dropped: 0,
  changes: [],
  mailedAt: null,
  dueAt: null,
});

/** Makes the next mail to the owner tell changes. `state` was read by the transaction. */
export function tellChanges(
  tx: Transaction,
  organizationId: string,
  state: WebhookState = newState(organizationId),
  told: readonly { what: WebhookChange; url: string; keyName?: string | undefined }[],
  now: Date,
): void {
  const added = told.map(({ what, url, keyName = null }) => ({ at: now, what, host: new URL(url).host, keyName }));
  const changes = [...state.changes, ...added].slice(-MAX_TOLD_CHANGES);
  writeState(tx, { ...state, changes }, now);
}

/** When the owner is told the changes: at once, and an hour after the mail before. */
const mailAt = ({ mailedAt }: WebhookState) => (mailedAt?.getTime() ?? 0) + TELL_EVERY_MS;

/** When the job looks at the state: for a mail, or after the day of dropped events. */
function dueAt(state: WebhookState, now: Date): Date | null {
  const times = [
    ...(state.changes.length > 0 ? [Math.max(now.getTime(), mailAt(state))] : []),
    ...(state.dropped > 0 ? [startOfDay(state.day).getTime() + DAY_MS] : []),
  ];
  return times.length > 0 ? new Date(Math.min(...times)) : null;
}

/**
 * The state with the counts of the day of `now`. The transaction tells the events that were dropped on the day before.
 * It has read the state.
 */
export function stateOfDay(tx: Transaction, state: WebhookState, now: Date): WebhookState {
  const day = dayOf(now);
  if (state.day === day) return state;
  const { organizationId, day: before, dropped: count } = state;
  if (count > 0) addEvent(tx, 'deliveries.dropped', { organizationId }, { day: before, count });
  return { ...state, day, deliveries: 0, dropped: 0 };
}

/** Writes a state that the transaction has read. */
export const writeState = (tx: Transaction, state: WebhookState, now: Date): void =>
  tx.set(webhookStateRef(state.organizationId), { ...state, dueAt: dueAt(state, now) });

/** Stops the webhooks of an organization, or allows them again. Returns whether that changed something. */
export async function setStopped(
  tx: Transaction,
  organizationId: string,
  isStopped: boolean,
  now: Date,
): Promise<boolean> {
  const [state = newState(organizationId)] = await readIn(tx, webhookStateRef(organizationId));
  if ((state.stoppedAt !== null) === isStopped) return false;
  writeState(tx, { ...state, stoppedAt: isStopped ? now : null }, now);
  return true;
}

/** Tells the dropped events of a day that has ended. */
export const endDay = (organizationId: string, now: Date): Promise<void> =>
  transact(async (tx) => {
    const [state] = await readIn(tx, webhookStateRef(organizationId));
    if (state && state.dropped > 0 && state.day !== dayOf(now)) writeState(tx, stateOfDay(tx, state, now), now);
  });

/** The organizations whose owners are to be told, as `id`, the longest due first. */
export const dueWebhookStates = (now: Date): AsyncGenerator<{ id: string }> =>
  idsOf(collection(paths.webhookStates, webhookState).query().where('dueAt', '<=', now).orderBy('dueAt'));

/** What the owner is told now. Empty when another run told it. */
export async function changesToTell(organizationId: string, now: Date): Promise<ToldChange[]> {
  const [state] = await read(webhookStateRef(organizationId));
  return state && mailAt(state) <= now.getTime() ? state.changes : [];
}

/** Forgets changes that the owner was told. Later ones wait for the next mail. */
export function endTelling(organizationId: string, told: readonly ToldChange[], now: Date): Promise<void> {
  const known = new Set(told.map((change) => JSON.stringify(change)));
  return transact(async (tx) => {
    const [state] = await readIn(tx, webhookStateRef(organizationId));
    if (!state) return;
    const left = {
      ...state,
      changes: state.changes.filter((change) => !known.has(JSON.stringify(change))),
      mailedAt: now,
    };
    writeState(tx, left, now);
  });
}
