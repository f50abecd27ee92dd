import type { getStorage } from 'firebase-admin/storage';
import { config } from '../config';
import type { Context } from '../context';
import { retrying, type Attempt } from '../deadlines';
import { firebaseApp } from '../firebase-app';

export type Bucket = ReturnType<ReturnType<typeof getStorage>['bucket']>;

/**
 * Where the objects of a deck are: its files and the pictures made of them, the pictures of slides, and the pictures of
 * versions that were made of a slide.
 */
export type Place = 'blobs' | 'slides' | 'covers';

/** Every object path of the bucket. */
export const objectPaths = {
  blob: (presentationId: string, sha256: string) => objectPaths.stored(presentationId, 'blobs', sha256),
  /** A file of a deck, or a picture that a job made. Its name is the SHA-256 of its bytes. */
  stored: (presentationId: string, place: Place, sha256: string) =>
    `${objectPaths.place(presentationId, place)}${sha256}`,
  /** The prefix of the objects in a place. */
  place: (presentationId: string, place: Place | 'sent-slides') => `presentations/${presentationId}/${place}/`,
  /**
   * A direct upload that is not verified yet. Each grant has its own object, so two grants never write to the same
   * object.
   */
  quarantined: (presentationId: string, sha256: string, grantId: string) =>
    `${objectPaths.quarantine(presentationId)}${sha256}/${grantId}`,
  /** The prefix of the direct uploads of a deck, or of all decks without an id. */
  quarantine: (presentationId?: string) => (presentationId ? `quarantine/${presentationId}/` : 'quarantine/'),
  /** A logo of the organization of a user. */
  logo: (userId: string, logoId: string) => `${objectPaths.logos(userId)}${logoId}`,
  /** The prefix of the logos of a user. */
  logos: (userId: string) => `logos/${userId}/`,
  /** A part of an export. Each attempt at it has its own object. */
  exportPart: (organizationId: string, exportId: string, partId: string) =>
    `${objectPaths.exports(organizationId)}${exportId}/${partId}.zip`,
  /** The prefix of the exports of an organization. */
  exports: (organizationId: string) => `exports/${organizationId}/`,
  /** The prefixes of all objects of a deck. */
  ofDeck: (presentationId: string) => [`presentations/${presentationId}/`, objectPaths.quarantine(presentationId)],
};

let opened: Bucket | undefined;

/**
 * The project's bucket. The storage client is loaded at the first call, because a request without files does not need
 * it.
 */
export async function bucket(): Promise<Bucket> {
  if (opened) return opened;
  const { getStorage } = await import('firebase-admin/storage');
  const found = getStorage(firebaseApp()).bucket();
  const { storage } = found;
  // `storageCall` repeats calls. The library repeats no stream, pauses for a second at least, and never ends a call
  // whose last pause exceeds its time.
  storage.retryOptions.autoRetry = false;
  storage.retryOptions.maxRetries = 0;
  // The library cannot abort a request. This limit closes the connections of requests that were given up.
  storage.interceptors.push({
    request(sent) {
      return { ...(sent as Extract<typeof sent, { uri: unknown }>), timeout: config.attemptTimeoutMs() };
    },
  });
  return (opened = found);
}

/**
 * Calls the bucket: up to 3 attempts, each in bounded time. Every call of the service is idempotent: it
 * reads, deletes one generation, or creates an object whose bytes its name determines.
 */
export function storageCall<T>(work: (attempt: Attempt) => Promise<T>, context?: Context): Promise<T> {
  return retrying('Storage', isTransient, work, context);
}

const transientStatuses = new Set([408, 429, 500, 502, 503, 504]);

/** Whether the same call may succeed later: the bucket is busy or failed, or the connection did. */
export function isTransient(error: unknown): boolean {
  const code = statusOf(error);
  if (typeof code === 'number') return transientStatuses.has(code);
  // Errors of the network have the name of a system error. An answer that was cut off is a FetchError or a SyntaxError.
  // A SigningError does not tell its cause.
  const name = (error as Error | null)?.name ?? '';
  return typeof code === 'string' || ['FetchError', 'SyntaxError', 'SigningError'].includes(name);
}

export const isPreconditionFailed = (error: unknown): boolean => statusOf(error) === 412;
export const isNoSuchObject = (error: unknown): boolean => statusOf(error) === 404;

const statusOf = (error: unknown) => (error as { code?: unknown } | null)?.code;
