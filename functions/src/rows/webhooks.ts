import type { Disabling, WebhookFormat } from '../policy/webhooks';
import { iso } from './fields';

interface WebhookFields {
  webhookId: string;
  url: string;
  events: string[];
  format: WebhookFormat;
  description: string | null;
  includeReaders: boolean;
  status: 'active' | 'disabled';
  disabledBy: Disabling | null;
  keyId: string | null;
  createdAt: Date;
  failingSince: Date | null;
}

/** A webhook without its secrets. */
export const webhookView = ({ createdAt, failingSince, ...webhook }: WebhookFields) => {
  const { webhookId, url, events, format, description, includeReaders, status, disabledBy, keyId } = webhook;
  const times = { createdAt: createdAt.toISOString(), failingSince: iso(failingSince) };
  return { webhookId, url, events, format, description, includeReaders, status, disabledBy, keyId, ...times };
};

/** A webhook in an event. The path of its address may be a secret, as it is at Slack. */
export function webhookEventView(webhook: WebhookFields) {
  const { url, ...row } = webhookView(webhook);
  return { ...row, host: new URL(url).host };
}

interface DeliveryFields<Status> {
  deliveryId: string;
  eventId: string;
  type: string;
  status: Status;
  attempts: number;
  lastStatus: number | null;
  lastAnswer: string | null;
  createdAt: Date;
  lastAttemptAt: Date | null;
  nextAttemptAt: Date | null;
}

/** A delivery in an answer, with the beginning of the body of its request. */
export const deliveryView = <Status>(delivery: DeliveryFields<Status>, request: string | null) => {
  const { deliveryId, eventId, type, status, attempts, lastStatus, lastAnswer, ...times } = delivery;
  const of = { deliveryId, eventId, type, status, attempts, lastStatus, lastAnswer, request };
  const { createdAt, lastAttemptAt, nextAttemptAt } = times;
  return {
    ...of,
    createdAt: createdAt.toISOString(),
    lastAttemptAt: iso(lastAttemptAt),
    nextAttemptAt: iso(nextAttemptAt),
  };
};
