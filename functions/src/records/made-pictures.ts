import { readIn } from './database';
import { listingRef } from './listings';
import { isUnchanged, pictureTaskRef, type PictureTask } from './picture-tasks';
import { presentationRef, type MadePicture } from './presentations';
import { prepareSlides, type SlidePicture } from './slide-pictures';
import { transact } from './transact';
import { versionRef } from './versions';

interface Made {
  /** The picture of the version; null for a version without one. */
  picture: MadePicture | null;
  /** The pictures of its slides. Undefined when none were sent, and those of before stay. */
  slides: SlidePicture[] | undefined;
}

/**
 * Stores the picture of a version and ends its task: in the version, in the deck while the version is the current one,
 * and in the listing while it shows the version. A publication reads the version in its transaction, so the listing
 * gets the picture whichever of the two is first. Stores the pictures of its slides, too, and drops those of old
 * versions: returns the hashes of the pictures that the deck keeps, and of those that it lost. Idempotent.
 *
 * Writes nothing and returns undefined when another run has ended the task, other pictures were sent since it began, or
 * the deck was deleted. Of a deck whose owner wants no pictures of slides, none is stored.
 */
export async function setMadePictures(task: PictureTask, { picture, slides }: Made) {
  const { presentationId, version: number } = task;
  return transact(async (tx) => {
    const taskRef = pictureTaskRef(presentationId, number);
    const [deck, version, present] = await readIn(
      tx,
      presentationRef(presentationId),
      versionRef(presentationId, number),
      taskRef,
    );
    if (!isUnchanged(task, present)) return undefined;
    if (!deck || !version) return void tx.delete(taskRef);
    const slug = deck.listingSlug;
    const [listing] = slug ? await readIn(tx, listingRef(slug)) : [];
    const hasSlides = deck.slidePictures && (slides !== undefined || deck.slideBytes > 0);
    const write = hasSlides ? await prepareSlides(tx, deck, { version: number, slides }) : undefined;
    const shown = picture?.place === 'covers' && !deck.slidePictures ? null : picture;
    tx.update(versionRef(presentationId, number), { picture: shown });
    if (deck.current.version === number) tx.update(presentationRef(presentationId), { picture: shown });
    const isShown = listing?.presentationId === presentationId && listing.pinned.version === number;
    if (isShown) tx.update(listingRef(listing.slug), { picture: shown });
    tx.delete(taskRef);
    return write?.();
  });
}
