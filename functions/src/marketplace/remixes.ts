import { copyBlobs } from '../blobs/copy';
import { fail } from '../errors';
import type { ManifestFile } from '../policy/manifest';
import { findBlobSizes, recordBlobs } from '../records/blobs';
import { read, readIn } from '../records/database';
import { listingRef, type Listing } from '../records/listings';
import { transact } from '../records/transact';
import { randomStoredShardRef } from '../records/upload-counters';
import { openRemixSession, remixSessionId, uploadSessionRef } from '../records/upload-sessions';
import type { Member } from '../http/authenticate';
import { assertShown } from './listings';

/** A deck that is being made of a listing: its files come together under an id that an upload session reserves (decision 16). */
export interface Remix {
  deckId: string;
  sessionId: string;
  /** Whether nothing can have been copied yet. */
  isNew: boolean;
}

/** What this user has begun to make of the version that the listing shows, or a new one, which only a public listing allows: else conflict. */
export function openRemix({ slug, pinned }: Listing, by: Member, now: Date): Promise<Remix> {
  const sessionId = remixSessionId(by.userId, slug, pinned.version);
  return transact(async (tx) => {
    const [begun, listing] = await readIn(tx, uploadSessionRef(sessionId), listingRef(slug));
    if (begun && begun.expiresAt > now) return { deckId: begun.presentationId, sessionId, isNew: false };
    if (assertShown(listing).status !== 'public') {
      const nextAction = 'Look for another listing.';
      fail('conflict', undefined, { message: 'This listing is not public any more.', nextAction });
    }
    return { deckId: openRemixSession(tx, sessionId, begun, by, now), sessionId, isNew: true };
  });
}

/** As many records as go into one transaction, and as many copies as a call that is cut off may have made in vain. */
const RECORDED_AT_ONCE = 500;

/** Copies those files that the new deck does not have yet, and records them part by part, so that the next call knows. */
export async function copyFiles(from: Listing, remix: Remix, files: readonly ManifestFile[]): Promise<void> {
  const distinct = new Map(files.map((file) => [file.sha256, file]));
  const known = remix.isNew ? undefined : await findBlobSizes(remix.deckId, [...distinct.keys()]);
  const open = [...distinct.values()].filter(({ sha256 }) => !known?.has(sha256));
  for (let start = 0; start < open.length; start += RECORDED_AT_ONCE) {
    const part = open.slice(start, start + RECORDED_AT_ONCE);
    const made = await copyBlobs(from.presentationId, remix.deckId, part);
    const copied = part.map(({ sha256, size, contentType }) => {
      return [sha256, { sizeBytes: size, contentType, isNew: made.has(sha256) }] as const;
    });
    const target = { ...remix, countedIn: randomStoredShardRef(remix.deckId) };
    if (!(await recordBlobs(target, new Map(copied)))) failRemixEnded();
  }
}

/** Does work that reads a listing's files. When it fails since they have gone meanwhile, it fails as the listing does then: expired. */
export async function whileShown<T>({ slug }: Listing, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const [present] = await read(listingRef(slug));
    assertShown(present);
    throw error;
  }
}

/** Its hour is over, or the deck that another call made of it was deleted. The scheduled functions remove what was copied. */
export function failRemixEnded(): never {
  const options = { message: 'This remix ended before it was whole.', nextAction: 'Call again to begin anew.' };
  return fail('conflict', undefined, options);
}
