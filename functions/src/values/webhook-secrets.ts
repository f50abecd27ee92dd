import { createHmac, randomBytes } from 'node:crypto';
import { seal, unseal } from './secrets';

/** Changing it makes the stored secrets unreadable. */
const PURPOSE = 'webhook-secret';
const PREFIX = 'whsec_';
const SECRET_BYTES = 32;

/** A new secret of a webhook: 32 random bytes, as Standard Webhooks spells them. */
export const mintWebhookSecret = (): string => PREFIX + randomBytes(SECRET_BYTES).toString('base64');

/** The secret as it is stored. `openWebhookSecret` needs the same webhook. */
export const sealWebhookSecret = (secret: string, webhookId: string, plain: string): string =>
  seal(secret, PURPOSE, plain, webhookId);

/** Opens a stored secret. Throws when none of `secrets` sealed it, or for another webhook. */
export const openWebhookSecret = (secrets: readonly string[], webhookId: string, sealed: string): string =>
  unseal(secrets, PURPOSE, sealed, webhookId);

/** The headers of Standard Webhooks: the id, the time, and a signature by each of the secrets. */
export function webhookHeaders(secrets: readonly string[], { id, body, now }: { id: string; body: string; now: Date }) {
  const seconds = Math.floor(now.getTime() / 1000);
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(PREFIX.length), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64')}`;
  });
  return { 'webhook-id': id, 'webhook-timestamp': String(seconds), 'webhook-signature': signatures.join(' ') };
}
