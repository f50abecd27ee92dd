import type { Answer } from '../../service';
import type { EventType } from '../../words/events';

export type Webhook = Answer<'listWebhooks'>['webhooks'][number];
export type Delivery = Answer<'listWebhookDeliveries'>['deliveries'][number];
/** Types of events, or `*` for all. */
export type Events = readonly (EventType | '*')[];

/** What a person chooses for a webhook. */
export interface Settings {
  url: string;
  events: Events;
  format: Webhook['format'];
  includeReaders: boolean;
}

/** The host of the address names a webhook in a sentence. Its path may be a secret. */
export const hostOf = ({ url }: Pick<Webhook, 'url'>): string => new URL(url).host;
