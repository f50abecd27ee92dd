import { z } from 'zod';
import { accountOrganization, accountUser } from '../contract/account-fields';
import { event } from '../contract/events';
import {
  collaboratorRow,
  deckId,
  shareTokenRow,
  time,
  timeOrNull,
  title,
  version,
  versionRow,
} from '../contract/fields';
import { listingFacts } from '../contract/listings';
import { deckFacts, emailSendRow, listedKey, listedSession } from '../contract/rows';
import { tracking, viewRow } from '../contract/view-fields';
import { webhookRow } from '../contract/webhook-rows';
import { MAX_LIVE_LINKS } from '../policy/presentation-access';

/** The JSON files of an export: the one table of which `schema.json` is made. */

const file = z.object({
  path: z.string().meta({ description: 'Path in the deck.' }),
  sha256: z.string().meta({ description: 'SHA-256 of the bytes.' }),
  size: z.int().meta({ description: 'Size in bytes.' }),
  contentType: z.string().meta({ description: 'Media type.' }),
  at: z.string().meta({ description: 'Where the bytes are, from the folder of the deck.' }),
});

export const versionFile = versionRow.extend({
  entryPath: z.string().meta({ description: 'Path of the page that opens the deck.' }),
  files: z.array(file).meta({ description: 'All files of the version, by their paths.' }),
});

const exportedLink = shareTokenRow.omit({ shareUrl: true, shortUrl: true }).extend({
  allowedEmails: z
    .array(z.string())
    .nullable()
    .meta({ description: 'The addresses and domains for which the link opens. Null for everybody.' }),
  hasShortUrl: z.boolean().meta({ description: 'Whether the link has a short address.' }),
});

export const deckFile = deckFacts.extend({
  tracking,
  slidePictures: z.boolean().meta({ description: 'Whether the deck has pictures of its slides.' }),
  totalViews: z.int().meta({ description: 'Number of views through all links.' }),
  takedown: z
    .object({ at: time('When an operator took the deck down.'), reason: z.string() })
    .nullable()
    .meta({ description: 'Why the deck is closed. Null for an open deck.' }),
  remixedFrom: z
    .object({ slug: z.string(), version })
    .nullable()
    .meta({ description: 'The listing from which the deck was remixed, or null.' }),
  versions: z
    .array(versionRow)
    .meta({ description: 'The versions, the oldest first. `versions/{version}.json` has the files of each.' }),
  links: z.array(exportedLink).meta({
    description:
      'The links, the oldest first, without their addresses. Revoked links are included; of a deck that has had more ' +
      `than ${MAX_LIVE_LINKS} links, those of the newest ${MAX_LIVE_LINKS}.`,
  }),
  collaborators: z.array(collaboratorRow).meta({ description: 'Who may change the deck.' }),
  listing: listingFacts.nullable().meta({ description: 'The listing in the marketplace, or null.' }),
});

export const accountFile = z.object({
  exportedAt: time('When the export was asked for. Later changes are not in it.'),
  service: z.string().meta({ description: 'Address of the service.' }),
  user: accountUser,
  organization: accountOrganization,
  logo: z.string().nullable().meta({ description: 'Path of the logo, or null.' }),
  keys: z
    .array(listedKey.omit({ isCaller: true }))
    .meta({ description: 'The API keys, of which only the first characters are known.' }),
  sessions: z.array(listedSession.omit({ isCurrent: true })).meta({ description: 'Where the user was signed in.' }),
  webhooks: z
    .array(webhookRow.omit({ url: true }).extend({ host: z.string() }))
    .meta({ description: 'The webhooks, without paths and secrets.' }),
  sharedDecks: z
    .array(z.object({ id: deckId, title, lastChangedAt: timeOrNull('When it was last changed.') }))
    .meta({ description: 'Decks of other organizations that the user may change. Their files are not in the export.' }),
});

const files = z.object({
  'account.json': accountFile,
  'events/0001.json': z.array(event),
  'decks/{deck}/deck.json': deckFile,
  'decks/{deck}/versions/{version}.json': versionFile,
  'decks/{deck}/mails/0001.json': z.array(emailSendRow.omit({ opening: true })),
  'decks/{deck}/views/0001.json': z.array(viewRow),
});

/** A JSON Schema with a property for each kind of file. */
export const schemaText = (): string =>
  `${JSON.stringify(z.toJSONSchema(files, { io: 'output', unrepresentable: 'any' }), null, 2)}\n`;
