import { eventTypes, type EventType } from '../contract/events';
import { serviceSecrets } from '../config';
import type { StoredEvent } from '../records/events';
import type { Delivery } from '../records/webhook-deliveries';
import type { Webhook } from '../records/webhooks';
import { eventView } from '../rows/events';
import { webhookEventView } from '../rows/webhooks';
import { webhookBody } from '../values/webhook-body';
import { openWebhookSecret, webhookHeaders } from '../values/webhook-secrets';

/** An event as a webhook gets it. `test` is not an event of the feed. */
export type Sent = Pick<
  StoredEvent,
  'eventId' | 'type' | 'createdAt' | 'organizationId' | 'presentationId' | 'actor' | 'reader' | 'data'
>;

/** The event of a delivery. That of a test is not in the feed. */
export function eventOf(
  webhook: Webhook,
  { eventId, createdAt, testedBy }: Pick<Delivery, 'eventId' | 'createdAt' | 'testedBy'>,
  stored?: StoredEvent,
): Sent | undefined {
  if (!testedBy) return stored;
  const { organizationId } = webhook;
  const of = { eventId, type: 'test', createdAt, organizationId, presentationId: null, actor: testedBy, reader: null };
  return { ...of, data: { webhook: webhookEventView(webhook) } };
}

/** The headers and the body of the request that tells a webhook of an event, signed as Standard Webhooks says. */
export function messageOf(webhook: Webhook, event: Sent, now: Date) {
  const body = bodyOf(webhook, event);
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

const bodyOf = (webhook: Webhook, event: Sent): string =>
  webhook.format === 'slack'
    ? JSON.stringify({ text: slackText(event, webhook) })
    : webhookBody(eventView(event, webhook.includeReaders));

/** What an answer has of a body: an event of 5 000 revoked links has 200 KB. */
const SHOWN_BODY = 16 * 1024;

/** The beginning of the body, as it is sent to the webhook now. */
export const shownBody = (webhook: Webhook, event: Sent): string => bodyOf(webhook, event).slice(0, SHOWN_BODY);

// ---- Slack

interface Told {
  title?: string;
  link?: { name: string };
  view?: { tokenName: string; email: string | null; seconds: number };
  send?: { email: string; code: string | null; delivery: { reason: string | null } | null };
  presentation?: { title: string };
  listing?: { title: string };
}

const linkOf = (view: Told['view']) => (view?.tokenName ? `the link “${view.tokenName}”` : 'a link');

const lines: Readonly<Record<string, (told: Told) => string>> = {
  'link.created': ({ link }) => `A new link “${link?.name}”.`,
  'link.changed': ({ link }) => `The link “${link?.name}” was changed.`,
  'link.revoked': ({ link }) => (link ? `The link “${link.name}” was revoked.` : 'All links were revoked.'),
  'link.opened': ({ view }) => `${view?.email ?? 'Somebody'} opened ${linkOf(view)}.`,
  'view.ended': ({ view }) => `${view?.email ?? 'Somebody'} read ${linkOf(view)} for ${view?.seconds} seconds.`,
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
