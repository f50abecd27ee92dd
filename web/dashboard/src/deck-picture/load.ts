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
