import type { CollectionReference, FirestoreDataConverter, Query } from 'firebase-admin/firestore';
import type { z } from 'zod';
import { db } from './database';

/** Every collection of the database, once. */
export const paths = {
  /** Document id: the uid at the identity provider. */
  users: 'users',
  organizations: 'organizations',
  /** Document id: SHA-256 of the raw key. */
  apiKeys: 'apiKeys',
  operatorActions: 'operatorActions',
  /** Document id: SHA-256 of the session's token. */
  dashboardSessions: 'dashboardSessions',
  /** Document id: SHA-256 of the email address. */
  oneTimeCodes: 'oneTimeCodes',
  /** Document id: the kind of window and SHA-256 of what it counts. */
  requestWindows: 'requestWindows',
  /** Document id: SHA-256 of caller, endpoint and key. */
  idempotencyRecords: 'idempotencyRecords',
  /** Document id: the organization. */
  mailWindows: 'mailWindows',
  transactionReceipts: 'transactionReceipts',
  uploadSessions: 'uploadSessions',
  /**
   * Document id: the slug. Never removed: a slug is never anybody else's. Beside a popular listing stand the parts of its counters (decision
   * 16), under its slug, an exclamation mark, which no slug has, and a number.
   */
  listings: 'listings',
  /** Document id: the user who gave the star. */
  stars: (slug: string) => `listings/${segment(slug)}/stars`,
  /** Document id: a keyed hash of listing, signal, client network and hour. */
  listingSignals: 'listingSignals',
  /** Document id: the slug. */
  listingReports: 'listingReports',
  /** Document id: the reason and the place of the report among those of its reason. */
  reports: (slug: string) => `listingReports/${segment(slug)}/reports`,
  presentations: 'presentations',
  /** Document id: that of the deck that is none any more. */
  deletions: 'deletions',
  /** Document id: the version's number. */
  versions: (presentationId: string) => `presentations/${segment(presentationId)}/versions`,
  /** Document id: the manifest's id and the shard's number. */
  manifestShards: (presentationId: string) => `presentations/${segment(presentationId)}/manifestShards`,
  /** Document id: SHA-256 of the bytes. */
  blobs: (presentationId: string) => `presentations/${segment(presentationId)}/blobs`,
  /** Document id: what is counted, and of what is stored the number of the part. */
  uploadCounters: (presentationId: string) => `presentations/${segment(presentationId)}/uploadCounters`,
  blobIndexes: (presentationId: string) => `presentations/${segment(presentationId)}/blobIndexes`,
  /** Document id: derived from the token, see policy/share-tokens. */
  shareTokens: (presentationId: string) => `presentations/${segment(presentationId)}/shareTokens`,
  /** Document id: SHA-256 of the email address. */
  collaborators: (presentationId: string) => `presentations/${segment(presentationId)}/collaborators`,
  /** Append-only. */
  emailSends: (presentationId: string) => `presentations/${segment(presentationId)}/emailSends`,
  /** Document id: what is counted and the shard's number. */
  viewCounters: (presentationId: string) => `presentations/${segment(presentationId)}/viewCounters`,
};

/** An id from outside must not become a longer path. */
function segment(id: string): string {
  if (id === '' || id.includes('/')) throw new Error('A document id must be a single path segment.');
  return id;
}

/**
 * A collection whose documents are checked on the way out, so that a malformed one fails here and loudly, and never as an undefined
 * somewhere later.
 */
export function collection<S extends z.ZodType>(path: string, schema: S): CollectionReference<z.output<S>> {
  return db().collection(path).withConverter(converterOf(schema));
}

/** All collections of that name, whatever document they belong to. */
export function collectionGroup<S extends z.ZodType>(name: string, schema: S): Query<z.output<S>> {
  return db().collectionGroup(name).withConverter(converterOf(schema));
}

function converterOf<S extends z.ZodType>(schema: S): FirestoreDataConverter<z.output<S>> {
  return {
    toFirestore: (record) => record as FirebaseFirestore.DocumentData,
    fromFirestore: (snapshot) => schema.parse(snapshot.data()),
  };
}
