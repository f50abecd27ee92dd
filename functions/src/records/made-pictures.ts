import { readIn } from './database';
import { listingRef } from './listings';
import { pictureTaskRef, type PictureTask } from './picture-tasks';
import { presentationRef, type MadePicture } from './presentations';
import { transact } from './transact';
import { versionRef } from './versions';

/**
 * Stores the picture of a version and ends its task: in the version, in the deck while the version is the current one,
 * and in the listing while it shows the version. A publication reads the version in its transaction, so the listing gets
 * the picture whichever of the two is first. Idempotent.
 */
export async function setMadePicture(task: PictureTask, picture: MadePicture | null): Promise<void> {
  const { presentationId, version: number } = task;
  await transact(async (tx) => {
    const [deck, version] = await readIn(tx, presentationRef(presentationId), versionRef(presentationId, number));
    const slug = deck?.listingSlug;
    const [listing] = slug ? await readIn(tx, listingRef(slug)) : [];
    if (deck && version) tx.update(versionRef(presentationId, number), { picture });
    if (deck?.current.version === number) tx.update(presentationRef(presentationId), { picture });
    const isShown = listing?.presentationId === presentationId && listing.pinned.version === number;
    if (isShown) tx.update(listingRef(listing.slug), { picture });
    tx.delete(pictureTaskRef(presentationId, number));
  });
}
