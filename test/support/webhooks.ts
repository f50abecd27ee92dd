import type { World } from './world';

/** A webhook as its endpoints answer it. */
export interface WebhookRow {
  webhookId: string;
  url: string;
  events: string[];
  format: 'standard' | 'slack';
  description: string | null;
  includeReaders: boolean;
  status: 'active' | 'disabled';
  disabledBy: string | null;
  keyId: string | null;
  createdAt: string;
  failingSince: string | null;
}

/** Makes a webhook by the key of an account, or by another key or session. */
export async function makeWebhook(
  world: World,
  { key }: { key: string },
  input: object = {},
): Promise<WebhookRow & { secret: string }> {
  const sent = { url: 'https://hooks.example.com/deckhost', events: ['*'], ...input };
  const { data } = await world.call<{ webhook: WebhookRow; secret: string }>('createWebhook', sent, { key });
  return { ...data.webhook, secret: data.secret };
}

interface DeliveryRow {
  deliveryId: string;
  eventId: string;
  type: string;
  status: 'pending' | 'delivered' | 'failed';
  attempts: number;
  lastStatus: number | null;
  lastAnswer: string | null;
  request: string | null;
  nextAttemptAt: string | null;
}

/** What was sent to a webhook, the newest first. */
export async function deliveriesOf(world: World, { key }: { key: string }, webhookId: string): Promise<DeliveryRow[]> {
  const options = { key, query: { webhookId } };
  return (await world.call<{ deliveries: DeliveryRow[] }>('listWebhookDeliveries', undefined, options)).data.deliveries;
}
