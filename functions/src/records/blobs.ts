import { z } from 'zod';
import { fail } from '../errors';
import type { ManifestFile } from '../policy/manifest';
import { totalsOf } from '../policy/upload-caps';
import { sizeInIndex, type BlobIndex } from '../values/blob-index';
import { collection, paths } from './collections';
import { read, readIn, refIf } from './database';
import { date } from './fields';
import { presentationRef } from './presentations';
import { transact } from './transact';
import { countStored, type StoredShardRef } from './upload-counters';
import { uploadSessionRef } from './upload-sessions';

/** A file that was uploaded to this deck and whose hash was checked. Its bytes are in the bucket, see blobs/bucket. */
export const blob = z.object({ sizeBytes: z.number().int().nonnegative(), contentType: z.string(), createdAt: date });
export type Blob = z.output<typeof blob>;

export const blobRef = (presentationId: string, sha256: string) =>
  collection(paths.blobs(presentationId), blob).doc(sha256);

/** The blobs of the current version, packed; see values/blob-index. One document a deck. */
const blobIndex = z.object({
  packed: z.instanceof(Uint8Array).transform((bytes) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)),
});

export const blobIndexRef = (presentationId: string) =>
  collection(paths.blobIndexes(presentationId), blobIndex).doc('current');

/** How many documents one call asks for: a request stays well under Firestore's 10 MiB. */
const PER_CALL = 2000;

/** The sizes in bytes of those blobs that the deck has. One round trip for each 2 000 hashes. */
export async function findBlobSizes(presentationId: string, hashes: readonly string[]): Promise<Map<string, number>> {
  const sizes = new Map<string, number>();
  const calls: Promise<void>[] = [];
  for (let start = 0; start < hashes.length; start += PER_CALL) {
    const part = hashes.slice(start, start + PER_CALL);
    calls.push(
      read(...part.map((sha256) => blobRef(presentationId, sha256))).then((records) =>
        records.forEach((record, i) => record && sizes.set(part[i]!, record.sizeBytes)),
      ),
    );
  }
  await Promise.all(calls);
  return sizes;
}

/** Those of the hashes that the deck does not have. What the index of its current version names is not looked up. */
export async function findMissing(
  presentationId: string,
  hashes: readonly string[],
  index: BlobIndex | undefined,
): Promise<string[]> {
  const unknown = index ? hashes.filter((sha256) => sizeInIndex(index, sha256) === undefined) : hashes;
  const sizes = await findBlobSizes(presentationId, unknown);
  return unknown.filter((sha256) => !sizes.has(sha256));
}

/**
 * Records stored blobs of a deck or of the session that reserves its id, and counts those whose bytes the call has put in place, in one
 * transaction that finds one of them alive; otherwise it
 * records nothing and answers false: the deck was deleted or the session ended meanwhile, and whoever did that removes the bytes.
 */
export async function recordBlobs(
  target: { deckId: string; sessionId: string | undefined; countedIn: StoredShardRef },
  blobs: ReadonlyMap<string, Omit<Blob, 'createdAt'> & { isNew: boolean }>,
): Promise<boolean> {
  const { deckId, sessionId, countedIn } = target;
  // Of many calls that bring the same bytes one has stored them.
  const added = totalsOf([...blobs.values()].filter(({ isNew }) => isNew));
  return transact(async (tx) => {
    const [deck, session] = await readIn(tx, presentationRef(deckId), refIf(uploadSessionRef, sessionId));
    const createdAt = new Date();
    // A session that is gone may have become the deck.
    const isAlive = deck !== undefined || (session !== undefined && session.expiresAt > createdAt);
    // The bytes are the same whoever was first: a record that is there is written again.
    if (isAlive) {
      for (const [sha256, { sizeBytes, contentType }] of blobs) {
        tx.set(blobRef(deckId, sha256), { sizeBytes, contentType, createdAt });
      }
      if (added.files > 0) countStored(tx, countedIn, added);
    }
    return isAlive;
  });
}

/**
 * Refuses files whose bytes were not uploaded to this deck (blobs-missing) or have another size (invalid-argument). Only what the
 * index of the current version does not know is looked up.
 */
export async function assertUploaded(
  presentationId: string,
  files: readonly ManifestFile[],
  index: BlobIndex | undefined,
): Promise<void> {
  const indexed = (sha256: string) => (index ? sizeInIndex(index, sha256) : undefined);
  const hashes = [...new Set(files.map((file) => file.sha256))];
  const looked = await findBlobSizes(
    presentationId,
    hashes.filter((sha256) => indexed(sha256) === undefined),
  );
  const sizeOf = (sha256: string) => indexed(sha256) ?? looked.get(sha256);

  const missing = hashes.filter((sha256) => sizeOf(sha256) === undefined);
  if (missing.length > 0) fail('blobs-missing', { missing });
  const errors = files.flatMap((file, i) => {
    const size = sizeOf(file.sha256)!;
    if (file.size === size) return [];
    return [{ location: `body.files[${i}].size`, message: `${file.path} has ${size} bytes, not ${file.size}.` }];
  });
  if (errors.length > 0) fail('invalid-argument', { errors });
}
