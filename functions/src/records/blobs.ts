import { z } from 'zod';
import { detailsOf, fail } from '../errors';
import type { ManifestFile } from '../policy/manifest';
import { sizeInIndex, type BlobIndex } from '../values/blob-index';
import { collection, date, paths } from './collections';
import { read } from './database';

/**
 * The record of a stored file of a deck whose hash was verified. The path of its bytes is in blobs/bucket.
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
