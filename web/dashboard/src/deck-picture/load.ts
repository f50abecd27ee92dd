import { service } from '../service';
import { onceForEach } from './once-for-each';

/** The picture of a version, which the service has made. */
export interface PictureFile {
  sha256: string;
  contentType: string;
  size: number;
}

/** A file of a version; without one, a file that the deck needs to merge with the source of a remix. */
const fileOf = (presentationId: string, version: number | undefined, sha256: string) => ({
  presentationId,
  ...(version !== undefined && { version: String(version) }),
  sha256,
});

/** Loads a picture of a version. Answers its address in this tab. */
export const loadPicture = onceForEach(
  (_presentationId: string, _version: number | undefined, { sha256 }: PictureFile) => sha256,
  async (presentationId, version, { sha256, contentType, size }) => {
    const file = fileOf(presentationId, version, sha256);
    const bytes = (await service().getBytes(file, { from: 0, to: size - 1 })) as Uint8Array<ArrayBuffer>;
    return URL.createObjectURL(new Blob([bytes], { type: contentType }));
  },
);

/** The bytes of a file of a version, in parts. */
export async function readFile(
  presentationId: string,
  version: number | undefined,
  { sha256, size }: Omit<PictureFile, 'contentType'>,
) {
  const file = fileOf(presentationId, version, sha256);
  const parts: Uint8Array<ArrayBuffer>[] = [];
  for (let from = 0; from < size; from += parts.at(-1)!.length) {
    parts.push((await service().getBytes(file, { from, to: size - 1 })) as Uint8Array<ArrayBuffer>);
  }
  return parts;
}
