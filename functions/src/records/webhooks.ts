import { z } from 'zod';
import { serviceSecrets } from '../config';
import type { Doer } from '../context';
import { fail } from '../errors';
import {
  disablings,
  MAX_WEBHOOKS,
  OLD_SECRET_MS,
  webhookFormats,
  type Disabling,
  type WebhookChange,
} from '../policy/webhooks';
import { webhookEventView } from '../rows/webhooks';
import { newId } from '../values/ids';
import { mintWebhookSecret, sealWebhookSecret } from '../values/webhook-secrets';
import { collection, date, paths } from './collections';
import { readIn, type Transaction } from './database';
import { addEvent } from './events';
import { transact } from './transact';
import { tellChanges, webhookStateRef, type WebhookState } from './webhook-states';

/** An address to which the events of an organization are sent. */
const webhook = z.object({
  webhookId: z.string(),
  organizationId: z.string(),
  url: z.string(),
  /** Types of events, or `*`. */
  events: z.array(z.string()),
  format: z.enum(webhookFormats),
  description: z.string().nullable(),
  includeReaders: z.boolean(),
  status: z.enum(['active', 'disabled']),
  disabledBy: z.enum(disablings).nullable(),
  /** The key whose revocation disables it: the one that made or last changed it. Null for a session. */
  keyId: z.string().nullable(),
  /** The secret that signs: see values/webhook-secrets. */
  sealed: z.string(),
  /** The secret before, which signs, too, for a day. */
  old: z.object({ sealed: z.string(), until: date }).nullable(),
  createdAt: date,
  /** When the first event did not arrive after the last one that did. */
  failingSince: date.nullable(),
  /** The events since then that failed at all tries. */
  failedEvents: z.number().int(),
});
export type Webhook = z.output<typeof webhook>;

const webhooks = (organizationId: string) => collection(paths.webhooks(organizationId), webhook);
export const webhookRef = (organizationId: string, webhookId: string) => webhooks(organizationId).doc(webhookId);

/** What a call sets. */
type Settings = Pick<Webhook, 'url' | 'events' | 'format' | 'description' | 'includeReaders'>;

/** Who changes a webhook, and when. */
interface By {
  doer: Doer;
  now: Date;
}

/** The webhooks of an organization, the newest first: at most 10. One query, which a transaction locks. */
export async function listWebhooks(organizationId: string, tx?: Transaction): Promise<Webhook[]> {
  const query = webhooks(organizationId).query();
  const { docs } = await (tx ? tx.get(query) : query.get());
  return docs.map((document) => document.data()).sort((a, b) => b.createdAt.getTime() - a.createdAt.getTime());
}

/** A webhook, and the state of its organization. not-found when the organization has no such webhook. */
export async function readWebhook(
  tx: Transaction,
  organizationId: string,
  webhookId: string,
): Promise<{ webhook: Webhook; state: WebhookState | undefined }> {
  const [found, state] = await readIn(tx, webhookRef(organizationId, webhookId), webhookStateRef(organizationId));
  return { webhook: found ?? failNotFound(), state };
}

const failNotFound = () => fail('not-found', undefined, { message: 'There is no such webhook.' });

/**
 * Creates a webhook, and returns its record with the secret, which is returned only here. conflict when the
 * organization has 10.
 */
export async function createWebhook(
  tx: Transaction,
  settings: Settings,
  { doer, now }: By,
): Promise<{ webhook: Webhook; secret: string }> {
  const { organizationId, key } = doer;
  const others = await listWebhooks(organizationId, tx);
  if (others.length >= MAX_WEBHOOKS) {
    fail(
      'conflict',
      { limit: MAX_WEBHOOKS },
      {
        message: `The organization has ${MAX_WEBHOOKS} webhooks.`,
        nextAction: 'Delete a webhook that you do not use, or change its address.',
      },
    );
  }
  const [state] = await readIn(tx, webhookStateRef(organizationId));
  const webhookId = newId();
  const secret = mintWebhookSecret();
  const record: Webhook = {
    ...settings,
    webhookId,
    organizationId,
    status: 'active',
    disabledBy: null,
    keyId: key?.keyId ?? null,
    sealed: sealWebhookSecret(serviceSecrets.current(), webhookId, secret),
    old: null,
    createdAt: now,
    failingSince: null,
    failedEvents: 0,
  };
  tx.create(webhookRef(organizationId, webhookId), record);
  addEvent(tx, 'webhook.created', { organizationId }, { webhook: webhookEventView(record) });
  tellChanges(tx, organizationId, state, [{ what: 'created', url: record.url, keyName: key?.name }], now);
  return { webhook: record, secret };
}

/**
 * Changes a webhook. A key that changes it is from then on the one whose revocation disables it; a session that gives
 * it an address or enables it ends that.
 */
export async function changeWebhook(
  tx: Transaction,
  webhookId: string,
  { status, ...changes }: Partial<Settings> & { status?: Webhook['status'] | undefined },
  { doer, now }: By,
): Promise<Webhook> {
  const { organizationId, key } = doer;
  const { webhook: before, state } = await readWebhook(tx, organizationId, webhookId);
  const isTakenOver = changes.url !== undefined || status === 'active';
  const all = {
    ...changes,
    keyId: key?.keyId ?? (isTakenOver ? null : before.keyId),
    ...(status === 'disabled' && before.status === 'active' && { status, disabledBy: 'user' as const }),
    ...(status === 'active' && { status, disabledBy: null, failingSince: null, failedEvents: 0 }),
  };
  const changed: Webhook = { ...before, ...all };
  tx.update(webhookRef(organizationId, webhookId), all);
  if (changed.status === 'disabled' && before.status === 'active')
    addEvent(tx, 'webhook.disabled', { organizationId }, { webhook: webhookEventView(changed) });
  tellChanges(tx, organizationId, state, [{ what: 'changed', url: changed.url, keyName: key?.name }], now);
  return changed;
}

/** Gives a webhook another secret, which is returned only here. The one before signs, too, for 24 hours. */
export async function rotateWebhookSecret(
  tx: Transaction,
  webhookId: string,
  { doer, now }: By,
): Promise<{ secret: string; oldUntil: Date }> {
  const { organizationId, key } = doer;
  const { webhook: before, state } = await readWebhook(tx, organizationId, webhookId);
  const secret = mintWebhookSecret();
  const oldUntil = new Date(now.getTime() + OLD_SECRET_MS);
  tx.update(webhookRef(organizationId, webhookId), {
    sealed: sealWebhookSecret(serviceSecrets.current(), webhookId, secret),
    old: { sealed: before.sealed, until: oldUntil },
    keyId: key?.keyId ?? before.keyId,
  });
  tellChanges(tx, organizationId, state, [{ what: 'rotated', url: before.url, keyName: key?.name }], now);
  return { secret, oldUntil };
}

/** Deletes a webhook. not-found when the organization has no such webhook. */
export async function deleteWebhook(tx: Transaction, organizationId: string, webhookId: string): Promise<void> {
  const [found] = await readIn(tx, webhookRef(organizationId, webhookId));
  if (!found) failNotFound();
  tx.delete(webhookRef(organizationId, webhookId));
}

/** Finds the webhooks of an organization. Returns what deletes them. */
export async function deletingWebhooks(tx: Transaction, organizationId: string): Promise<() => void> {
  const all = await listWebhooks(organizationId, tx);
  return () => all.forEach(({ webhookId }) => tx.delete(webhookRef(organizationId, webhookId)));
}

/**
 * Finds the webhooks that a key made or last changed. Returns what disables them: a transaction reads before it writes.
 */
export const disablingOf = (
  tx: Transaction,
  { organizationId, keyId }: { organizationId: string; keyId: string },
  now: Date,
): Promise<() => void> =>
  disablingEach(tx, organizationId, (each) => each.keyId === keyId, { by: 'key-revoked', what: 'disabled-key', now });

/** Disables every webhook of an organization, of which somebody else may have made or changed one. */
export const disableAllWebhooks = (organizationId: string, now: Date): Promise<void> =>
  transact(async (tx) => {
    const how = { by: 'user', what: 'disabled-address', now } as const;
    (await disablingEach(tx, organizationId, () => true, how))();
  });

/** Finds active webhooks. Returns what disables them, and makes the next mail to the owner tell it. */
async function disablingEach(
  tx: Transaction,
  organizationId: string,
  isChosen: (of: Webhook) => boolean,
  { by, what, now }: { by: Disabling; what: WebhookChange; now: Date },
): Promise<() => void> {
  const all = await listWebhooks(organizationId, tx);
  const found = all.filter((each) => each.status === 'active' && isChosen(each));
  if (found.length === 0) return () => undefined;
  const [state] = await readIn(tx, webhookStateRef(organizationId));
  return () => {
    for (const each of found) disable(tx, each, by);
    const told = found.map(({ url }) => ({ what, url }));
    tellChanges(tx, organizationId, state, told, now);
  };
}

/** Disables a webhook in a transaction that has read it. */
export function disable(tx: Transaction, before: Webhook, disabledBy: Disabling): void {
  const { organizationId, webhookId } = before;
  const disabled = { ...before, status: 'disabled' as const, disabledBy };
  tx.update(webhookRef(organizationId, webhookId), { status: disabled.status, disabledBy });
  addEvent(tx, 'webhook.disabled', { organizationId }, { webhook: webhookEventView(disabled) });
}
