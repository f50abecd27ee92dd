import { copyBlobs } from '../blobs/copy';
import { fail } from '../errors';
import type { Member } from '../http/caller';
import type { ManifestFile } from '../policy/manifest';
import { findBlobSizes } from '../records/blobs';
import { read, readIn } from '../records/database';
import { listingRef, type Listing } from '../records/listings';
import { recordBlobs } from '../records/new-blobs';
import { takeRoom, usageRef } from '../records/organization-usage';
import { organizationRef } from '../records/organizations';
import { transact } from '../records/transact';
import { openRemixSession, remixSessionId, uploadSessionRef } from '../records/upload-sessions';
import { assertShown } from './shown-listing';

/**
 * A remix in progress: an upload session reserves the id of the new deck, and the files are copied under that id.
 */
export interface Remix {
  organizationId: string;
  deckId: string;
  sessionId: string;
  /** Whether this call opened the session: no earlier call has copied a file. */
  isNew: boolean;
}

/**
 * Returns the user's remix in progress of the version that the listing shows, or begins one. Beginning one throws
 * conflict when the listing is not public, and the errors of `assertShown`. It counts as a new deck of this hour before
 * the copy, so the copies of an hour are limited also when the decks are refused. Throws rate-limited then.
 */
export function openRemix({ slug, pinned }: Listing, by: Member, now: Date): Promise<Remix> {
  const { organizationId } = by;
  const sessionId = remixSessionId(by.userId, slug, pinned.version);
  return transact(async (tx) => {
    const [begun, listing, organization, usage] = await readIn(
      tx,
      uploadSessionRef(sessionId),
      listingRef(slug),
      organizationRef(organizationId),
      usageRef(organizationId),
    );
    if (begun && begun.expiresAt > now)
      return { organizationId, deckId: begun.presentationId, sessionId, isNew: false };
    if (assertShown(listing).status !== 'public') {
      const nextAction = 'Look for another listing.';
      fail('conflict', undefined, { message: 'This listing is no longer public.', nextAction });
    }
    takeRoom(tx, organization!, usage, { newDecks: 1 }, now);
    return { organizationId, deckId: openRemixSession(tx, sessionId, begun, by, now), sessionId, isNew: true };
  });
}

/**
 * Files that are copied and then recorded in one transaction. A call that is cut off leaves at most this many copies
 * unrecorded.
 */
const RECORDED_AT_ONCE = 500;

/** The deck that receives copies, or the remix that becomes one. */
type CopyTarget = Pick<Remix, 'organizationId' | 'deckId'> & { sessionId: string | undefined; isNew?: boolean };

/** The different files that the deck does not have. */
export async function missingFiles({ deckId, isNew }: CopyTarget, files: readonly ManifestFile[]) {
  const distinct = new Map(files.map((file) => [file.sha256, file]));
  const known = isNew ? undefined : await findBlobSizes(deckId, [...distinct.keys()]);
  return [...distinct.values()].filter(({ sha256 }) => !known?.has(sha256));
}

/**
 * Copies different files, which the deck does not have, and records them in batches, so that the next call does not
 * copy them again. Returns false when neither the deck nor an open session exists any more.
 */
export async function copyFiles(from: Listing, to: CopyTarget, missing: readonly ManifestFile[]): Promise<boolean> {
  for (let start = 0; start < missing.length; start += RECORDED_AT_ONCE) {
    const batch = missing.slice(start, start + RECORDED_AT_ONCE);
    const made = await copyBlobs(from.presentationId, to.deckId, batch);
    const copied = batch.map(({ sha256, size, contentType }) => {
      return [sha256, { sizeBytes: size, contentType, isNew: made.has(sha256) }] as const;
    });
    if (!(await recordBlobs(to, new Map(copied)))) return false;
  }
  return true;
}

/**
 * Does work that reads the files of a listing. When the work fails and the listing is no longer shown, throws the error
 * of `assertShown` instead: the files may be deleted.
 */
export async function whileShown<T>({ slug }: Listing, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const [present] = await read(listingRef(slug));
    assertShown(present);
    throw error;
  }
}

/**
 * Throws conflict: the session has expired, or the deck that another call made in it was deleted. Scheduled functions
 * delete the copied files.
 */
export function failRemixEnded(): never {
  const options = {
    message: 'This remix ended before it was complete.',
    nextAction: 'Try again to begin a new remix.',
  };
  return fail('conflict', undefined, options);
}
