import { z } from 'zod';
import { MAX_TOLD_CHANGES, TELL_EVERY_MS, webhookChanges, type WebhookChange } from '../policy/webhooks';
import { collection, date, paths } from './collections';
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
  /** The changes of which the owner is told by the next mail, the oldest first. */
  changes: z.array(toldChange),
  /** When the owner was told before. */
  mailedAt: date.nullable(),
  /** When the next mail is due. Null when nothing is to be told. */
  dueAt: date.nullable(),
});
export type WebhookState = z.output<typeof webhookState>;

export const webhookStateRef = (organizationId: string) =>
  collection(paths.webhookStates, webhookState).doc(organizationId);

const newState = (organizationId: string): WebhookState => ({
  organizationId,
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
  tx.set(webhookStateRef(organizationId), { ...state, changes, dueAt: mailDueAt({ ...state, changes }, now) });
}

/** When the changes are told: at once, and an hour after the mail before. */
function mailDueAt({ changes, mailedAt }: WebhookState, now: Date): Date | null {
  if (changes.length === 0) return null;
  return new Date(Math.max(now.getTime(), (mailedAt?.getTime() ?? 0) + TELL_EVERY_MS));
}

/** The organizations whose owners are to be told, as `id`, the longest due first. */
export const dueWebhookStates = (now: Date): AsyncGenerator<{ id: string }> =>
  idsOf(collection(paths.webhookStates, webhookState).query().where('dueAt', '<=', now).orderBy('dueAt'));

/** What the owner is told now. Empty when another run told it. */
export async function changesToTell(organizationId: string, now: Date): Promise<ToldChange[]> {
  const [state] = await read(webhookStateRef(organizationId));
  return state?.dueAt && state.dueAt <= now ? state.changes : [];
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
    tx.set(webhookStateRef(organizationId), { ...left, dueAt: mailDueAt(left, now) });
  });
}
