import { readBytes } from '../blobs/blocks';
import { currentContext } from '../context';
import type { ManifestFile } from '../policy/manifest';
import { SIZE_BYTES, sizeOfPicture, type Pixels } from '../values/picture-size';

/** The size of a picture in pixels; undefined when its bytes do not tell. Throws when the bucket does not answer. */
export async function pixelsOf(presentationId: string, file: ManifestFile): Promise<Pixels | undefined> {
  const end = Math.min(file.size, SIZE_BYTES) - 1;
  return sizeOfPicture(await readBytes({ context: currentContext()!, presentationId, file }, 0, end));
}
