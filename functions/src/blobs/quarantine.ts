import { createHash } from 'node:crypto';
import { eachOf } from '../values/each-of';
import { newId } from '../values/ids';
import { bucket, isNoSuchObject, isPreconditionFailed, objectPaths, type Bucket } from './bucket';

/**
 * Files that clients send straight to the bucket. They land in quarantine, one object for each grant, and come into place once their bytes
 * were looked at. What is known of a grant is written on its object by us when the grant is made: the holder of its address cannot change it.
 */

const OPEN_AT_ONCE = 20;
/** Verifying is bound by hashing and by the network of one instance. */
const VERIFIED_AT_ONCE = 4;

export interface Grant {
  sha256: string;
  sizeBytes: number;
  contentType: string;
}

/** The addresses to which the files may be sent, in order: one object each, which can be made once. */
export async function openQuarantine(deckId: string, grants: readonly Grant[], expiresAt: Date): Promise<string[]> {
  const store = await bucket();
  return eachOf(grants, OPEN_AT_ONCE, async ({ sha256, sizeBytes, contentType }) => {
    const object = store.file(objectPaths.quarantined(deckId, sha256, newId()));
    const [url] = await object.createResumableUpload({
      preconditionOpts: { ifGenerationMatch: 0 },
      metadata: {
        contentType,
        // The bucket itself refuses another size. As text, since the library takes the number 0 for none.
        contentLength: String(sizeBytes) as unknown as number,
        metadata: { declaredSize: String(sizeBytes), expiresAt: expiresAt.toISOString() },
      },
    });
    return url;
  });
}

export type UploadFailure = 'not-uploaded' | 'hash-mismatch' | 'size-mismatch' | 'payload-too-large';

/** A file that is in place, and whether this call put it there. */
export interface Placed {
  sizeBytes: number;
  contentType: string;
  isNew: boolean;
}

/**
 * Looks at what was sent of those hashes and moves what is right into place; what is wrong or came too late is deleted. A file
 * that is in place already, put there by another call that came this far, is right. In the order of the hashes.
 */
export async function placeQuarantined(
  deckId: string,
  hashes: readonly string[],
  limitBytes: number,
  now: Date,
): Promise<(Placed | UploadFailure)[]> {
  const store = await bucket();
  const sent = await listSent(store, deckId, hashes);
  return eachOf(hashes, VERIFIED_AT_ONCE, async (sha256) => {
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

/** What lies in quarantine of those hashes, the newest first. One call for each thousand. */
async function listSent(store: Bucket, deckId: string, hashes: readonly string[]): Promise<Map<string, SentObject[]>> {
  const sent = new Map<string, SentObject[]>(hashes.map((sha256) => [sha256, []]));
  const prefix = objectPaths.quarantine(deckId);
  const sorted = [...hashes].sort();
  const [objects] = await store.getFiles({
    prefix,
    startOffset: `${prefix}${sorted[0]}/`,
    // The character behind the slash: everything of the last hash lies before it.
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

/** Reads this very generation: what is hashed here is what is moved. */
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
    // Another call that looks at the same file was faster.
    if (isNoSuchObject(error)) return 'not-uploaded';
    throw error;
  }
  return hash.digest('hex') === sha256 ? undefined : 'hash-mismatch';
}

/** Undefined when the object or its place was taken by another call. */
async function place(store: Bucket, sent: SentObject, path: string): Promise<Placed | undefined> {
  const { name, generation, contentType, sizeBytes } = sent;
  try {
    // Naming a field keeps the grant's own metadata from being copied.
    const options = { contentType, preconditionOpts: { ifGenerationMatch: 0 } };
    await store.file(name, { generation }).copy(path, options);
    return { sizeBytes, contentType, isNew: true };
  } catch (error) {
    if (isNoSuchObject(error) || isPreconditionFailed(error)) return undefined;
    throw error;
  }
}

/** Only bytes that were looked at come into place, whoever put them there. */
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
