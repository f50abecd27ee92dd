import { z } from 'zod';
import { accountOrganization, accountUser } from './account-fields';
import { example } from './example';
import {
  collaboratorRow,
  deckId,
  keyId,
  keyName,
  organizationId,
  shareTokenRow,
  time,
  title,
  tokenId,
  userId,
  versionRow,
} from './fields';
import { listingFacts } from './listings';
import { deckFacts, emailSendRow, listedKey, listedSession } from './rows';
import { viewRow } from './view-fields';
import { webhookRow } from './webhook-rows';

/**
 * The events of the service: the one table from which their records, the feed, the API reference and the types of the
 * library are made. The data of an event is the row of the list, without addresses of links, without what depends on
 * the caller, and without figures that other records count.
 */

const presentation = deckFacts.meta({ id: 'EventPresentation', description: 'The deck after the event.' });
const link = shareTokenRow
  .omit({ shareUrl: true, shortUrl: true, lastAccessedAt: true, accessCount: true })
  .meta({ id: 'EventLink', description: 'The link after the event.' });
const send = emailSendRow
  .omit({ opening: true })
  .meta({ id: 'EventEmailSend', description: 'The record of one email to one recipient.' });
const listing = listingFacts.meta({ id: 'EventListing', description: 'The listing after the event.' });
const key = listedKey
  .omit({ isCaller: true })
  .meta({ id: 'EventApiKey', description: 'The API key after the event, without its raw value.' });
const session = listedSession
  .omit({ isCurrent: true })
  .meta({ id: 'EventDashboardSession', description: 'The new session.' });
const webhook = webhookRow
  .omit({ url: true })
  .extend({
    host: z.string().meta({ description: 'Host and port of the address.', example: 'hooks.example.com' }),
  })
  .meta({ id: 'EventWebhook', description: 'The webhook after the event, without its address and its secret.' });
const deckTitle = title.meta({ description: 'Title of the deck at the time of the event.' });

const before = <S extends z.ZodRawShape>(row: z.ZodObject<S>) =>
  z.object(row.partial().shape).meta({ description: 'The earlier values of the fields that changed.' });

/** Data that several types have. */
const shared = <S extends z.ZodRawShape>(noun: string, shape: S) =>
  z.object(shape).meta({ id: `EventOf${noun}`, description: 'What happened.' });
const ofLink = shared('Link', { title: deckTitle, link });
const ofView = shared('View', { title: deckTitle, view: viewRow });
const ofCollaborator = shared('Collaborator', { title: deckTitle, collaborator: collaboratorRow });
const ofSend = shared('EmailSend', { title: deckTitle, send });
const ofListing = shared('Listing', { listing });
const ofKey = shared('ApiKey', { key });
const ofWebhook = shared('Webhook', { webhook });
const ofVersion = shared('Version', { presentation, version: versionRow });
const data = <S extends z.ZodRawShape>(shape: S) => z.object(shape).meta({ description: 'What happened.' });

/** Every type of event: when it happens, and its data. */
export const eventTypes = {
  'presentation.published': { about: 'A deck was created, with version 1 and its first link.', data: ofVersion },
  'presentation.version_created': { about: 'A later version of a deck was committed or restored.', data: ofVersion },
  'presentation.renamed': {
    about: 'A deck got another title without a new version.',
    data: data({ presentation, before: before(presentation) }),
  },
  'presentation.deleted': { about: 'A deck was deleted.', data: data({ presentation }) },
  'link.created': { about: 'A link was added, or mailed to its recipient.', data: ofLink },
  'link.changed': {
    about: 'The name, the version or a rule of a link was changed.',
    data: data({ title: deckTitle, link, before: before(link) }),
  },
  'link.revoked': {
    about: 'One link of a deck was revoked, or all that were open.',
    data: data({
      title: deckTitle,
      tokenIds: z.array(tokenId).meta({ description: 'Ids of the share tokens that were revoked.' }),
      link: link.optional().meta({ description: 'The link. Left out when all links were revoked together.' }),
    }),
  },
  'link.opened': { about: 'A reader began a view through a link.', data: ofView },
  'view.ended': { about: 'A view ended: its page told nothing for 30 minutes.', data: ofView },
  'collaborator.invited': { about: 'An address was invited to a deck.', data: ofCollaborator },
  'collaborator.activated': { about: 'A collaborator may edit a deck from now on.', data: ofCollaborator },
  'collaborator.removed': {
    about: 'A collaborator was revoked or left, or an invitation was withdrawn.',
    data: ofCollaborator,
  },
  'email.sent': { about: 'The email provider accepted an email with a link.', data: ofSend },
  'email.failed': { about: 'An email with a link was not sent, or the email provider gave it up.', data: ofSend },
  'email.delivered': { about: "The recipient's mail server took an email with a link.", data: ofSend },
  'email.bounced': { about: "The recipient's mail server refused an email with a link.", data: ofSend },
  'email.complained': { about: 'The recipient reported an email with a link as spam.', data: ofSend },
  'listing.published': { about: 'A listing was published in the marketplace.', data: ofListing },
  'listing.updated': {
    about: 'A listing was changed, or put back by an operator.',
    data: data({ listing, before: before(listing) }),
  },
  'listing.starred': { about: 'A user gave a star to a listing.', data: ofListing },
  'listing.remixed': { about: 'Another user made a deck of a listing.', data: ofListing },
  'listing.taken_down': { about: 'An operator took a listing down.', data: ofListing },
  'key.created': { about: 'An API key was created.', data: ofKey },
  'key.revoked': { about: 'An API key was revoked.', data: ofKey },
  'session.created': { about: 'A user signed in to the dashboard.', data: data({ session }) },
  'webhook.created': { about: 'A webhook was created.', data: ofWebhook },
  'webhook.disabled': { about: 'A webhook was disabled. No event is sent to it any more.', data: ofWebhook },
  'deliveries.dropped': {
    about: 'On a day the plan had no room for more visits at the webhooks. The feed has each of them.',
    data: data({
      day: z.iso.date().meta({ description: 'The day, in UTC.', example: '2026-03-14' }),
      count: z.int().meta({ description: 'How many events of visits were not sent to webhooks.', example: 120 }),
    }),
  },
  'account.changed': {
    about: 'The name of a user, or the organization, was changed.',
    data: data({
      user: accountUser.optional().meta({ description: 'The user after the event. Left out for the organization.' }),
      organization: accountOrganization
        .optional()
        .meta({ description: 'The organization after the event. Left out for a user.' }),
      before: z
        .object({ ...accountUser.partial().shape, ...accountOrganization.partial().shape })
        .meta({ description: 'The earlier values of the fields that changed.' }),
    }),
  },
} as const satisfies Record<string, { about: string; data: z.ZodObject }>;

export type EventType = keyof typeof eventTypes;
export type EventData<T extends EventType> = z.output<(typeof eventTypes)[T]['data']>;

const names = Object.keys(eventTypes) as [EventType, ...EventType[]];
export const eventType = z.enum(names).meta({ description: 'Type of the event.', example: 'link.opened' });

const actorUserId = userId.nullable();
export const eventActor = z
  .discriminatedUnion('kind', [
    z.object({
      kind: z.literal('user').meta({ description: 'user: a user at the dashboard, or one of another organization.' }),
      userId: actorUserId.meta({ description: 'Id of the user. Null for a user who starred or remixed a listing.' }),
    }),
    z.object({
      kind: z.literal('key').meta({ description: 'key: a program with an API key of the organization.' }),
      keyId,
      name: keyName,
      userId: actorUserId.meta({ description: 'Id of the user of the key.' }),
    }),
    z.object({
      kind: z.literal('reader').meta({ description: 'reader: a reader of a link.' }),
      email: z.string().nullable().meta({
        description: 'Address of the reader, where it is known and asked for with `includeReaders`. Else null.',
        example: 'grace@example.com',
      }),
    }),
    z.object({ kind: z.literal('system').meta({ description: 'system: the service, or its operator.' }) }),
  ])
  .meta({ id: 'EventActor', description: 'Who caused the event.' });

type Event<T extends EventType> = {
  eventId: string;
  type: T;
  createdAt: string;
  organizationId: string;
  presentationId: string | null;
  actor: z.output<typeof eventActor>;
  data: EventData<T>;
};
export type AnyEvent = { [T in EventType]: Event<T> }[EventType];

const formOf = (type: EventType) =>
  z
    .object({
      eventId: z.uuidv7().meta({ description: 'Id of the event.', example: example.eventId }),
      type: z.literal(type).meta({ description: `${type}: ${eventTypes[type].about}` }),
      createdAt: time('When the change was committed.'),
      organizationId,
      presentationId: deckId.nullable().meta({ description: 'Id of the deck. Null for an event without a deck.' }),
      actor: eventActor,
      data: eventTypes[type].data,
    })
    .meta({ id: `Event.${type}`, description: eventTypes[type].about });

/** An event of each type. */
export const event = z.discriminatedUnion('type', names.map(formOf) as [ReturnType<typeof formOf>]) as z.ZodType<
  AnyEvent,
  AnyEvent
>;

const testData = data({ webhook });

/** The body of the request that tells a webhook of an event of this type. `test` is not an event of the feed. */
export const webhookBody = (type: EventType | 'test') =>
  z
    .object({
      type: z.literal(type).meta({ description: 'Type of the event.', example: type }),
      timestamp: time('When the change was committed.'),
      data: type === 'test' ? testData : eventTypes[type].data,
      organizationId,
      presentationId: deckId.nullable().meta({ description: 'Id of the deck. Null for an event without a deck.' }),
      actor: eventActor,
    })
    .meta({ id: `WebhookBody.${type}`, description: aboutOf(type) });

/** When an event of this type is sent. */
export const aboutOf = (type: EventType | 'test'): string =>
  type === 'test' ? 'A call of sendTestEvent.' : eventTypes[type].about;
