import type { Contract } from 'deckhost-client/browser';
import { formatDayAndYear, formatNumber } from '../format';
import { isolated } from '../isolated';
import { count } from './count';
import { deckMails } from './deck-share';

export type FeedEvent = Contract['listEvents']['answer']['events'][number];
export type EventType = FeedEvent['type'];
type DataOf<T extends EventType> = Extract<FeedEvent, { type: T }>['data'];

const quoted = (text: string) => `“${isolated(text)}”`;

/** A type of events in a list. */
const names: Record<EventType, string> = {
  'presentation.published': 'Deck published',
  'presentation.version_created': 'New version',
  'presentation.renamed': 'Deck renamed',
  'presentation.deleted': 'Deck deleted',
  'link.created': 'Link added',
  'link.changed': 'Link changed',
  'link.revoked': 'Link revoked',
  'link.opened': 'Link opened',
  'view.ended': 'Visit ended',
  'collaborator.invited': 'Collaborator invited',
  'collaborator.activated': 'Collaborator joined',
  'collaborator.removed': 'Collaborator removed',
  'email.sent': 'Mail sent',
  'email.failed': 'Mail not sent',
  'email.delivered': 'Mail arrived',
  'email.bounced': 'Mail bounced',
  'email.complained': 'Mail reported as spam',
  'listing.published': 'Listing published',
  'listing.updated': 'Listing changed',
  'listing.starred': 'Listing got a star',
  'listing.remixed': 'Listing remixed',
  'listing.taken_down': 'Listing taken down',
  'key.created': 'API key created',
  'key.revoked': 'API key revoked',
  'session.created': 'Sign-in',
  'webhook.created': 'Webhook added',
  'webhook.disabled': 'Webhook disabled',
  'deliveries.dropped': 'Visits not sent to webhooks',
  'account.changed': 'Account changed',
};

/** What happened, in one sentence. The title of the deck or the listing stands beside it, and who did it behind it. */
const sentences: { [T in EventType]: (data: DataOf<T>) => string } = {
  'presentation.published': () => 'The deck was published.',
  'presentation.version_created': ({ version: { version, restoredFrom } }) =>
    restoredFrom === null
      ? `Version ${formatNumber(version)} was published.`
      : `Version ${formatNumber(restoredFrom)} was restored as version ${formatNumber(version)}.`,
  'presentation.renamed': ({ before }) =>
    before.title === undefined
      ? 'The deck was renamed.'
      : `The deck was renamed. Its title was ${quoted(before.title)}.`,
  'presentation.deleted': () => 'The deck was deleted.',
  'link.created': ({ link }) => `The link ${quoted(link.name)} was added.`,
  'link.changed': ({ link, before }) =>
    before.name === undefined
      ? `The link ${quoted(link.name)} was changed.`
      : `The link ${quoted(before.name)} is called ${quoted(link.name)} now.`,
  'link.revoked': ({ link, tokenIds }) =>
    link ? `The link ${quoted(link.name)} was revoked.` : `All links were revoked: ${count(tokenIds.length, 'link')}.`,
  'link.opened': ({ view }) => `The link ${quoted(view.tokenName)} was opened.`,
  'view.ended': ({ view }) => `A visit through the link ${quoted(view.tokenName)} ended.`,
  'collaborator.invited': ({ collaborator }) => `${isolated(collaborator.email)} was invited to edit the deck.`,
  'collaborator.activated': ({ collaborator }) => `${isolated(collaborator.email)} can edit the deck now.`,
  'collaborator.removed': ({ collaborator }) => `${isolated(collaborator.email)} can no longer edit the deck.`,
  'email.sent': ({ send }) => `A link was mailed to ${isolated(send.email)}.`,
  'email.failed': ({ send }) =>
    `The mail to ${isolated(send.email)} was not sent.${send.code === null ? '' : ` ${deckMails.failures[send.code]}.`}`,
  'email.delivered': ({ send }) => `The mail to ${isolated(send.email)} arrived.`,
  'email.bounced': ({ send }) => `The mail to ${isolated(send.email)} bounced.`,
  'email.complained': ({ send }) => `${isolated(send.email)} reported the mail as spam.`,
  'listing.published': () => 'The listing was published.',
  'listing.updated': () => 'The listing was changed.',
  'listing.starred': () => 'The listing got a star.',
  'listing.remixed': () => 'Somebody remixed the listing.',
  'listing.taken_down': () => 'An operator took the listing down.',
  'key.created': ({ key }) => `The API key ${quoted(key.name)} was created.`,
  'key.revoked': ({ key }) => `The API key ${quoted(key.name)} was revoked.`,
  'session.created': ({ session }) => `A sign-in with ${isolated(session.device)}.`,
  'webhook.created': ({ webhook }) => `A webhook was added: events are sent to ${isolated(webhook.host)}.`,
  'webhook.disabled': ({ webhook }) => `The webhook for ${isolated(webhook.host)} was disabled.`,
  'deliveries.dropped': ({ day, count: visits }) =>
    `${count(visits, 'visit')} of ${formatDayAndYear(day)} did not fit the plan and went to no webhook.`,
  'account.changed': ({ organization }) =>
    organization ? 'The details of the organization were changed.' : 'The name in the profile was changed.',
};

/** Every type of event. */
export const events = { names, sentences };
