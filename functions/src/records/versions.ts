import { z } from 'zod';
import { fail } from '../errors';
import type { Manifest, ManifestFile, ManifestPointer } from '../policy/manifest';
import { packBlobIndex } from '../values/blob-index';
import { blobIndexRef } from './blobs';
import { collection, paths } from './collections';
import { readIn, type Transaction } from './database';
import { date } from './fields';
import { manifestPointer, presentationRef, type Presentation } from './presentations';

/** An immutable version of a deck. */
export const version = manifestPointer.extend({
  title: z.string(),
  message: z.string().nullable(),
  createdAt: date,
  createdBy: z.string(),
  fileCount: z.number().int(),
  totalBytes: z.number().int(),
  /** The version whose files this one has again. */
  restoredFrom: z.number().int().nullable(),
});
export type Version = z.output<typeof version>;

export const versionRef = (presentationId: string, number: number) =>
  collection(paths.versions(presentationId), version).doc(String(number));

/** Every version of a deck, oldest first. One query. */
export async function listVersions(presentationId: string): Promise<Version[]> {
  const found = await collection(paths.versions(presentationId), version).orderBy('version').get();
  return found.docs.map((document) => document.data());
}

export type TokenMode = { type: 'latest' } | { type: 'pinned'; version: number };

/** The version that a mode names; one that exists nowhere for `latest`. Read together with a deck, it saves `readPin`. */
export const pinnedVersionRef = (presentationId: string, mode: TokenMode) =>
  versionRef(presentationId, mode.type === 'pinned' ? mode.version : 0);

/** What a token with that mode is pinned to: null follows the latest. A version that the deck does not have is invalid-argument. */
export function pinOf(deck: Presentation, mode: TokenMode, found: Version | undefined): ManifestPointer | null {
  if (mode.type === 'latest') return null;
  const { version, manifestId, shardCount, entryPath } = assertVersion(deck, found, 'body.versionMode.version');
  return { version, manifestId, shardCount, entryPath };
}

/** The version that an input names; when the deck does not have it, invalid-argument at `location`. */
export function assertVersion(deck: Presentation, found: Version | undefined, location: string): Version {
  if (found) return found;
  const message = `The deck has the versions 1 to ${deck.current.version}.`;
  return fail('invalid-argument', { errors: [{ location, message }] });
}

/** `pinOf` with the version that it needs, in a round trip of its own if it needs one. */
export async function readPin(tx: Transaction, deck: Presentation, mode: TokenMode): Promise<ManifestPointer | null> {
  if (mode.type === 'latest') return null;
  const [found] = await readIn(tx, pinnedVersionRef(deck.presentationId, mode));
  return pinOf(deck, mode, found);
}

interface NewVersion {
  version: number;
  title: string;
  message: string | null;
  entryPath: string;
  manifest: Pick<Manifest, 'manifestId' | 'shardCount' | 'fileCount' | 'totalBytes'>;
  restoredFrom?: number;
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
): ManifestPointer {
  const { manifestId, fileCount, totalBytes } = manifest;
  const ref: ManifestPointer = {
    version: rest.version,
    manifestId,
    shardCount: manifest.shardCount,
    entryPath: rest.entryPath,
  };
  tx.create(versionRef(presentationId, rest.version), { restoredFrom: null, ...rest, ...ref, fileCount, totalBytes });
  tx.set(blobIndexRef(presentationId), {
    packed: packBlobIndex(new Map(files.map((file) => [file.sha256, file.size]))),
  });
  return ref;
}

/**
 * Writes the next version of a deck and makes it the current one; returns its number. The transaction has read the deck, so that of
 * two racing commits one runs again on the version of the other.
 */
export function appendVersion(
  tx: Transaction,
  deck: Presentation,
  of: Omit<NewVersion, 'version'>,
  files: readonly ManifestFile[],
): number {
  const version = deck.current.version + 1;
  const current = createVersion(tx, deck.presentationId, { ...of, version }, files);
  const { title, createdAt: updatedAt, createdBy: updatedBy } = of;
  tx.update(presentationRef(deck.presentationId), { title, current, updatedAt, updatedBy });
  return version;
}
