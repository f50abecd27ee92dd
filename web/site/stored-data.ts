import type { objectPaths } from '../../functions/src/blobs/bucket';
import type { paths } from '../../functions/src/records/collections';

/** What a collection of the database holds about people, and until when. */
interface AboutPeople {
  what: string;
  until: string;
  /** Who sees it, beside the operators of the service. */
  seenBy: string;
}

/** `what` is null for a collection that holds nothing about people. */
export type StoredData = (AboutPeople | { what: null }) & {
  /** What the deletion of an account does with the documents of the account. */
  atDeletion: string;
  /** What else becomes of single fields, by their names in the schema of the collection. */
  fields?: Record<string, string>;
};

const DECK = 'Until the deck is deleted';

/** What becomes of fields with the person in decks of others. */
const HASHED = 'In decks of others: a keyed hash';
const NOT_THERE = 'In decks of others: emptied';
const NOBODYS = 'In decks of others: `deleted-user`';
const REMOVED = 'In decks of others: the person is removed';

const NOBODY = 'Nobody';
const PERSON = 'The person';
const OWNER = 'The owner of the deck';
const MEMBERS = 'The owner of the deck and those who may edit it';

const AT_ONCE = 'Deleted at once';
const BY_JOB = 'Deleted by the job';
const WITH_DECK = 'Deleted by the job, with the deck';
const EXPIRES = 'Deleted when it expires';
const CARRIED = 'Deleted by the job. For 90 days `formerAccounts` has a copy';
const STAYS = 'Stays';
const NOT_OF_ACCOUNTS = 'Nothing: it belongs to no account';

/**
 * What the service stores, for the privacy page and docs/stored-data.md. A collection that is missing here does not
 * compile.
 */
export const storedData = {
  users: {
    what: 'Email address, first and last name of an account; the addresses that it had in the last 7 days',
    until: 'Until the account is deleted',
    seenBy: 'The person. Those with whom decks are shared see the name',
    atDeletion: AT_ONCE,
  },
  organizations: {
    what: 'Name, colours and logo of an organization, and what stayed of an account that its address had before',
    until: 'Until the account is deleted',
    seenBy: 'The person. Who gets a mail or sees a listing sees the name',
    atDeletion: BY_JOB,
  },
  organizationUsages: { what: null, atDeletion: BY_JOB },
  apiKeys: {
    what: 'Keys for programs: name, scopes, and when the key was last used. The key itself is stored as a hash',
    until: 'Until the account is deleted',
    seenBy: PERSON,
    atDeletion: 'Deleted at once. Revoked keys: deleted by the job',
  },
  dashboardSessions: {
    what: 'Who is signed in to the dashboard, with which browser and in which country. The session is stored as a hash',
    until: 'Until it ends',
    seenBy: PERSON,
    atDeletion: AT_ONCE,
  },
  oneTimeCodes: {
    what: 'That a code was requested for an email address, by keyed hashes of the address and the code',
    until: '10 minutes after the last code; 24 hours when codes were stopped',
    seenBy: NOBODY,
    atDeletion: EXPIRES,
  },
  requestWindows: {
    what: 'How many codes and reports an email address or a network asked for, by a keyed hash of it',
    until: 'A day',
    seenBy: NOBODY,
    atDeletion: EXPIRES,
  },
  mailWindows: {
    what: 'How many mails an organization sent, by keyed hashes of the recipients',
    until: 'A day',
    seenBy: NOBODY,
    atDeletion: CARRIED,
  },
  mailRecipients: {
    what: 'Who stopped mails or reported them as spam, and which address refused one, by a keyed hash of the address; the address is not stored',
    until: 'Without end, so that no mail is sent again. An address that refused a mail: 30 days. Other mails: a day',
    seenBy: NOBODY,
    atDeletion: 'Stays: the address is a keyed hash',
  },
  recipientKeys: { what: null, atDeletion: NOT_OF_ACCOUNTS },
  mailReports: {
    what: 'Mails that their recipients reported',
    until: 'Until the operator has decided',
    seenBy: NOBODY,
    atDeletion: CARRIED,
  },
  reportedMails: {
    what: 'The reason of a report about a mail',
    until: 'Until the operator has decided',
    seenBy: NOBODY,
    atDeletion: CARRIED,
  },
  idempotencyRecords: {
    what: 'Answers of the API, encrypted, so that a repeated call does nothing twice',
    until: 'A day',
    seenBy: NOBODY,
    atDeletion: EXPIRES,
  },
  accessRequests: {
    what: 'Who asked for access to a deck: the proved address and the message, for the owner of the deck',
    until: '7 days',
    seenBy: 'The owner of the deck',
    atDeletion: BY_JOB,
  },
  askerCodes: {
    what: 'Which person asked for a code to ask for access, by keyed hashes of the address and the code',
    until: '10 minutes',
    seenBy: NOBODY,
    atDeletion: EXPIRES,
  },
  accountExports: {
    what: 'That an account was exported, and how far the export is. Its parts hold everything of the account',
    until: '7 days after the last part, as the parts are',
    seenBy: PERSON,
    atDeletion: BY_JOB,
  },
  accountDeletions: {
    what: 'That an account is being deleted, with the addresses that it had, of which the last one is told about it',
    until: 'Until everything of the account is deleted',
    seenBy: NOBODY,
    atDeletion: 'Deleted by the job, at its end',
  },
  formerAccounts: {
    what:
      'What was taken down, reported or stopped of a deleted account, by a keyed hash of its address. A new account of ' +
      'the address takes it over',
    until: '90 days after the deletion',
    seenBy: NOBODY,
    atDeletion: 'Made by it, and deleted after 90 days',
  },
  transactionReceipts: { what: null, atDeletion: NOT_OF_ACCOUNTS },
  operatorActions: {
    what: 'What an operator did to an account or a deck, and why',
    until: 'Without end',
    seenBy: NOBODY,
    atDeletion: STAYS,
  },
  uploadSessions: {
    what: 'Uploads that did not become a deck',
    until: 'A few hours',
    seenBy: PERSON,
    atDeletion: BY_JOB,
  },
  presentations: {
    what: 'Title of a deck, its owner, and who may change it',
    until: DECK,
    seenBy: MEMBERS,
    atDeletion: WITH_DECK,
    fields: { memberIds: REMOVED, unusedMemberIds: REMOVED, updatedBy: NOBODYS },
  },
  versions: {
    what: 'Who published a version, when, and with which message',
    until: DECK,
    seenBy: MEMBERS,
    atDeletion: WITH_DECK,
    fields: { createdBy: NOBODYS },
  },
  slidePictures: {
    what: 'Titles of the slides of a version, of which the deck has pictures',
    until: DECK,
    seenBy: 'Who may open the deck',
    atDeletion: WITH_DECK,
  },
  manifestShards: {
    what: 'Names of the files of a deck',
    until: DECK,
    seenBy: 'Who may open the deck',
    atDeletion: WITH_DECK,
  },
  blobs: { what: null, atDeletion: WITH_DECK },
  blobIndexes: { what: null, atDeletion: WITH_DECK },
  uploadCounters: { what: null, atDeletion: WITH_DECK },
  shareTokens: {
    what: 'Links of a deck. The name of a link that was mailed is the address of its recipient',
    until: DECK,
    seenBy: OWNER,
    atDeletion: WITH_DECK,
    fields: {
      name: 'In decks of others: “Forgotten reader” where it is the address',
      recipient: NOT_THERE,
      readers: REMOVED,
    },
  },
  linkReaders: {
    what: 'The addresses and domains for which a link opens',
    until: DECK,
    seenBy: OWNER,
    atDeletion: WITH_DECK,
    fields: { emails: REMOVED },
  },
  linkGuards: {
    what: 'When wrong passcodes were sent to a link, and when its owner was told. Not by whom',
    until: '24 hours',
    seenBy: OWNER,
    atDeletion: WITH_DECK,
  },
  linkOpeners: {
    what: 'Which networks have opened a link, by keyed hashes',
    until: '24 hours',
    seenBy: NOBODY,
    atDeletion: WITH_DECK,
  },
  openings: {
    what: 'That a link was opened, with the address that the reader proved, if the link asked for one',
    until: '25 hours',
    seenBy: NOBODY,
    atDeletion: WITH_DECK,
    fields: { email: NOT_THERE },
  },
  usedTickets: {
    what: 'That a browser used the ticket of an opening. Not whose',
    until: 'An hour',
    seenBy: NOBODY,
    atDeletion: WITH_DECK,
  },
  readerCodes: {
    what: 'Which reader asked for a code of a link, by keyed hashes of the address and the code',
    until: '10 minutes',
    seenBy: NOBODY,
    atDeletion: WITH_DECK,
  },
  collaborators: {
    what: 'Email addresses of people who were invited to a deck',
    until: DECK,
    seenBy: OWNER,
    atDeletion: 'Deleted by the job, also in decks of others',
  },
  emailSends: {
    what: 'Which mail about a deck went to which address, and when. A keyed hash of a reader who was forgotten',
    until: DECK,
    seenBy: OWNER,
    atDeletion: WITH_DECK,
    fields: { email: HASHED },
  },
  emailEvents: {
    what: 'Whether a mail about a deck arrived, bounced or was reported as spam',
    until: DECK,
    seenBy: OWNER,
    atDeletion: WITH_DECK,
  },
  viewCounters: {
    what: 'How often each link was opened, and when last. Not by whom',
    until: DECK,
    seenBy: OWNER,
    atDeletion: WITH_DECK,
  },
  views: {
    what:
      'Visits of readers: when, which slides for how long, the kind of the device, the language, the site that led to ' +
      'the link; an address only if the link asked for it or was mailed to it. No network address. Nothing of readers ' +
      'whose browsers ask not to be tracked (Global Privacy Control, Do Not Track)',
    until: '400 days, or until the deck is deleted or the reader is forgotten',
    seenBy: OWNER,
    atDeletion: WITH_DECK,
    fields: { email: NOT_THERE },
  },
  insights: {
    what: 'Sums of visits, and keyed hashes by which people are counted',
    until: '400 days, or with the deck',
    seenBy: OWNER,
    atDeletion: WITH_DECK,
    fields: { figures: 'In decks of others: the keyed hash stays' },
  },
  liveSessions: {
    what: 'The slide that a presenter shows now, and who presents',
    until: DECK,
    seenBy: 'Who may open the deck',
    atDeletion: WITH_DECK,
    fields: { startedBy: NOBODYS },
  },
  liveFollowers: { what: null, atDeletion: WITH_DECK },
  linkTotals: {
    what: 'How often each link was visited, and its name',
    until: DECK,
    seenBy: OWNER,
    atDeletion: WITH_DECK,
  },
  organizationInsights: {
    what: 'Sums of visits of all decks, and keyed hashes by which people are counted',
    until: '400 days',
    seenBy: OWNER,
    atDeletion: BY_JOB,
    fields: { figures: 'Of others: the keyed hash stays' },
  },
  events: {
    what: 'What happened to decks, links, views and mails, with the addresses of readers and recipients',
    until: '30 days',
    seenBy: OWNER,
    atDeletion: BY_JOB,
    fields: {
      actor: 'In events of others: nobody',
      reader: 'In events of others: emptied',
      addresses: 'In events of others: the address is removed',
      data: 'In events of others: a keyed hash for the address, nothing for the id and the name',
    },
  },
  webhooks: {
    what: 'Addresses to which an organization has its events sent, and the id of the key that made one',
    until: 'Until the webhook is deleted',
    seenBy: OWNER,
    atDeletion: AT_ONCE,
  },
  webhookDeliveries: {
    what: 'Which event was sent to which address, and the first 1 KB of the answer',
    until: '7 days',
    seenBy: OWNER,
    atDeletion: BY_JOB,
  },
  webhookStates: {
    what: 'Changes of webhooks of which the owner is told next, with the name of the key that made them',
    until: 'An hour',
    seenBy: OWNER,
    atDeletion: BY_JOB,
  },
  readerRemovals: {
    what: 'The address of a reader who is being forgotten',
    until: 'Until the reader is forgotten',
    seenBy: NOBODY,
    atDeletion: BY_JOB,
  },
  viewNotices: { what: null, atDeletion: 'Deleted by `sendViewNotices`' },
  noticeDays: {
    what: 'Of how many views the owner of links was told on a day',
    until: 'A day',
    seenBy: NOBODY,
    atDeletion: BY_JOB,
  },
  pictureTasks: { what: null, atDeletion: WITH_DECK },
  deletions: { what: null, atDeletion: 'Deleted by `finishDeletions`, 15 minutes after the deck' },
  listings: {
    what: 'The page of a deck in the marketplace, with the name of its author',
    until: 'Until the deck is deleted',
    seenBy: 'Everybody',
    atDeletion: 'Stays while the slug is taken',
    fields: {
      ownerId: 'Replaced by `deleted`',
      organizationId: 'Replaced by `deleted`',
      title: 'Emptied by the job',
      description: 'Emptied by the job',
      category: 'Emptied by the job',
      tags: 'Emptied by the job',
      techStack: 'Emptied by the job',
    },
  },
  listingLabels: { what: null, atDeletion: 'Stays while the slug is taken' },
  listingWindows: { what: null, atDeletion: CARRIED },
  searchParts: {
    what: 'Titles, descriptions and authors of listings, for the search',
    until: 'Until the listing leaves the marketplace',
    seenBy: 'Everybody',
    atDeletion: 'Deleted by the job that brings the search up to date',
  },
  remixers: {
    what: 'Who remixed a listing',
    until: 'Without end, so that nobody counts twice',
    seenBy: NOBODY,
    atDeletion: BY_JOB,
  },
  stars: {
    what: 'Who gave a listing a star',
    until: 'Until the star is taken back',
    seenBy: NOBODY,
    atDeletion: BY_JOB,
  },
  listingSignals: {
    what: 'That a network viewed a listing, by a keyed hash of it',
    until: 'An hour',
    seenBy: NOBODY,
    atDeletion: EXPIRES,
  },
  sitemapParts: { what: null, atDeletion: NOT_OF_ACCOUNTS },
  marketplaceStates: { what: null, atDeletion: NOT_OF_ACCOUNTS },
  listingReports: {
    what: 'Reports about a listing',
    until: 'Until the listing is removed',
    seenBy: NOBODY,
    atDeletion: 'Stays until the listing is removed',
  },
  reports: {
    what: 'The text of a report, and a keyed hash of who sent it',
    until: 'Until the listing is removed',
    seenBy: NOBODY,
    atDeletion: 'Stays until the listing is removed: the reporter is a keyed hash',
  },
} satisfies Record<keyof typeof paths, StoredData>;

/** The prefixes that `objectPaths` has, beside those of decks. */
type Prefix = Exclude<
  keyof typeof objectPaths,
  'blob' | 'stored' | 'place' | 'quarantined' | 'logo' | 'exportPart' | 'ofDeck'
>;

/** The same for the folders of the bucket. */
export const storedObjects = {
  blobs: {
    folder: 'presentations/{deck}/blobs/',
    what: 'The files of a deck, of all versions',
    until: DECK,
    seenBy: 'Who may open the deck',
    atDeletion: WITH_DECK,
  },
  slides: {
    folder: 'presentations/{deck}/slides/',
    what: 'Pictures of the slides of a deck',
    until: DECK,
    seenBy: 'Who may open the deck',
    atDeletion: WITH_DECK,
  },
  covers: {
    folder: 'presentations/{deck}/covers/',
    what: 'Pictures of a deck for lists',
    until: DECK,
    seenBy: 'Who may open the deck. Those of a listing: everybody',
    atDeletion: WITH_DECK,
  },
  'sent-slides': {
    folder: 'presentations/{deck}/sent-slides/',
    what: 'Pictures of slides that the service has not drawn again yet',
    until: 'Until the job has drawn them',
    seenBy: NOBODY,
    atDeletion: WITH_DECK,
  },
  quarantine: {
    folder: 'quarantine/{deck}/',
    what: 'Uploads that the service has not verified yet',
    until: 'Until the upload ends. What is left: 2 days',
    seenBy: NOBODY,
    atDeletion: WITH_DECK,
  },
  logos: {
    folder: 'logos/{user}/',
    what: 'The logo of an organization',
    until: 'Until another logo replaces it',
    seenBy: PERSON,
    atDeletion: BY_JOB,
  },
  exports: {
    folder: 'exports/{organization}/',
    what: 'The parts of an export: everything of the account',
    until: '7 days. What is left: 15 days',
    seenBy: PERSON,
    atDeletion: BY_JOB,
  },
} satisfies Record<Parameters<typeof objectPaths.place>[1] | Prefix, StoredData & { folder: string }>;
