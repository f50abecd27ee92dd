import type { getStorage } from 'firebase-admin/storage';

export type Bucket = ReturnType<ReturnType<typeof getStorage>['bucket']>;

/** Every object of the bucket, once. */
export const objectPaths = {
  blob: (presentationId: string, sha256: string) => `presentations/${presentationId}/blobs/${sha256}`,
  /** What a client has sent and nobody has looked at yet. One for each grant, so that grants never meet in one object. */
  quarantined: (presentationId: string, sha256: string, grantId: string) =>
    `${objectPaths.quarantine(presentationId)}${sha256}/${grantId}`,
  /** The prefix of all of a deck's, and without a deck of everybody's. */
  quarantine: (presentationId?: string) => (presentationId ? `quarantine/${presentationId}/` : 'quarantine/'),
  /** One for each user: an account that is made in two tries leaves no second one behind. */
  logo: (userId: string) => `logos/${userId}`,
};

/** The project's bucket. The storage client is loaded with the first call: most requests do without it. */
export async function bucket(): Promise<Bucket> {
  const { getStorage } = await import('firebase-admin/storage');
  return getStorage().bucket();
}

export const isPreconditionFailed = (error: unknown): boolean => statusOf(error) === 412;
export const isNoSuchObject = (error: unknown): boolean => statusOf(error) === 404;

const statusOf = (error: unknown) => (error as { code?: unknown } | null)?.code;
