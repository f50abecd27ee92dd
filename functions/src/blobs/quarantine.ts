import { createHash } from 'node:crypto';
import { timeLeftMs } from '../deadlines';
import { newId } from '../values/ids';
import { bucket, isNoSuchObject, isPreconditionFailed, objectPaths, storageCall, type Bucket } from './bucket';
import { mapConcurrently } from './concurrent';
import { listPages } from './object-pages';
import { readObject } from './reading';

/**
 * Direct uploads: clients send files straight to the bucket, into quarantine. The service verifies the
 * bytes there and then copies them to the path of the blob. The metadata of a quarantined object holds the declared
 * size and the expiry. The service writes them when it opens the grant; the client that has the upload URL cannot
 * change them.
 */

const OPEN_AT_ONCE = 20;
/** Verification is limited by hashing and by the network of one instance. */
const VERIFIED_AT_ONCE = 4;

export interface Grant {
  sha256: string;
  sizeBytes: number;
  contentType: string;
}

/**
 * Opens an upload for each grant and returns their URLs, in the order of the grants. Each URL creates one object, once.
 * `origin` is that of the page that will use them: the bucket lets pages of no other origin do so.
 */
export async function openQuarantine(
  deckId: string,
  grants: readonly Grant[],
  { expiresAt, origin }: { expiresAt: Date; origin: string | undefined },
): Promise<string[]> {
  const store = await bucket();
  return mapConcurrently(grants, OPEN_AT_ONCE, async ({ sha256, sizeBytes, contentType }) => {
    const object = store.file(objectPaths.quarantined(deckId, sha256, newId()));
    const options = {
      preconditionOpts: { ifGenerationMatch: 0 },
      ...(origin !== undefined && { origin }),
      metadata: {
        contentType,
        // The bucket refuses bytes of another length. The value is text because the library ignores the number 0.
        contentLength: String(sizeBytes) as unknown as number,
        metadata: { declaredSize: String(sizeBytes), expiresAt: expiresAt.toISOString() },
      },
    };
    // An upload that was opened and whose answer was lost is never used. The bucket deletes it after a week.
    const [url] = await storageCall(() => object.createResumableUpload(options));
    return url;
  });
}

export type UploadFailure = 'not-uploaded' | 'hash-mismatch' | 'size-mismatch' | 'payload-too-large';

/** A verified file at the path of its blob. `isNew` says whether this call put it there. */
export interface Placed {
  sizeBytes: number;
  contentType: string;
  isNew: boolean;
  /** When the grant expires that allowed the upload. Only when this call put the file there. */
  grantedUntil?: Date;
}

/**
 * Verifies the quarantined objects of these hashes and copies a correct one of each hash to the path of its blob.
 * Deletes every quarantined object of the hashes, wrong and expired ones included. A hash that already has a blob
 * succeeds with `isNew: false`, also when its quarantined objects are wrong. The results have the order of the hashes.
 */
export async function placeQuarantined(
  deckId: string,
  hashes: readonly string[],
  limitBytes: number,
  now: Date,
): Promise<(Placed | UploadFailure)[]> {
  const store = await bucket();
  const sent = await listSent(store, deckId, hashes);
  return mapConcurrently(hashes, VERIFIED_AT_ONCE, async (sha256) => {
    const path = objectPaths.blob(deckId, sha256);
    let outcome: Placed | UploadFailure = 'not-uploaded';
    for (const object of sent.get(sha256) ?? []) {
      if (typeof outcome === 'string' && object.expiresAt > now) {
        const failure = await findFailure(object, sha256, limitBytes);
        if (failure === undefined) outcome = (await place(store, object, path)) ?? outcome;
        else if (failure !== 'not-uploaded') outcome = failure;
      }
      await deleteQuarantined(store, object.name, object.generation);
    }
    return typeof outcome === 'string' ? ((await findPlaced(store, path)) ?? outcome) : outcome;
  });
}

interface SentObject {
  name: string;
  generation: string;
  sizeBytes: number;
  contentType: string;
  declaredBytes: number;
  expiresAt: Date;
}

/** The quarantined objects of each hash, newest first. One request for each 1 000 objects. */
async function listSent(store: Bucket, deckId: string, hashes: readonly string[]): Promise<Map<string, SentObject[]>> {
  const sent = new Map<string, SentObject[]>(hashes.map((sha256) => [sha256, []]));
  const prefix = objectPaths.quarantine(deckId);
  const sorted = [...hashes].sort();
  const query = {
    prefix,
    startOffset: `${prefix}${sorted[0]}/`,
    // `0` is the character after `/`, so the objects of the last hash are before this offset.
    endOffset: `${prefix}${sorted.at(-1)}0`,
  };
  for await (const objects of listPages(store, query)) {
    for (const { name, metadata } of objects) {
      const written = metadata.metadata ?? {};
      sent.get(name.slice(prefix.length, prefix.length + 64))?.unshift({
        name,
        generation: String(metadata.generation),
        sizeBytes: Number(metadata.size),
        contentType: metadata.contentType ?? 'application/octet-stream',
        declaredBytes: Number(written['declaredSize']),
        expiresAt: new Date(String(written['expiresAt'])),
      });
    }
  }
  return sent;
}

/**
 * Why an object is wrong, or undefined for a correct one. Reads the listed generation, which is the one that `place`
 * copies.
 */
async function findFailure(
  { name, generation, sizeBytes, declaredBytes }: SentObject,
  sha256: string,
  limitBytes: number,
): Promise<UploadFailure | undefined> {
  if (sizeBytes > limitBytes) return 'payload-too-large';
  if (sizeBytes !== declaredBytes) return 'size-mismatch';
  const hash = createHash('sha256');
  const span = { name, generation, start: 0, end: sizeBytes - 1, isWhole: true };
  try {
    await readObject(span, timeLeftMs(), (bytes) => hash.update(bytes));
  } catch (error) {
    // A concurrent call verified the same object and deleted it.
    if (isNoSuchObject(error)) return 'not-uploaded';
    throw error;
  }
  return hash.digest('hex') === sha256 ? undefined : 'hash-mismatch';
}

/**
 * Copies a verified object to the path of its blob. Undefined when a concurrent call deleted the object or created the
 * blob.
 */
async function place(store: Bucket, sent: SentObject, path: string): Promise<Placed | undefined> {
  const { name, generation, contentType, sizeBytes, expiresAt: grantedUntil } = sent;
  try {
    // An explicit field keeps the bucket from copying the metadata of the grant.
    const options = { contentType, preconditionOpts: { ifGenerationMatch: 0 } };
    await storageCall(({ number }) =>
      store
        .file(name, { generation })
        .copy(path, options)
        .catch((error: unknown) => {
          // The answer to an earlier attempt may have been lost.
          if (number === 1 || !isPreconditionFailed(error)) throw error;
        }),
    );
    return { sizeBytes, contentType, isNew: true, grantedUntil };
  } catch (error) {
    if (isNoSuchObject(error) || isPreconditionFailed(error)) return undefined;
    throw error;
  }
}

/** The blob at this path, if there is one. Every blob there is verified, also one that another call put there. */
async function findPlaced(store: Bucket, path: string): Promise<Placed | undefined> {
  try {
    const [{ size, contentType }] = await storageCall(() => store.file(path).getMetadata());
    return { sizeBytes: Number(size), contentType: contentType ?? 'application/octet-stream', isNew: false };
  } catch (error) {
    if (isNoSuchObject(error)) return undefined;
    throw error;
  }
}

async function deleteQuarantined(store: Bucket, name: string, generation: string): Promise<void> {
  await storageCall(() => store.file(name, { generation }).delete({ ignoreNotFound: true }));
}
