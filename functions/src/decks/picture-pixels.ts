import { readWhole } from '../blobs/blocks';
import { currentContext } from '../context';
import type { ManifestFile } from '../policy/manifest';
import { isShowable, sizeOfPicture, type Pixels } from '../values/picture-size';

/**
 * The size of a picture in pixels. Undefined when pages must not show the picture: its bytes do not tell its size, or a
 * browser would take too much memory for it. Throws when the bucket does not answer.
 */
export async function shownPixelsOf(presentationId: string, file: ManifestFile): Promise<Pixels | undefined> {
  const bytes = await readWhole({ context: currentContext()!, presentationId, file });
  return isShowable(bytes) ? sizeOfPicture(bytes) : undefined;
}
