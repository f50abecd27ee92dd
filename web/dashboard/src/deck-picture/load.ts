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

async function readPicture(presentationId: string, version: number | undefined, { sha256, size }: PictureFile) {
  const file = fileOf(presentationId, version, sha256);
  return (await service().getBytes(file, { from: 0, to: size - 1 })) as Uint8Array<ArrayBuffer>;
}

const addressOf = (bytes: Uint8Array<ArrayBuffer>, { contentType }: PictureFile) =>
  URL.createObjectURL(new Blob([bytes], { type: contentType }));

/** Loads a picture of a version. Answers its address in this tab. */
export const loadPicture = onceForEach(
  (_presentationId: string, _version: number, { sha256 }: PictureFile) => sha256,
  async (presentationId, version, file) => addressOf(await readPicture(presentationId, version, file), file),
);

/** Loads a picture of the source of a remix. Null for one of which a browser could not hold the pixels. */
export const loadSourcePicture = onceForEach(
  (_presentationId: string, { sha256 }: PictureFile) => sha256,
  async (presentationId, file) => {
    const bytes = await readPicture(presentationId, undefined, file);
    const { isShowable } = await import('../../../../functions/src/values/picture-size');
    return isShowable(bytes) ? addressOf(bytes, file) : null;
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
