import { z } from 'zod';
import { keepsSlides, KEPT_VERSIONS } from '../policy/slide-pictures';
import { collection, paths } from './collections';
import { read, readIn, refIf, type Transaction } from './database';
import { listingRef } from './listings';
import { giveBack } from './organization-usage';
import { presentationRef, type Presentation } from './presentations';
import { isPinned } from './share-links';
import { listVersions, versionRef } from './versions';

/**
 * The picture of a slide. Its bytes are in the place `slides` of its deck, and equal ones of two versions are one
 * object.
 */
const slidePicture = z.object({
  key: z.string(),
  /** The title of the slide; null for a slide without one. */
  title: z.string().nullable(),
  /** The position of the slide, from 0. */
  index: z.number().int(),
  sha256: z.string(),
  size: z.number().int(),
  width: z.number().int(),
  height: z.number().int(),
});
export type SlidePicture = z.output<typeof slidePicture>;

/** The pictures of the slides of a version, in their order: at most 200 rows of 1 KB. */
const slidePictures = z.object({ version: z.number().int(), slides: z.array(slidePicture) });
export type SlidePictures = z.output<typeof slidePictures>;

const all = (presentationId: string) => collection(paths.slidePictures(presentationId), slidePictures);

export const slidePicturesRef = (presentationId: string, version: number) => all(presentationId).doc(String(version));

/** The pictures of all versions that have some. One query. */
async function listSlidePictures(tx: Transaction, presentationId: string): Promise<SlidePictures[]> {
  return (await tx.get(all(presentationId).query())).docs.map((document) => document.data());
}

/** The pictures of the newest version up to this one that has some. Looks at the versions that keep theirs for sure. */
export async function slidesBefore(presentationId: string, version: number): Promise<SlidePicture[]> {
  const versions = Array.from({ length: Math.min(version, KEPT_VERSIONS) }, (_, i) => version - i);
  const found = await read(...versions.map((each) => slidePicturesRef(presentationId, each)));
  return found.find((each) => each !== undefined)?.slides ?? [];
}

/** Gives a version that has the files of another one its pictures. */
export function copySlidePictures(tx: Transaction, presentationId: string, version: number, { slides }: SlidePictures) {
  tx.create(slidePicturesRef(presentationId, version), { version, slides });
}

/** What the hashes of the pictures of a deck were before a change and are after it. */
interface Changed {
  kept: Set<string>;
  dropped: Set<string>;
}

/**
 * Prepares to replace the pictures of the slides of a version, or to leave them when `slides` is undefined. Drops those
 * of versions that keep theirs no longer. Reads; the returned function writes, and counts the bytes for the
 * organization.
 */
export async function prepareSlides(
  tx: Transaction,
  deck: Presentation,
  { version, slides }: { version: number; slides: SlidePicture[] | undefined },
): Promise<() => Changed> {
  const { presentationId, listingSlug } = deck;
  const before = await listSlidePictures(tx, presentationId);
  const others = slides ? before.filter((each) => each.version !== version) : before;
  const old = others.filter((each) => !keepsSlides(each.version, deck.current.version));
  const [listing, ...versions] = await readIn(
    tx,
    old.length > 0 ? refIf(listingRef, listingSlug) : undefined,
    ...old.map((each) => versionRef(presentationId, each.version)),
  );
  const isShown = async (number: number, place: number) => {
    if (listing?.presentationId === presentationId && listing.pinned.version === number) return true;
    const pointer = versions[place];
    return pointer !== undefined && isPinned(tx, deck, pointer);
  };
  const shown = await Promise.all(old.map((each, i) => isShown(each.version, i)));
  const gone = new Set(old.filter((_each, i) => !shown[i]));
  const after = others.filter((each) => !gone.has(each));
  if (slides) after.push({ version, slides });

  return () => {
    if (slides) tx.set(slidePicturesRef(presentationId, version), { version, slides });
    for (const each of gone) tx.delete(slidePicturesRef(presentationId, each.version));
    const sizes = sizesOf(after);
    countSlides(
      tx,
      deck,
      [...sizes.values()].reduce((sum, size) => sum + size, 0),
    );
    const kept = new Set(sizes.keys());
    return { kept, dropped: new Set([...sizesOf(before).keys()].filter((sha256) => !kept.has(sha256))) };
  };
}

/** The sizes of the objects of pictures, by their hashes. */
const sizesOf = (versions: readonly SlidePictures[]) =>
  new Map(versions.flatMap(({ slides }) => slides.map(({ sha256, size }) => [sha256, size] as const)));

/** Counts the bytes of the pictures of a deck for its organization. The transaction has read the deck. */
function countSlides(tx: Transaction, deck: Presentation, slideBytes: number): void {
  const less = deck.slideBytes - slideBytes;
  if (less === 0) return;
  tx.update(presentationRef(deck.presentationId), { slideBytes, storedBytes: deck.storedBytes - less });
  giveBack(tx, deck.organizationId, { decks: 0, storedBytes: less });
}

/** Sets whether a deck has pictures of its slides. Without them it loses those that it has, in all its versions. */
export async function setSlidePictures(tx: Transaction, deck: Presentation, slidePictures: boolean): Promise<void> {
  const { presentationId, listingSlug } = deck;
  if (slidePictures) return void tx.update(presentationRef(presentationId), { slidePictures });
  const [pictured, versions, [listing]] = await Promise.all([
    listSlidePictures(tx, presentationId),
    listVersions(presentationId, tx),
    readIn(tx, refIf(listingRef, listingSlug)),
  ]);
  const isOfSlide = ({ picture }: Pick<Presentation, 'picture'> | { picture?: Presentation['picture'] | undefined }) =>
    picture?.place === 'covers';
  for (const { version } of pictured) tx.delete(slidePicturesRef(presentationId, version));
  for (const each of versions.filter(isOfSlide)) tx.update(versionRef(presentationId, each.version), { picture: null });
  if (listing?.presentationId === presentationId && isOfSlide(listing))
    tx.update(listingRef(listing.slug), { picture: null });
  countSlides(tx, deck, 0);
  tx.update(presentationRef(presentationId), { slidePictures, ...(isOfSlide(deck) && { picture: null }) });
}
