import { createHash } from 'node:crypto';
import { storeBlob } from '../blobs/blobs';
import { readWhole } from '../blobs/blocks';
import { currentContext } from '../context';
import { logWarning } from '../log';
import { MAX_PICTURE_ATTEMPTS } from '../policy/picture-attempts';
import { redraw } from '../pictures/decode';
import { read } from '../records/database';
import { setMadePicture } from '../records/made-pictures';
import { beginPictureTask, endPictureTask } from '../records/picture-tasks';
import { presentationRef, type MadePicture } from '../records/presentations';
import { versionRef, type Version } from '../records/versions';
import { isShowable } from '../values/picture-size';
import { KB } from '../values/units';
import { findGivenPicture } from './deck-preview';

/** The picture of a card, of the page of a listing and of a link preview. */
const CARD = { width: 1200, height: 675, maxBytes: 200 * KB };

/**
 * Makes the picture of the version of a task, and stores it in the version, in its deck and in its listing. Throws when
 * a backend does not answer: the next attempt is due later. After the last attempt the version has no picture.
 */
export async function makePicture(taskId: string, now: Date): Promise<void> {
  const task = await beginPictureTask(taskId, now);
  if (!task) return;
  const { presentationId, version, attempts } = task;
  if (attempts > MAX_PICTURE_ATTEMPTS) {
    logWarning('The picture of a version was not made.', 'Every attempt failed.', { presentationId, version });
    return setMadePicture(task, null);
  }
  const [deck, served, before] = await read(
    presentationRef(presentationId),
    versionRef(presentationId, version),
    versionRef(presentationId, version - 1),
  );
  if (!deck || !served) return endPictureTask(task);
  await setMadePicture(task, await madePictureOf(presentationId, served, before));
}

async function madePictureOf(
  presentationId: string,
  served: Version,
  before: Version | undefined,
): Promise<MadePicture | null> {
  const given = await findGivenPicture(presentationId, served);
  if (!given) return null;
  if (before?.picture?.source === given.sha256) return before.picture;
  const bytes = await readWhole({ context: currentContext()!, presentationId, file: given });
  const made = isShowable(bytes) ? await redraw(bytes, CARD) : undefined;
  if (!made) return null;
  const { contentType, width, height } = made;
  const sha256 = createHash('sha256').update(made.bytes).digest('hex');
  const size = made.bytes.length;
  await storeBlob(presentationId, { sha256, sizeBytes: size, contentType, open: () => made.bytes });
  return { source: given.sha256, sha256, size, contentType, pixels: { width, height } };
}
