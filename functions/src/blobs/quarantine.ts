import { createHash } from 'node:crypto';
import { newId } from '../values/ids';
import { bucket, isNoSuchObject, isPreconditionFailed, objectPaths, type Bucket } from './bucket';
import { mapConcurrently } from './concurrent';

/**
 * Files that clients upload straight to the bucket. Each grant names one object in quarantine. The function verifies
 * the bytes of the object and then copies it into the deck. The size and the expiry of a grant are metadata of its
 * object. The function writes them when it makes the grant; the client cannot change them.
 */

const OPEN_AT_ONCE = 20;
/** Verification hashes every byte: the CPU and the network of one instance limit it. */
const VERIFIED_AT_ONCE = 4;

export interface Grant {
  sha256: string;
  sizeBytes: number;
  contentType: string;
}

/** Makes one upload URL for each grant, in the order of the grants. Each URL creates one object, once. */
export async function openQuarantine(deckId: string, grants: readonly Grant[], expiresAt: Date): Promise<string[]> {
  const store = await bucket();
  return mapConcurrently(grants, OPEN_AT_ONCE, async ({ sha256, sizeBytes, contentType }) => {
    const object = store.file(objectPaths.quarantined(deckId, sha256, newId()));
    const [url] = await object.createResumableUpload({
      preconditionOpts: { ifGenerationMatch: 0 },
      metadata: {
        contentType,
        // The bucket refuses another size. It is text because the library treats the number 0 as absent.
        contentLength: String(sizeBytes) as unknown as number,
        metadata: { declaredSize: String(sizeBytes), expiresAt: expiresAt.toISOString() },
      },
    });
    return url;
  });
}

export type UploadFailure = 'not-uploaded' | 'hash-mismatch' | 'size-mismatch' | 'payload-too-large';

/** A file of the deck. */
export interface Placed {
  sizeBytes: number;
  contentType: string;
  /** Whether this call copied it into the deck. */
  isNew: boolean;
}

/**
 * Verifies the uploaded objects of these hashes, copies the valid ones into the deck and deletes all of them. An object
 * whose grant has expired is invalid. A file that the deck has already, such as from a concurrent call, counts as
 * placed. The results are in the order of the hashes.
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
        const failure = await whatIsWrong(store, object, sha256, limitBytes);
        if (failure === undefined) outcome = (await place(store, object, path)) ?? outcome;
        else if (failure !== 'not-uploaded') outcome = failure;
      }
      await remove(store, object.name, object.generation);
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

/** Lists the objects of these hashes in quarantine, the newest first. The bucket lists 1000 objects in one call. */
async function listSent(store: Bucket, deckId: string, hashes: readonly string[]): Promise<Map<string, SentObject[]>> {
  const sent = new Map<string, SentObject[]>(hashes.map((sha256) => [sha256, []]));
  const prefix = objectPaths.quarantine(deckId);
  const sorted = [...hashes].sort();
  const [objects] = await store.getFiles({
    prefix,
    startOffset: `${prefix}${sorted[0]}/`,
    // '0' follows '/' in ASCII, so the range includes all objects of the last hash.
    endOffset: `${prefix}${sorted.at(-1)}0`,
  });
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
  return sent;
}

/** Reads the listed generation of the object, which is also the one that `place` copies. */
async function whatIsWrong(
  store: Bucket,
  { name, generation, sizeBytes, declaredBytes }: SentObject,
  sha256: string,
  limitBytes: number,
): Promise<UploadFailure | undefined> {
  if (sizeBytes > limitBytes) return 'payload-too-large';
  if (sizeBytes !== declaredBytes) return 'size-mismatch';
  const hash = createHash('sha256');
  const object = store.file(name, { generation });
  try {
    for await (const chunk of object.createReadStream({ validation: false, decompress: false })) {
      hash.update(chunk as Buffer);
    }
  } catch (error) {
    // A concurrent call has deleted the object.
    if (isNoSuchObject(error)) return 'not-uploaded';
    throw error;
  }
  return hash.digest('hex') === sha256 ? undefined : 'hash-mismatch';
}

/** Returns undefined when a concurrent call has deleted the object or created the file. */
async function place(store: Bucket, sent: SentObject, path: string): Promise<Placed | undefined> {
  const { name, generation, contentType, sizeBytes } = sent;
  try {
    // With a Content-Type in the call the bucket does not copy the metadata of the grant.
    const options = { contentType, preconditionOpts: { ifGenerationMatch: 0 } };
    await store.file(name, { generation }).copy(path, options);
    return { sizeBytes, contentType, isNew: true };
  } catch (error) {
    if (isNoSuchObject(error) || isPreconditionFailed(error)) return undefined;
    throw error;
  }
}

/** Finds the file in the deck. Every file of a deck was verified, so its size and type are enough. */
async function findPlaced(store: Bucket, path: string): Promise<Placed | undefined> {
  try {
    const [{ size, contentType }] = await store.file(path).getMetadata();
    return { sizeBytes: Number(size), contentType: contentType ?? 'application/octet-stream', isNew: false };
  } catch (error) {
    if (isNoSuchObject(error)) return undefined;
    throw error;
  }
}

async function remove(store: Bucket, name: string, generation: string): Promise<void> {
  await store.file(name, { generation }).delete({ ignoreNotFound: true });
}
