import { z } from 'zod';
import { packBlobIndex } from '../policy/blob-index';
import type { Manifest, ManifestFile, ManifestRef } from '../policy/manifest';
import { blobIndexRef } from './blob-indexes';
import { collection, paths } from './collections';
import type { Transaction } from './database';
import { date } from './fields';
import { manifestRef } from './presentations';

/** An immutable version of a deck. */
export const version = manifestRef.extend({
  title: z.string(),
  message: z.string().nullable(),
  createdAt: date,
  createdBy: z.string(),
  fileCount: z.number().int(),
  totalBytes: z.number().int(),
});

export const versionRef = (presentationId: string, number: number) =>
  collection(paths.versions(presentationId), version).doc(String(number));

interface NewVersion {
  version: number;
  title: string;
  message: string | null;
  entryPath: string;
  manifest: Manifest;
  createdBy: string;
  createdAt: Date;
}

/**
 * Writes a version and the index of its blobs and returns what the deck keeps of it. The manifest's own documents are written by
 * what `prepareManifest` returned.
 */
export function createVersion(
  tx: Transaction,
  presentationId: string,
  { manifest, ...rest }: NewVersion,
  files: readonly ManifestFile[],
): ManifestRef {
  const { manifestId, fileCount, totalBytes } = manifest;
  const ref: ManifestRef = {
    version: rest.version,
    manifestId,
    shardCount: manifest.shards.length,
    entryPath: rest.entryPath,
  };
  tx.create(versionRef(presentationId, rest.version), { ...rest, ...ref, fileCount, totalBytes });
  tx.set(blobIndexRef(presentationId), {
    packed: packBlobIndex(new Map(files.map((file) => [file.sha256, file.size]))),
  });
  return ref;
}
