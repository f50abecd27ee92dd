import type { z } from 'zod';
import type { deliveryRow } from '../../functions/src/contract/webhook-deliveries';
import type { webhookRow } from '../../functions/src/contract/webhook-rows';
import type { World } from './world';

export type WebhookRow = z.output<typeof webhookRow>;

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

type DeliveryRow = z.output<typeof deliveryRow>;

/** What was sent to a webhook, the newest first. */
export async function deliveriesOf(world: World, { key }: { key: string }, webhookId: string): Promise<DeliveryRow[]> {
  const options = { key, query: { webhookId } };
  return (await world.call<{ deliveries: DeliveryRow[] }>('listWebhookDeliveries', undefined, options)).data.deliveries;
}
