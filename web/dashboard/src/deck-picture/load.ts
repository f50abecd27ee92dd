import { service } from '../service';
import { onceForEach } from './once-for-each';

/** A picture among the files of a version. */
export interface PictureFile {
  sha256: string;
  contentType: string;
  size: number;
}

/** Loads a picture of a version. Answers its address in this tab. */
export const loadPicture = onceForEach(
  (_presentationId: string, _version: number, { sha256 }: PictureFile) => sha256,
  async (presentationId, version, { sha256, contentType, size }) => {
    const parts = await readFile(presentationId, version, { sha256, size });
    // Another member of the deck may have pushed a small file with more pixels than the browser has memory for.
    const { isShowable } = await import('../../../../functions/src/values/picture-size');
    if (!isShowable(await bytesOf(parts))) throw new Error('The picture has too many pixels.');
    return URL.createObjectURL(new Blob(parts, { type: contentType }));
  },
);

const bytesOf = async (parts: BlobPart[]) => new Uint8Array(await new Blob(parts).arrayBuffer());

/** The bytes of a file of a version, in parts. */
export async function readFile(
  presentationId: string,
  version: number,
  { sha256, size }: Omit<PictureFile, 'contentType'>,
) {
  const file = { presentationId, version: String(version), sha256 };
  const parts: Uint8Array<ArrayBuffer>[] = [];
  for (let from = 0; from < size; from += parts.at(-1)!.length) {
    parts.push((await service().getBytes(file, { from, to: size - 1 })) as Uint8Array<ArrayBuffer>);
  }
  return parts;
}
