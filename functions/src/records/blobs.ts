import { z } from 'zod';
import { detailsOf, fail } from '../errors';
import type { ManifestFile } from '../policy/manifest';
import { totalsOf } from '../policy/upload-caps';
import { sizeInIndex, type BlobIndex } from '../values/blob-index';
import { collection, date, paths } from './collections';
import { isAlreadyExists, read, readIn, refIf, type Transaction } from './database';
import { Room } from './organization-usage';
import { presentationRef } from './presentations';
import { transact } from './transact';
import { countStored, type StoredShardRef } from './upload-counters';
import { uploadSessionRef } from './upload-sessions';

/**
 * The record of a stored file of a deck whose hash was verified (decision 2). The path of its bytes is in blobs/bucket.
 */
export const blob = z.object({ sizeBytes: z.number().int().nonnegative(), contentType: z.string(), createdAt: date });
export type Blob = z.output<typeof blob>;

export const blobRef = (presentationId: string, sha256: string) =>
  collection(paths.blobs(presentationId), blob).doc(sha256);

/** The blobs of the current version, packed; see values/blob-index. One document for each deck. */
const blobIndex = z.object({
  packed: z.instanceof(Uint8Array).transform((bytes) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)),
});

export const blobIndexRef = (presentationId: string) =>
  collection(paths.blobIndexes(presentationId), blobIndex).doc('current');

/** The largest number of documents in one read: its request stays below the 10 MiB of Firestore. */
const READS_PER_CALL = 2000;

/**
 * The sizes in bytes of those hashes that the deck has. One round trip for 2 000 hashes; larger lists are read in
 * parallel.
 */
export async function findBlobSizes(presentationId: string, hashes: readonly string[]): Promise<Map<string, number>> {
  const sizes = new Map<string, number>();
  const calls: Promise<void>[] = [];
  for (let start = 0; start < hashes.length; start += READS_PER_CALL) {
    const batch = hashes.slice(start, start + READS_PER_CALL);
    calls.push(
      read(...batch.map((sha256) => blobRef(presentationId, sha256))).then((records) =>
        records.forEach((record, i) => record && sizes.set(batch[i]!, record.sizeBytes)),
      ),
    );
  }
  await Promise.all(calls);
  return sizes;
}

/**
 * The hashes that the deck does not have. Reads records only for hashes that the index of the current version does not
 * contain.
 */
export async function findMissing(
  presentationId: string,
  hashes: readonly string[],
  index: BlobIndex | undefined,
): Promise<string[]> {
  const unknown = index ? hashes.filter((sha256) => sizeInIndex(index, sha256) === undefined) : hashes;
  const sizes = await findBlobSizes(presentationId, unknown);
  return unknown.filter((sha256) => !sizes.has(sha256));
}

/** A file whose bytes are stored. */
interface StoredFile extends Omit<Blob, 'createdAt'> {
  /** Whether this call created the object. */
  isNew: boolean;
  /** When the grant of a direct upload expires. */
  grantedUntil?: Date;
}

interface RecordTarget {
  organizationId: string;
  deckId: string;
  sessionId: string | undefined;
  countedIn: StoredShardRef;
}

/**
 * Records blobs whose bytes are stored, counts those that had no record, and releases their grants, in one transaction.
 * Returns false and writes nothing when neither the deck nor an open session exists: the deck was deleted, or the
 * session expired. The deletion of the deck or session then deletes the bytes.
 */
export async function recordBlobs(target: RecordTarget, blobs: ReadonlyMap<string, StoredFile>): Promise<boolean> {
  // An object without a record is left by a call that ended between storing and recording. Of calls that store the same
  // bytes, another one may therefore have recorded a file that this call created.
  const old = new Set([...blobs].flatMap(([sha256, { isNew }]) => (isNew ? [] : [sha256])));
  try {
    return await transact((tx) => recordIn(tx, target, blobs, old));
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    return transact((tx) => recordIn(tx, target, blobs, new Set(blobs.keys())));
  }
}

/** Reads the records of the hashes in `known`. The others are expected to have none: the commit fails if one exists. */
async function recordIn(
  tx: Transaction,
  { organizationId, deckId, sessionId, countedIn }: RecordTarget,
  blobs: ReadonlyMap<string, StoredFile>,
  known: ReadonlySet<string>,
): Promise<boolean> {
  const room = [...blobs.values()].some(({ grantedUntil }) => grantedUntil) ? Room.of(organizationId) : undefined;
  const checked = [...known];
  const [deck, session, usage, ...records] = await readIn(
    tx,
    presentationRef(deckId),
    refIf(uploadSessionRef, sessionId),
    room?.refs[0],
    ...checked.map((sha256) => blobRef(deckId, sha256)),
  );
  const createdAt = new Date();
  // The session may be missing because its commit created the deck.
  const isAlive = deck !== undefined || (session !== undefined && session.expiresAt > createdAt);
  if (!isAlive) return false;
  const recorded = new Set(checked.filter((_sha256, i) => records[i]));
  const added = [...blobs].filter(([sha256]) => !recorded.has(sha256));
  for (const [sha256, { sizeBytes, contentType }] of added) {
    const record = { sizeBytes, contentType, createdAt };
    if (known.has(sha256)) tx.set(blobRef(deckId, sha256), record);
    else tx.create(blobRef(deckId, sha256), record);
  }
  if (added.length > 0) countStored(tx, countedIn, totalsOf(added.map(([, file]) => file)));
  // The call that placed a file has its grant, also when another call recorded the file first.
  const placed = [...blobs.values()];
  const grants = placed.flatMap(({ grantedUntil: until, sizeBytes: bytes }) => (until ? [{ until, bytes }] : []));
  if (room && grants.length > 0) room.releaseGrants(tx, [usage], grants, createdAt);
  return true;
}

/**
 * Refuses files whose bytes are not stored in this deck (blobs-missing) or have another size (invalid-argument). Reads
 * records only for hashes that the index of the current version does not contain.
 */
export async function assertUploaded(
  presentationId: string,
  files: readonly ManifestFile[],
  index: BlobIndex | undefined,
): Promise<void> {
  const indexed = (sha256: string) => (index ? sizeInIndex(index, sha256) : undefined);
  const hashes = [...new Set(files.map((file) => file.sha256))];
  const recorded = await findBlobSizes(
    presentationId,
    hashes.filter((sha256) => indexed(sha256) === undefined),
  );
  const sizeOf = (sha256: string) => indexed(sha256) ?? recorded.get(sha256);

  const missing = hashes.filter((sha256) => sizeOf(sha256) === undefined);
  if (missing.length > 0) fail('blobs-missing', { missing });
  const errors = files.flatMap((file, i) => {
    const size = sizeOf(file.sha256)!;
    if (file.size === size) return [];
    return [{ location: `body.files[${i}].size`, message: `${file.path} has ${size} bytes, not ${file.size}.` }];
  });
  if (errors.length > 0) fail('invalid-argument', detailsOf(errors));
}
