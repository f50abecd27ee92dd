import type { CollectionReference, DocumentReference, FirestoreDataConverter, Query } from 'firebase-admin/firestore';
import { z } from 'zod';
import { db } from './sdk';

/** The path of every collection, with the ids of its documents. */
export const paths = {
  /** Id: the uid of the user at the identity provider. */
  users: 'users',
  /** Id: a UUIDv7. */
  organizations: 'organizations',
  /** Id: that of the organization. */
  organizationUsages: 'organizationUsages',
  /** Id: SHA-256 of the raw key. */
  apiKeys: 'apiKeys',
  /** Id: a UUIDv7, which each token and cookie of the session names. */
  dashboardSessions: 'dashboardSessions',
  /** Id: keyed hash of the email address. */
  oneTimeCodes: 'oneTimeCodes',
  /** Id: `{kind}-{keyed hash}`, that of the email address or client network whose requests are counted. */
  requestWindows: 'requestWindows',
  /** Id: the organization's id. */
  mailWindows: 'mailWindows',
  /** Id: HMAC of the email address. */
  mailRecipients: 'mailRecipients',
  /** Id: `current`, the only document. */
  recipientKeys: 'recipientKeys',
  /** Id: that of the organization whose mails are reported. */
  mailReports: 'mailReports',
  /** Id: that of the recipient. */
  reportedMails: (organizationId: string) => `mailReports/${segment(organizationId)}/reportedMails`,
  /** Id: SHA-256 of the caller, the endpoint and the Idempotency-Key. */
  idempotencyRecords: 'idempotencyRecords',
  /** Id: a UUIDv7. */
  accessRequests: 'accessRequests',
  /** Id: keyed hash of a label and the email address. */
  askerCodes: 'askerCodes',
  /** Id: random, chosen before the first run of the transaction. */
  transactionReceipts: 'transactionReceipts',
  /** Id: that of the organization. */
  accountExports: 'accountExports',
  /** Id: that of the user. */
  accountDeletions: 'accountDeletions',
  /** Id: keyed hash of the mailbox. */
  formerAccounts: 'formerAccounts',
  /** Id: a UUIDv7. Append-only. */
  operatorActions: 'operatorActions',
  /** Id: a UUIDv7; for a remix `remix-{SHA-256}`, the hash of user, listing and version. */
  uploadSessions: 'uploadSessions',
  /** Id: a UUIDv7, reserved by an upload session. */
  presentations: 'presentations',
  /** Id: the version's number. */
  versions: (presentationId: string) => `presentations/${segment(presentationId)}/versions`,
  /** Id: the version's number. */
  slidePictures: (presentationId: string) => `presentations/${segment(presentationId)}/slidePictures`,
  /** Id: `{manifest id}-{shard number}`. */
  manifestShards: (presentationId: string) => `presentations/${segment(presentationId)}/manifestShards`,
  /** Id: SHA-256 of the bytes. */
  blobs: (presentationId: string) => `presentations/${segment(presentationId)}/blobs`,
  /** Id: `current`, the only document. */
  blobIndexes: (presentationId: string) => `presentations/${segment(presentationId)}/blobIndexes`,
  /** Id: `stored` or `granted`. */
  uploadCounters: (presentationId: string) => `presentations/${segment(presentationId)}/uploadCounters`,
  /** Id: a hash of the token, see values/share-tokens. */
  shareTokens: (presentationId: string) => `presentations/${segment(presentationId)}/shareTokens`,
  /** Id: that of the share token. */
  linkReaders: (presentationId: string) => `presentations/${segment(presentationId)}/linkReaders`,
  /** Id: that of the share token. */
  linkGuards: (presentationId: string) => `presentations/${segment(presentationId)}/linkGuards`,
  /** Id: random, chosen by the opening. */
  openings: (presentationId: string) => `presentations/${segment(presentationId)}/openings`,
  /** Id: that of the opening whose ticket was used. */
  usedTickets: (presentationId: string) => `presentations/${segment(presentationId)}/usedTickets`,
  /** Id: keyed hash of the share token and the client network. */
  linkOpeners: (presentationId: string) => `presentations/${segment(presentationId)}/linkOpeners`,
  /** Id: keyed hash of the share token and the email address. */
  readerCodes: (presentationId: string) => `presentations/${segment(presentationId)}/readerCodes`,
  /** Id: keyed hash of the email address. */
  collaborators: (presentationId: string) => `presentations/${segment(presentationId)}/collaborators`,
  /** Id: a UUIDv7. Append-only. */
  emailSends: (presentationId: string) => `presentations/${segment(presentationId)}/emailSends`,
  /** Id: that of the record of the mail. */
  emailEvents: (presentationId: string) => `presentations/${segment(presentationId)}/emailEvents`,
  /** Id: `deck-{shard number}`, or `{token id}-{shard number}`. */
  viewCounters: (presentationId: string) => `presentations/${segment(presentationId)}/viewCounters`,
  /** Id: that of the grant's first view follows from the grant, those of its later views are UUIDv7s. */
  views: (presentationId: string) => `presentations/${segment(presentationId)}/views`,
  /** Id: `{deck | v{version} | t{token id}}.{day or month}`. */
  insights: (presentationId: string) => `presentations/${segment(presentationId)}/insights`,
  /** Id: `current`, the only document. */
  liveSessions: (presentationId: string) => `presentations/${segment(presentationId)}/liveSessions`,
  /** Id: `current`, the only document. */
  liveFollowers: (presentationId: string) => `presentations/${segment(presentationId)}/liveFollowers`,
  /** Id: 0 to 15, by a hash of the token's id. */
  linkTotals: (presentationId: string) => `presentations/${segment(presentationId)}/linkTotals`,
  /** Id: a day or month. */
  organizationInsights: (organizationId: string) => `organizations/${segment(organizationId)}/organizationInsights`,
  /** Id: a UUIDv7. Append-only. */
  events: (organizationId: string) => `organizations/${segment(organizationId)}/events`,
  /** Id: a UUIDv7. */
  webhooks: (organizationId: string) => `organizations/${segment(organizationId)}/webhooks`,
  /** Id: a hash of the webhook and the event; for a test, a UUIDv7. */
  webhookDeliveries: (organizationId: string) => `organizations/${segment(organizationId)}/webhookDeliveries`,
  /** Id: that of the organization. */
  webhookStates: 'webhookStates',
  /** Id: keyed hash of the organization and the email address. */
  readerRemovals: 'readerRemovals',
  /** Id: that of the view. */
  viewNotices: 'viewNotices',
  /** Id: `{user id}-{day}`. */
  noticeDays: 'noticeDays',
  /** Id: `{deck id}-{version}`. */
  pictureTasks: 'pictureTasks',
  /** Id: that of the deleted deck or of the reserved deck id. */
  deletions: 'deletions',
  /** Id: the slug. The counter shards of a popular listing have `{slug}!{shard number}`. */
  listings: 'listings',
  /** Id: the first label of the host name of a listing's deck, a hash of the slug. */
  listingLabels: 'listingLabels',
  /** Id: the organization's id. */
  listingWindows: 'listingWindows',
  /** Id: that of the user who gave the star. */
  stars: (slug: string) => `listings/${segment(slug)}/stars`,
  /** Id: that of the user who remixed the listing. */
  remixers: (slug: string) => `listings/${segment(slug)}/remixers`,
  /** Id: the number of the part, and `versions`. */
  searchParts: 'searchParts',
  /** Id: HMAC of listing, signal, client network and hour. */
  listingSignals: 'listingSignals',
  /** Id: `current`, the only document. */
  sitemapParts: 'sitemapParts',
  /** Id: `current`, the only document. */
  marketplaceStates: 'marketplaceStates',
  /** Id: the slug. */
  listingReports: 'listingReports',
  /** Id: `{reason}-{place}` or `account-{reason}-{place}`, the place from 0 to 19. */
  reports: (slug: string) => `listingReports/${segment(slug)}/reports`,
};

/** Throws for an id that is not one path segment: an id of a client must not select another collection. */
function segment(id: string): string {
  if (id === '' || id.includes('/')) throw new Error('A document id must be a single path segment.');
  return id;
}

/** A document, by its path. A reference is no object of the Admin SDK, so a function that only reads loads no SDK. */
export interface Ref<T> {
  readonly path: string;
  readonly id: string;
  /** The record of the stored fields. Throws when they do not match the schema. */
  readonly parse: (fields: unknown) => T;
}

/** A collection whose documents are parsed with a schema when they are read. */
interface Collection<T> {
  doc(id: string): Ref<T>;
  /** The query for all documents, which the Admin SDK runs. */
  query(): CollectionReference<T>;
}

export function collection<S extends z.ZodType>(path: string, schema: S): Collection<z.output<S>> {
  const parse = (fields: unknown): z.output<S> => schema.parse(fields);
  return {
    doc: (id) => ({ path: `${path}/${segment(id)}`, id, parse }),
    query: () => db().collection(path).withConverter(converterOf(parse)),
  };
}

/** The query for all documents of the collections with this name, below any document. */
export function collectionGroup<S extends z.ZodType>(name: string, schema: S): Query<z.output<S>> {
  return db()
    .collectionGroup(name)
    .withConverter(converterOf((fields) => schema.parse(fields)));
}

/** The Admin SDK's reference of a document, for its transactions and writes. */
export function documentOf<T>(ref: Ref<T>): DocumentReference<T> {
  return db().doc(ref.path).withConverter(converterOf(ref.parse));
}

/** The same document for a write of other fields than those of its schema, such as increments. */
export const anyFields = (ref: Ref<unknown>): Ref<FirebaseFirestore.DocumentData> =>
  ref as Ref<FirebaseFirestore.DocumentData>;

function converterOf<T>(parse: (fields: unknown) => T): FirestoreDataConverter<T> {
  return {
    toFirestore: (record) => record as FirebaseFirestore.DocumentData,
    fromFirestore: (snapshot) => parse(snapshot.data()),
  };
}

const hasDate = (value: unknown) => typeof (value as { toDate?: unknown } | null)?.toDate === 'function';

/** A Date, which Firestore stores as a Timestamp. Dates have millisecond precision. */
export const date = z.union([
  z.date(),
  z.custom<{ toDate(): Date }>(hasDate).transform((timestamp) => timestamp.toDate()),
]);
