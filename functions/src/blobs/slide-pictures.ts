import { newId } from '../values/ids';
import { DAY_MS } from '../values/units';
import { bucket, objectPaths, storageCall } from './bucket';
import { createObject } from './object-upload';
import { readSpan } from './reading';
import { deleteObjects } from './removal';

/**
 * The pictures of the slides of a version, as a client sent them. They wait in one object, one after the other, which
 * only the job that decodes them reads.
 */

interface SentPicture {
  sizeBytes: number;
  open: () => Buffer | AsyncIterable<Buffer>;
}

const sentObject = (presentationId: string, sentId: string) =>
  `${objectPaths.place(presentationId, 'sent-slides')}${sentId}`;

/** Stores the pictures, and returns the id of their object. Nothing else ever writes to this object. */
export async function storeSentPictures(presentationId: string, pictures: readonly SentPicture[]): Promise<string> {
  const sizeBytes = pictures.reduce((sum, picture) => sum + picture.sizeBytes, 0);
  // An attempt whose answer was lost may have created its object. The job removes it with others that nothing names.
  return storageCall(async (attempt) => {
    const sentId = newId();
    const name = sentObject(presentationId, sentId);
    const contentType = 'application/octet-stream';
    await createObject({ name, contentType, sizeBytes, open: () => joined(pictures) }, attempt);
    return sentId;
  });
}

async function* joined(pictures: readonly SentPicture[]): AsyncGenerator<Buffer> {
  for (const { open } of pictures) {
    const bytes = open();
    if (Buffer.isBuffer(bytes)) yield bytes;
    else yield* bytes;
  }
}

/** The bytes of sent pictures of these sizes, in their order. Undefined when the object does not exist any more. */
export async function readSentPictures(
  presentationId: string,
  sentId: string,
  sizes: readonly number[],
): Promise<Buffer[] | undefined> {
  const end = sizes.reduce((sum, size) => sum + size, 0) - 1;
  const whole = await readSpan({ name: sentObject(presentationId, sentId), start: 0, end, isWhole: true });
  let at = 0;
  return whole && sizes.map((size) => whole.subarray(at, (at += size)));
}

export async function removeSentPictures(presentationId: string, sentId: string): Promise<void> {
  const object = (await bucket()).file(sentObject(presentationId, sentId));
  await storageCall(() => object.delete({ ignoreNotFound: true }));
}

/** Sent pictures wait at most for the last attempt of the job, which begins two days after the first. */
const LONGEST_WAIT_MS = 3 * DAY_MS;
/** A run that stored a picture has ended after this time, with or without a record that names the picture. */
const LONGEST_RUN_MS = 3600_000;

/**
 * Deletes the pictures of slides that no record names: `dropped`, and those of calls and runs that were cut off before
 * they wrote their record.
 */
export async function removeFormerPictures(
  presentationId: string,
  { dropped, kept }: { dropped: ReadonlySet<string>; kept: ReadonlySet<string> },
  now: Date,
): Promise<void> {
  const before = (ms: number) => new Date(now.getTime() - ms);
  await Promise.all([
    deleteObjects(objectPaths.place(presentationId, 'sent-slides'), { createdBefore: before(LONGEST_WAIT_MS) }),
    deleteObjects(objectPaths.place(presentationId, 'slides'), {
      isDue: (name, createdAt) => dropped.has(name) || (!kept.has(name) && createdAt < before(LONGEST_RUN_MS)),
    }),
  ]);
}

/** Removes the pictures that were drawn of a deck, but those that are created from `createdBefore` on. */
export async function removeAllPictures(presentationId: string, createdBefore: Date): Promise<void> {
  const places = ['sent-slides', 'slides', 'covers'] as const;
  await Promise.all(places.map((place) => deleteObjects(objectPaths.place(presentationId, place), { createdBefore })));
}
