import { eventTypes, type EventType } from '../contract/events';
import { serviceSecrets } from '../config';
import type { StoredEvent } from '../records/events';
import type { Webhook } from '../records/webhooks';
import { eventView } from '../rows/events';
import { openWebhookSecret, webhookHeaders } from '../values/webhook-secrets';

/** An event as a webhook gets it. `test` is not an event of the feed. */
export type Sent = Pick<
  StoredEvent,
  'eventId' | 'type' | 'createdAt' | 'organizationId' | 'presentationId' | 'actor' | 'reader' | 'data'
>;

/** The headers and the body of the request that tells a webhook of an event, signed as Standard Webhooks says. */
export function messageOf(webhook: Webhook, event: Sent, now: Date) {
  const body = JSON.stringify(
    webhook.format === 'slack' ? { text: slackText(event, webhook) } : bodyOf(event, webhook),
  );
  const { webhookId, sealed, old } = webhook;
  const seals = [sealed, ...(old && old.until > now ? [old.sealed] : [])];
  const secrets = seals.map((each) => openWebhookSecret(serviceSecrets.accepted(), webhookId, each));
  return {
    body,
    headers: {
      'content-type': 'application/json',
      'user-agent': 'Deckhost-Webhooks/1',
      ...webhookHeaders(secrets, { id: event.eventId, body, now }),
    },
  };
}

function bodyOf(event: Sent, { includeReaders }: Webhook) {
  const { type, createdAt, organizationId, presentationId, actor, data } = eventView(event, includeReaders);
  return { type, timestamp: createdAt, data, organizationId, presentationId, actor };
}

// ---- Slack

interface Told {
  title?: string;
  link?: { name: string };
  view?: { tokenName: string; email: string | null; seconds: number };
  send?: { email: string; code: string | null; delivery: { reason: string | null } | null };
  presentation?: { title: string };
  listing?: { title: string };
}

const lines: Readonly<Record<string, (told: Told) => string>> = {
  'link.created': ({ link }) => `A new link “${link?.name}”.`,
  'link.changed': ({ link }) => `The link “${link?.name}” was changed.`,
  'link.revoked': ({ link }) => (link ? `The link “${link.name}” was revoked.` : 'All links were revoked.'),
  'link.opened': ({ view }) => `${view?.email ?? 'Somebody'} opened the link “${view?.tokenName}”.`,
  'view.ended': ({ view }) =>
    `${view?.email ?? 'Somebody'} read the link “${view?.tokenName}” for ${view?.seconds} seconds.`,
  'email.sent': ({ send }) => `A mail was sent to ${send?.email}.`,
  'email.failed': ({ send }) => `The mail to ${send?.email} was not sent: ${send?.code ?? send?.delivery?.reason}.`,
  'email.delivered': ({ send }) => `The mail to ${send?.email} arrived.`,
  'email.bounced': ({ send }) => `The mail to ${send?.email} bounced: ${send?.delivery?.reason ?? 'no reason given'}`,
  'email.complained': ({ send }) => `${send?.email} reported the mail as spam.`,
  test: () => 'Events of your presentations arrive here.',
};

/** One line for people. Slack reads `&`, `<` and `>` as marks. */
export function slackText(event: Sent, { includeReaders }: Pick<Webhook, 'includeReaders'>): string {
  const told = eventView(event, includeReaders).data as Told;
  const title = told.title ?? told.presentation?.title ?? told.listing?.title;
  const text = lines[event.type]?.(told) ?? eventTypes[event.type as EventType].about;
  return `${title === undefined ? '' : `${title}: `}${text}`
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replace(/\s+/g, ' ');
}
