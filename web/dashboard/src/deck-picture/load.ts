import { service } from '../service';
import { onceForEach } from './once-for-each';

/** The picture of a version, which the service has made. */
export interface PictureFile {
  sha256: string;
  contentType: string;
  size: number;
}

/** Loads a picture of a version. Answers its address in this tab. */
export const loadPicture = onceForEach(
  (_presentationId: string, _version: number, { sha256 }: PictureFile) => sha256,
  async (presentationId, version, { sha256, contentType, size }) => {
    const file = { presentationId, version: String(version), sha256 };
    const bytes = (await service().getBytes(file, { from: 0, to: size - 1 })) as Uint8Array<ArrayBuffer>;
    return URL.createObjectURL(new Blob([bytes], { type: contentType }));
  },
);

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
