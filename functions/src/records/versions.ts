import { z } from 'zod';
import { fail } from '../errors';
import { pointerOf, type Manifest, type ManifestFile, type ManifestPointer } from '../policy/manifest';
import { deckView, versionView } from '../rows/decks';
import { packBlobIndex } from '../values/blob-index';
import { blobIndexRef } from './blobs';
import { collection, date, paths } from './collections';
import { readIn, type Transaction } from './database';
import { addEvent } from './events';
import { createPictureTask } from './picture-tasks';
import { madePicture, manifestPointer, presentationRef, type Presentation } from './presentations';

/** A version of a deck. Only its picture is added later. */
export const version = manifestPointer.extend({
  title: z.string(),
  message: z.string().nullable(),
  createdAt: date,
  createdBy: z.string(),
  fileCount: z.number().int(),
  totalBytes: z.number().int(),
  /** The version whose files this version restores; null for an upload. */
  restoredFrom: z.number().int().nullable(),
  /** The picture of the version; null for a version without one that pages can show. Undefined until a job made it. */
  picture: madePicture.nullish(),
});
export type Version = z.output<typeof version>;

export const versionRef = (presentationId: string, number: number) =>
  collection(paths.versions(presentationId), version).doc(String(number));

/** All versions of a deck, oldest first. One query. */
export async function listVersions(presentationId: string, tx?: Transaction): Promise<Version[]> {
  const query = collection(paths.versions(presentationId), version).query().orderBy('version');
  const found = await (tx ? tx.get(query) : query.get());
  return found.docs.map((document) => document.data());
}

export type TokenMode = { type: 'latest' } | { type: 'pinned'; version: number };

/**
 * The version of a pinned mode. For `latest` a document that does not exist. A caller that reads it together with the
 * deck needs `pinOf` and not `readPin`.
 */
export const pinnedVersionRef = (presentationId: string, mode: TokenMode) =>
  versionRef(presentationId, mode.type === 'pinned' ? mode.version : 0);

/**
 * The version to which a token of this mode is pinned; null for `latest`. invalid-argument when the deck does not have
 * the version.
 */
export function pinOf(deck: Presentation, mode: TokenMode, found: Version | undefined): ManifestPointer | null {
  if (mode.type === 'latest') return null;
  return pointerOf(assertVersion(deck, found, 'body.versionMode.version'));
}

/** The version of an input; invalid-argument at `location` when the deck does not have it. */
export function assertVersion(deck: Presentation, found: Version | undefined, location: string): Version {
  if (found) return found;
  const message = `The deck has the versions 1 to ${deck.current.version}.`;
  return fail('invalid-argument', { errors: [{ location, message }] });
}

/** Like `pinOf`, and reads the version. One round trip for a pinned mode, none for `latest`. */
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
  isolation: ManifestPointer['isolation'];
  manifest: Pick<Manifest, 'manifestId' | 'shardCount' | 'fileCount' | 'totalBytes'>;
  restoredFrom?: number;
  /** The picture, where it is known. */
  picture?: Version['picture'];
  createdBy: string;
  createdAt: Date;
}

/**
 * Creates a version, writes the index of its blobs, and returns the version and its manifest pointer. A job makes the
 * picture, unless it is known. The function that `prepareManifest` returned writes the manifest.
 */
export function createVersion(
  tx: Transaction,
  presentationId: string,
  { manifest, ...rest }: NewVersion,
  files: readonly ManifestFile[],
): { created: Version; pointer: ManifestPointer } {
  const { manifestId, fileCount, totalBytes } = manifest;
  const pointer: ManifestPointer = {
    version: rest.version,
    manifestId,
    shardCount: manifest.shardCount,
    entryPath: rest.entryPath,
    isolation: rest.isolation,
  };
  const created = { restoredFrom: null, ...rest, ...pointer, fileCount, totalBytes };
  tx.create(versionRef(presentationId, rest.version), created);
  if (rest.picture === undefined) createPictureTask(tx, presentationId, rest.version, rest.createdAt);
  tx.set(blobIndexRef(presentationId), {
    packed: packBlobIndex(new Map(files.map((file) => [file.sha256, file.size]))),
  });
  return { created, pointer };
}

/**
 * Creates the next version of a deck, makes it the current one and returns its number. The transaction has read the
 * deck, so of two racing commits the second runs again on the version of the first. `storedBytes` are the bytes that
 * the deck stores now, for which the transaction has taken room.
 */
export function appendVersion(
  tx: Transaction,
  deck: Presentation,
  { storedBytes, ...of }: Omit<NewVersion, 'version'> & { storedBytes?: number | undefined },
  files: readonly ManifestFile[],
): number {
  const version = deck.current.version + 1;
  const { presentationId, organizationId } = deck;
  const { created, pointer: current } = createVersion(tx, presentationId, { ...of, version }, files);
  const { title, createdAt: updatedAt, createdBy: updatedBy } = of;
  // The picture belongs to a version.
  const { picture = null } = of;
  // The client leaves an undefined field as it is.
  tx.update(presentationRef(presentationId), { title, current, picture, updatedAt, updatedBy, storedBytes });
  const data = { presentation: deckView({ ...deck, title, current, updatedAt }), version: versionView(created) };
  addEvent(tx, 'presentation.version_created', { organizationId, presentationId }, data);
  return version;
}
