import type { getStorage } from 'firebase-admin/storage';

export type Bucket = ReturnType<ReturnType<typeof getStorage>['bucket']>;

/** Every object path of the bucket. */
export const objectPaths = {
  blob: (presentationId: string, sha256: string) => `presentations/${presentationId}/blobs/${sha256}`,
  /**
   * A direct upload that is not verified yet. Each grant has its own object, so two grants never write to the same
   * object.
   */
  quarantined: (presentationId: string, sha256: string, grantId: string) =>
    `${objectPaths.quarantine(presentationId)}${sha256}/${grantId}`,
  /** The prefix of the direct uploads of a deck, or of all decks without an id. */
  quarantine: (presentationId?: string) => (presentationId ? `quarantine/${presentationId}/` : 'quarantine/'),
  /** The logo that a user uploaded at signup. A repeated signup replaces it. */
  logo: (userId: string) => `logos/${userId}`,
  /** The prefixes of all objects of a deck. */
  ofDeck: (presentationId: string) => [`presentations/${presentationId}/`, objectPaths.quarantine(presentationId)],
};

/**
 * The project's bucket. The storage client is loaded at the first call, because a request without files does not need
 * it.
 */
export async function bucket(): Promise<Bucket> {
  const { getStorage } = await import('firebase-admin/storage');
  return getStorage().bucket();
}

export const isPreconditionFailed = (error: unknown): boolean => statusOf(error) === 412;
export const isNoSuchObject = (error: unknown): boolean => statusOf(error) === 404;

const statusOf = (error: unknown) => (error as { code?: unknown } | null)?.code;
