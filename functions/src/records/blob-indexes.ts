import { z } from 'zod';
import { collection, paths } from './collections';

/** The blobs of the current version, packed; see policy/blob-index. One document a deck. */
export const blobIndex = z.object({
  packed: z.instanceof(Uint8Array).transform((bytes) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)),
});

export const blobIndexRef = (presentationId: string) =>
  collection(paths.blobIndexes(presentationId), blobIndex).doc('current');
