import type { paths } from '../../functions/src/records/collections';

/** What a collection of the database holds about people, and until when. */
interface StoredData {
  what: string;
  until: string;
}

const DECK = 'Until the deck is deleted';

/**
 * What the service stores about people, for the privacy page. A collection that is missing here does not compile. Null:
 * the collection holds nothing about people.
 */
export const storedData = {
  users: {
    what: 'Email address, first and last name of an account; the addresses that it had in the last 7 days',
    until: 'Until the account is deleted',
  },
  organizations: { what: 'Name, colours and logo of an organization', until: 'Until the account is deleted' },
  organizationUsages: null,
  apiKeys: {
    what: 'Keys for programs: name, scopes, and when the key was last used. The key itself is stored as a hash',
    until: 'Until the account is deleted',
  },
  dashboardSessions: {
    what: 'Who is signed in to the dashboard. The session is stored as a hash',
    until: 'Until it ends',
  },
  oneTimeCodes: {
    what: 'An email address for which a code was requested, and a keyed hash of the code',
    until: '10 minutes after the last code; 24 hours when codes were stopped',
  },
  requestWindows: {
    what: 'How many codes and reports an email address or a network asked for, by a hash of it',
    until: 'A day',
  },
  mailWindows: { what: 'How many mails an organization sent, by keyed hashes of the recipients', until: 'A day' },
  mailRecipients: {
    what: 'Who stopped mails or reported them as spam, and which address refused one, by a keyed hash of the address; the address is not stored',
    until: 'Without end, so that no mail is sent again. An address that refused a mail: 30 days. Other mails: a day',
  },
  recipientKeys: null,
  mailReports: { what: 'Mails that their recipients reported', until: 'Until the operator has decided' },
  reportedMails: { what: 'The reason of a report about a mail', until: 'Until the operator has decided' },
  idempotencyRecords: {
    what: 'Answers of the API, encrypted, so that a repeated call does nothing twice',
    until: 'A day',
  },
  accessRequests: {
    what: 'Who asked for access to a deck: the proved address and the message, for the owner of the deck',
    until: '7 days',
  },
  askerCodes: {
    what: 'Which person asked for a code to ask for access, by keyed hashes of the address and the code',
    until: '10 minutes',
  },
  accountExports: {
    what: 'That an account was exported, and how far the export is. Its parts hold everything of the account',
    until: '7 days after the last part, as the parts are',
  },
  accountDeletions: {
    what: 'That an account is being deleted, with the address that is told about it',
    until: 'Until everything of the account is deleted',
  },
  transactionReceipts: null,
  operatorActions: { what: 'What an operator did to an account or a deck, and why', until: 'Without end' },
  uploadSessions: { what: 'Uploads that did not become a deck', until: 'A few hours' },
  presentations: { what: 'Title of a deck, its owner, and who may change it', until: DECK },
  versions: { what: 'Who published a version, when, and with which message', until: DECK },
  slidePictures: { what: 'Titles of the slides of a version, of which the deck has pictures', until: DECK },
  manifestShards: { what: 'Names of the files of a deck', until: DECK },
  blobs: null,
  blobIndexes: null,
  uploadCounters: null,
  shareTokens: {
    what: 'Links of a deck. The name of a link that was mailed is the address of its recipient',
    until: DECK,
  },
  linkReaders: { what: 'The addresses and domains for which a link opens', until: DECK },
  linkGuards: {
    what: 'When wrong passcodes were sent to a link, and when its owner was told. Not by whom',
    until: '24 hours',
  },
  linkOpeners: { what: 'Which networks have opened a link, by keyed hashes', until: '24 hours' },
  openings: {
    what: 'That a link was opened, with the address that the reader proved, if the link asked for one',
    until: '25 hours',
  },
  usedTickets: { what: 'That a browser used the ticket of an opening. Not whose', until: 'An hour' },
  readerCodes: {
    what: 'Which reader asked for a code of a link, by keyed hashes of the address and the code',
    until: '10 minutes',
  },
  collaborators: { what: 'Email addresses of people who were invited to a deck', until: DECK },
  emailSends: {
    what: 'Which mail about a deck went to which address, and when. A keyed hash of a reader who was forgotten',
    until: DECK,
  },
  emailEvents: { what: 'Whether a mail about a deck arrived, bounced or was reported as spam', until: DECK },
  viewCounters: { what: 'How often each link was opened, and when last. Not by whom', until: DECK },
  views: {
    what:
      'Visits of readers: when, which slides for how long, the kind of the device, the language, the site that led to ' +
      'the link; an address only if the link asked for it or was mailed to it. No network address. Nothing of readers ' +
      'whose browsers ask not to be tracked (Global Privacy Control, Do Not Track)',
    until: '400 days, or until the deck is deleted or the reader is forgotten',
  },
  insights: {
    what: 'Sums of visits, and keyed hashes by which people are counted',
    until: '400 days, or with the deck',
  },
  liveSessions: { what: 'The slide that a presenter shows now, and who presents', until: DECK },
  liveFollowers: null,
  linkTotals: { what: 'How often each link was visited, and its name', until: DECK },
  organizationInsights: {
    what: 'Sums of visits of all decks, and keyed hashes by which people are counted',
    until: '400 days',
  },
  events: {
    what: 'What happened to decks, links, views and mails, with the addresses of readers and recipients',
    until: '30 days',
  },
  webhooks: {
    what: 'Addresses to which an organization has its events sent, and the id of the key that made one',
    until: 'Until the webhook is deleted',
  },
  webhookDeliveries: {
    what: 'Which event was sent to which address, and the first 1 KB of the answer',
    until: '7 days',
  },
  webhookStates: {
    what: 'Changes of webhooks of which the owner is told next, with the name of the key that made them',
    until: 'An hour',
  },
  readerRemovals: { what: 'The address of a reader who is being forgotten', until: 'Until the reader is forgotten' },
  viewNotices: null,
  noticeDays: { what: 'Of how many views the owner of links was told on a day', until: 'A day' },
  pictureTasks: null,
  deletions: null,
  listings: {
    what: 'The page of a deck in the marketplace, with the name of its author',
    until: 'Until the deck is deleted',
  },
  listingLabels: null,
  listingWindows: null,
  searchParts: {
    what: 'Titles, descriptions and authors of listings, for the search',
    until: 'Until the listing leaves the marketplace',
  },
  remixers: { what: 'Who remixed a listing', until: 'Without end, so that nobody counts twice' },
  stars: { what: 'Who gave a listing a star', until: 'Until the star is taken back' },
  listingSignals: { what: 'That a network viewed a listing, by a keyed hash of it', until: 'An hour' },
  sitemapParts: null,
  marketplaceStates: null,
  listingReports: { what: 'Reports about a listing', until: 'Until the listing is removed' },
  reports: { what: 'The text of a report, and a keyed hash of who sent it', until: 'Until the listing is removed' },
} satisfies Record<keyof typeof paths, StoredData | null>;
