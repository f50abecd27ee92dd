import { service } from '../service';

/** A picture among the files of a version. */
export interface PictureFile {
  sha256: string;
  contentType: string;
  size: number;
}

/** Addresses of the pictures that this tab has loaded, by their hashes. They live as long as the tab. */
const loaded = new Map<string, Promise<string>>();

/** Loads a picture of a version. Answers its address in this tab. */
export function loadPicture(presentationId: string, version: number, picture: PictureFile): Promise<string> {
  const { sha256, contentType, size } = picture;
  const known = loaded.get(sha256);
  if (known) return known;
  const found = readAll({ presentationId, version: String(version), sha256 }, size)
    .then((parts) => URL.createObjectURL(new Blob(parts, { type: contentType })))
    .catch((error: unknown) => {
      loaded.delete(sha256);
      throw error;
    });
  loaded.set(sha256, found);
  return found;
}

async function readAll(file: { presentationId: string; version: string; sha256: string }, size: number) {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  for (let from = 0; from < size; from += parts.at(-1)!.length) {
    parts.push((await service().getBytes(file, { from, to: size - 1 })) as Uint8Array<ArrayBuffer>);
  }
  return parts;
}
