import { randomUUID } from 'node:crypto';
import { Failure } from '../../../client/src/failure';
import type { Contract } from '../../../client/src/service/contract';
import type { DeckService } from '../../../client/src/service/service';
import { commandLine } from '../command-line';
import { explainField } from './deck-failure';

export type Webhook = Contract['listWebhooks']['answer']['webhooks'][number];
export type Delivery = Contract['listWebhookDeliveries']['answer']['deliveries'][number];

export interface NewWebhook {
  url: string;
  /** `*` alone for all. */
  events: string[];
  format?: Webhook['format'] | undefined;
  description?: string | undefined;
  includeReaders?: boolean | undefined;
}

/** The types of events in a list with commas. The service checks them. */
export const eventTypesOf = (list: string) => list.split(',').flatMap((type) => type.trim() || []);

/** The webhook that an id or an address names. Throws `no-such-webhook`. */
export async function findWebhook(service: DeckService, named: string): Promise<Webhook> {
  const { webhooks } = await service.get('listWebhooks');
  const found = webhooks.filter(({ webhookId, url }) => webhookId === named || url === named);
  const [first] = found;
  if (first && found.length === 1) return first;
  throw new Failure(first ? `Several webhooks have the address ${named}.` : `There is no webhook ${named}.`, {
    code: 'no-such-webhook',
    nextAction: `\`${commandLine('webhooks')}\` shows your webhooks with their ids.`,
  });
}

/**
 * Makes a webhook. The secret is answered this once: when that answer is lost, nobody has it, and the webhook gets
 * another one.
 */
export async function addWebhook(service: DeckService, { events, ...of }: NewWebhook) {
  const input = { ...of, events: events as Contract['createWebhook']['input']['events'] };
  try {
    const { webhook, secret } = await service.post('createWebhook', input, { idempotencyKey: randomUUID() });
    if (secret !== undefined) return { webhook, secret };
    const { webhookId } = webhook;
    return { webhook, ...(await service.post('rotateWebhookSecret', { webhookId }, { canRepeat: false })) };
  } catch (error) {
    const nextAction = `\`${commandLine('webhooks', 'add', '--help')}\` lists the types of events.`;
    const wrongEvent = explainField(error, 'events', 'wrong-event')?.with({ nextAction });
    throw explainField(error, 'url', 'wrong-address') ?? wrongEvent ?? error;
  }
}
