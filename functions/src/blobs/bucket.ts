import type { getStorage } from 'firebase-admin/storage';

export type Bucket = ReturnType<ReturnType<typeof getStorage>['bucket']>;

/** Under it lies what was uploaded straight to the bucket and is not verified yet. */
export const QUARANTINE = 'quarantine/';

/** Every object of the bucket, once. */
export const objectPaths = {
  blob: (presentationId: string, sha256: string) => `presentations/${presentationId}/blobs/${sha256}`,
  /** Where everything of a deck lies. */
  deckPrefixes: (presentationId: string) => [`presentations/${presentationId}/`, `${QUARANTINE}${presentationId}/`],
  /** One for each user: an account that is made in two tries leaves no second one behind. */
  logo: (userId: string) => `logos/${userId}`,
};

/** The project's bucket. The storage client is loaded with the first call: most requests do without it. */
export async function bucket(): Promise<Bucket> {
  const { getStorage } = await import('firebase-admin/storage');
  return getStorage().bucket();
}

export function isPreconditionFailed(error: unknown): boolean {
  return (error as { code?: unknown } | null)?.code === 412;
}
