import { z } from 'zod';
import { deliveryFailures } from '../policy/mail-deliveries';
import { example } from './example';
import {
  answeredEmail,
  closed,
  deckId,
  deckPicture,
  emailDelivery,
  keyId,
  keyName,
  keyPrefix,
  keyScopes,
  listingOfDeck,
  shareUrlIsPersonal,
  shareUrlOrNull,
  sourceOfDeck,
  time,
  timeOrNull,
  title,
  tokenId,
  userId,
  version,
} from './fields';
import { mailOpening } from './view-fields';

/** The rows of lists, which events have too. */

/** A deck in the list of the caller. */
export const listedDeck = z
  .object({
    id: deckId,
    title,
    version: version.meta({ description: 'Number of the current version.' }),
    role: z
      .enum(['owner', 'dev'])
      .meta({ description: 'owner: the caller owns the deck. dev: the caller may edit it as a collaborator.' }),
    createdAt: time('When the deck was created.'),
    updatedAt: time('When the current version was committed.'),
    lastViewedAt: timeOrNull('When the deck was last viewed. Null before the first view.'),
    totalViews: z.int().nonnegative().meta({ description: 'Number of views through all links.', example: 42 }),
    shareUrl: shareUrlOrNull(
      'Address of a link that is not revoked, or null. One that has not expired goes before the others, then one ' +
        'without a gate, then the one that expires last, then the oldest.',
    ),
    shareUrlIsPersonal,
    expiresAt: timeOrNull('When the links of the deck stop opening. Null when they do not expire.'),
    closed,
    picture: deckPicture,
    listing: listingOfDeck,
    remixedFromSlug: sourceOfDeck,
    activeLinks: z
      .int()
      .nonnegative()
      .meta({ description: 'Number of links that are not revoked, also of expired ones.', example: 2 }),
  })
  .meta({ id: 'Presentation', description: 'A deck in the list of the caller.' });

/** What events and exports tell of a deck. */
export const deckFacts = listedDeck.pick({
  id: true,
  title: true,
  version: true,
  createdAt: true,
  updatedAt: true,
  expiresAt: true,
  activeLinks: true,
});

/** A key in the list of its organization. */
export const listedKey = z
  .object({
    keyId,
    keyPrefix,
    name: keyName,
    description: z
      .string()
      .nullable()
      .meta({ description: 'Purpose of the key, or null.', example: 'Publishes from the build server.' }),
    scopes: keyScopes,
    status: z
      .enum(['active', 'revoked'])
      .meta({ description: 'revoked: the service refuses the key. An expired key keeps the status active.' }),
    createdAt: time('When the key was created.'),
    lastUsedAt: timeOrNull('When the key was last used, right to the minute. Null before its first use.'),
    expiresAt: timeOrNull('When the key expires. Null when it does not expire.'),
    userId: userId.nullable().meta({ description: 'Id of the user of the key.', example: example.userId }),
    isCaller: z.boolean().meta({ description: 'Whether this key sends the request.' }),
  })
  .meta({ id: 'ApiKey', description: 'An API key without its raw value.' });

/** A dashboard session in the list of its user. */
export const listedSession = z
  .object({
    sessionId: z.uuidv7().meta({ description: 'Id of the session.', example: example.dashboardSessionId }),
    device: z.string().meta({
      description: 'Browser and system, as the client named itself at the sign-in.',
      example: 'Firefox on Windows',
    }),
    place: z.string().nullable().meta({
      description: 'Country from which the browser last renewed the session. Null when it is not known.',
      example: 'Germany',
    }),
    createdAt: time('When the user signed in.'),
    lastUsedAt: time(
      'When a browser last renewed the session: at most 15 minutes before its last call. For the session of a program, ' +
        'when the user signed in.',
    ),
    isCurrent: z.boolean().meta({ description: 'Whether this session sends the request.', example: true }),
  })
  .meta({ id: 'DashboardSession', description: 'A browser or a program in which the user is signed in.' });

/** The record of a mail. */
export const emailSendRow = z
  .object({
    sendId: z.uuidv7().meta({ description: 'Id of the record.', example: '01936f55-7d20-7a4b-93c6-1f0e8b5d2a69' }),
    presentationId: deckId,
    email: answeredEmail.meta({
      description:
        'Address of the recipient, trimmed and in lower case. The record has at most 300 characters of an invalid ' +
        'address.',
    }),
    tokenId: tokenId.nullable().meta({
      description:
        'Id of the share token in the email. Null when the address was invalid or the recipient has unsubscribed.',
      example: example.tokenId,
    }),
    subject: z
      .string()
      .meta({ description: 'Subject of the email.', example: 'ada@example.com shared: Quarterly results' }),
    outcome: z
      .enum(['sent', 'failed'])
      .meta({ description: 'sent: the email provider accepted the email. failed: see `code`.' }),
    code: z
      .enum(deliveryFailures)
      .nullable()
      .meta({ description: 'Why the email was not sent. Null for a sent email.', example: null }),
    resendMessageId: z.string().nullable().meta({
      description: 'Id of the email at the email provider. Null for a failed email.',
      example: example.mailId,
    }),
    sentBy: z.string().meta({
      description: 'Id of the user who sent it, or of the key when an admin key did.',
      example: example.userId,
    }),
    keyId: z
      .string()
      .meta({ description: 'Id of the API key or dashboard session that sent it.', example: example.keyId }),
    requestId: z.string().meta({ description: 'Id of the request that sent it.', example: example.requestId }),
    sentAt: time('When the request was made.'),
    delivery: emailDelivery
      .nullable()
      .meta({
        description:
          'What became of a sent email. Null: the email provider has told nothing yet. Left out for an admin key.',
      })
      .optional(),
    opening: mailOpening
      .meta({
        description:
          'What became of the link in the email, a minute ago. Null: no person has opened it. Left out for an admin key.',
      })
      .optional(),
  })
  .meta({ id: 'EmailSend', description: 'The record of one email to one recipient.' });
