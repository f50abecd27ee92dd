import type { Authorize } from '../http/caller';
import type { Idempotency } from '../http/idempotency';
import { buildManifest, type ManifestFile } from '../policy/manifest';
import { readIn, type Transaction } from '../records/database';
import { prepareManifest } from '../records/manifests';
import { assertUsage, takeRoom, usageRef } from '../records/organization-usage';
import { assertWithinPlan, organizationRef, type Organization } from '../records/organizations';
import { fileBytesOf, presentationRef, type Presentation } from '../records/presentations';
import { linkFields } from '../records/share-tokens';
import { copySlidePictures, slidePicturesRef } from '../records/slide-pictures';
import { readStored } from '../records/upload-counters';
import { appendVersion } from '../records/versions';
import { readIsolation } from './deck-files';

/** A version that is added to a deck. */
interface NextVersion {
  /** The deck as the call has read it. */
  before: Presentation;
  organization: Organization;
  files: readonly ManifestFile[];
  /** Rejects when a file is not stored. */
  stored: Promise<void>;
  entryPath: string;
  /** Default: the title of the deck. */
  title?: string | null | undefined;
  message: string | null;
  /** The user, or the key without one. */
  createdBy: string;
  now: Date;
}

/** What decides in the transaction, and what the answer has besides. */
export interface Checks<More extends object> {
  authorize: Authorize;
  idempotency: Idempotency;
  /** Throws when the version must not be added any more. Runs before the transaction writes. */
  check: (deck: Presentation, tx: Transaction) => void | Promise<void>;
  /** Writes more in the transaction of the version. */
  alsoWrite?: (tx: Transaction) => void;
  answer?: More;
}

/**
 * Adds a version to a deck, and counts every file that the deck stores, also those that no version uses. Throws
 * conflict when the organization has no room, and too-many-files or payload-too-large when the plan of that moment
 * refuses the files.
 */
export async function addVersion<More extends object>(
  { before, organization, files, stored: allStored, entryPath, message, createdBy, now, ...given }: NextVersion,
  { authorize, idempotency, check, alsoWrite, answer }: Checks<More>,
) {
  const { presentationId: deckId, organizationId, current } = before;
  const manifest = buildManifest(files);
  const { fileCount, totalBytes } = manifest;
  const [stored] = await Promise.all([readStored(deckId), allStored]);
  const growth = { storedBytes: stored.bytes - fileBytesOf(before) };
  const grows = growth.storedBytes > 0;
  const [isolation, writeManifest] = await Promise.all([
    manifest.manifestId === current.manifestId ? current.isolation : readIsolation(deckId, files),
    prepareManifest(deckId, manifest, () => assertUsage(organization, growth, now)),
  ]);
  // Only the title or the message is new: the slides look as before.
  const isSame = current.manifestId === manifest.manifestId && current.entryPath === entryPath;
  const shown = isSame ? slidePicturesRef(deckId, current.version) : undefined;
  return idempotency.run(
    async (tx) => {
      const usageIfNeeded = grows ? usageRef(organizationId) : undefined;
      const refs = [presentationRef(deckId), organizationRef(organizationId), usageIfNeeded, shown] as const;
      const [present, plan, usage, pictures] = await readIn(tx, ...refs);
      const deck = authorize(present);
      await check(deck, tx);
      const organizationNow = assertWithinPlan(files, plan);
      // Of racing commits, another one may have counted more files. The count of its files never decreases.
      const storedBytes = Math.max(deck.storedBytes, stored.bytes + deck.slideBytes);
      if (storedBytes > deck.storedBytes)
        takeRoom(tx, organizationNow, usage, { storedBytes: storedBytes - deck.storedBytes }, now);
      writeManifest(tx);
      const isShown = isSame && deck.current.version === current.version;
      const picture = (isShown && deck.picture) || undefined;
      const title = given.title || deck.title;
      const of = { title, message, entryPath, isolation, manifest };
      const next = { ...of, storedBytes, picture, createdBy, createdAt: now };
      const version = appendVersion(tx, deck, next, files);
      if (isShown && pictures) copySlidePictures(tx, deckId, version, pictures);
      alsoWrite?.(tx);
      const link = linkFields(deckId, deck.latestTokens, now);
      return { presentationId: deckId, version, ...link, fileCount, totalBytes, ...(answer as More) };
    },
    (kept) => kept,
  );
}
