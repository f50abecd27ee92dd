import { createHash } from 'node:crypto';
import { storeBlob } from '../blobs/blobs';
import { readWhole } from '../blobs/blocks';
import type { Place } from '../blobs/bucket';
import { readSentPictures, removeAllPictures, removeFormerPictures, removeSentPictures } from '../blobs/slide-pictures';
import { currentContext } from '../context';
import { ServiceError } from '../errors';
import { logWarning } from '../log';
import { CARD, looksSame, redraw, SLIDE } from '../pictures/decode';
import { MAX_PICTURE_ATTEMPTS } from '../policy/picture-attempts';
import { read } from '../records/database';
import { setMadePictures } from '../records/made-pictures';
import { beginPictureTask, endPictureTask, type PictureTask, type SentPictures } from '../records/picture-tasks';
import { presentationRef, type MadePicture } from '../records/presentations';
import { slidePicturesRef, slidesBefore, type SlidePicture } from '../records/slide-pictures';
import { versionRef, type Version } from '../records/versions';
import { isShowable, isSlidePicture } from '../values/picture-size';
import { findGivenPicture } from './deck-preview';
import { fileOfSlide } from './shown-pictures';

/**
 * Makes the pictures of the version of a task: those of its slides that were sent, and its own, which stands in the
 * version, in its deck and in its listing. Throws when a backend does not answer: the next attempt is due later. After
 * the last attempt the version has no picture, and its slides keep those that they have.
 */
export async function makePictures(taskId: string, now: Date): Promise<void> {
  const task = await beginPictureTask(taskId, now);
  if (!task) return;
  const { presentationId, version, attempts, sent } = task;
  if (attempts > MAX_PICTURE_ATTEMPTS) {
    logWarning('The picture of a version was not made.', 'Every attempt failed.', { presentationId, version });
    return store(task, { picture: null, slides: undefined }, now);
  }
  const [deck, served, before, known] = await read(
    presentationRef(presentationId),
    versionRef(presentationId, version),
    versionRef(presentationId, version - 1),
    slidePicturesRef(presentationId, version),
  );
  if (!deck || !served) return endPictureTask(task);
  const slides = sent && deck.slidePictures ? await madeSlides(presentationId, version, sent) : undefined;
  const cover = (slides ?? known?.slides)?.[0];
  await store(task, { picture: await madePictureOf(presentationId, { served, before, cover }), slides }, now);
}

/** Stores what was made, and deletes the objects that nothing names any more. */
async function store(task: PictureTask, made: Parameters<typeof setMadePictures>[1], now: Date): Promise<void> {
  const changed = await setMadePictures(task, made);
  const { presentationId, sent } = task;
  if (sent) await removeSentPictures(presentationId, sent.sentId);
  if (changed) await removeFormerPictures(presentationId, changed, now);
  // The owner may have given up the pictures of the deck while they were made.
  const before = new Date();
  const hasDrawn = made.slides !== undefined || made.picture?.place === 'covers';
  const [deck] = hasDrawn ? await read(presentationRef(presentationId)) : [];
  if (deck?.slidePictures === false) await removeAllPictures(presentationId, before);
}

/** What the picture of a version is made of. */
interface Sources {
  served: Version;
  before: Version | undefined;
  /** The picture of the first slide. */
  cover: SlidePicture | undefined;
}

async function madePictureOf(presentationId: string, { served, before, cover }: Sources): Promise<MadePicture | null> {
  const given = await findGivenPicture(presentationId, served);
  const file = given ?? (cover && fileOfSlide(cover));
  if (!file) return null;
  const place = given ? 'blobs' : 'covers';
  const title = given ? null : cover!.title;
  const isOfIt = (picture: Version['picture']) => picture?.source === file.sha256 && picture.place === place;
  const known = [served.picture, before?.picture].find(isOfIt);
  if (known) return { ...known, title };
  const from = given ? 'blobs' : 'slides';
  const bytes = await readWhole({ context: currentContext()!, presentationId, file, place: from });
  const made = isShowable(bytes) ? await redraw(bytes, CARD) : undefined;
  if (!made) return null;
  const { contentType, width, height } = made;
  const stored = await storeMade(presentationId, made, place);
  return { source: file.sha256, place, ...stored, contentType, pixels: { width, height }, title };
}

/** Stores a made picture under the hash of its bytes. */
async function storeMade(presentationId: string, { bytes, contentType }: MadeBytes, place: Place) {
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const size = bytes.length;
  await storeBlob(presentationId, { sha256, sizeBytes: size, contentType, open: () => bytes }, place);
  return { sha256, size };
}

interface MadeBytes {
  bytes: Buffer;
  contentType: string;
}

/**
 * Makes the pictures of slides that were sent. One that cannot be decoded is left out, and the log says so. A slide
 * that looks as in the version before keeps its picture, although a few of its pixels may differ. Undefined when the
 * pictures that were sent do not exist any more.
 */
async function madeSlides(presentationId: string, version: number, { sentId, slides }: SentPictures) {
  const sizes = slides.map(({ sizeBytes }) => sizeBytes);
  const pictures = await readSentPictures(presentationId, sentId, sizes);
  if (!pictures) return undefined;
  const before = new Map((await slidesBefore(presentationId, version)).map((slide) => [slide.key, slide]));
  const made: SlidePicture[] = [];
  for (const [index, { key, title }] of slides.entries()) {
    const drawn = isSlidePicture(pictures[index]!) ? await redraw(pictures[index]!, SLIDE) : undefined;
    if (!drawn) {
      logWarning('The picture of a slide was refused.', 'It cannot be decoded.', { presentationId, version, index });
      continue;
    }
    const { width, height } = drawn;
    const known = before.get(key);
    const isKnown = known?.width === width && known.height === height && (await isDrawn(presentationId, known, drawn));
    const { sha256, size } = isKnown ? known : await storeMade(presentationId, drawn, 'slides');
    made.push({ key, title, index, sha256, size, width, height });
  }
  return made;
}

/** Whether the stored picture of a slide looks like a new one. False when its object is missing. */
async function isDrawn(presentationId: string, slide: SlidePicture, { bytes }: MadeBytes): Promise<boolean> {
  const source = { context: currentContext()!, presentationId, file: fileOfSlide(slide), place: 'slides' } as const;
  const before = await readWhole(source).catch((error: unknown) => {
    if (error instanceof ServiceError && error.code === 'not-found') return undefined;
    throw error;
  });
  return before !== undefined && looksSame(before, bytes);
}
