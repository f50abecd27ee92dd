import { useEffect, useState } from 'preact/hooks';
import { service } from '../service';
import { loadPicture, type PictureFile } from './load';
import { onceForEach } from './once-for-each';

/** The picture that a listing of a version has. Null until it is loaded, and for a version without one. */
export function useListedPicture(presentationId: string, version: number): { url: string } | null {
  const [found, setFound] = useState<{ of: number; url: string }>();
  useEffect(() => {
    let isGone = false;
    const load = async () => {
      const url = await loadPicture(presentationId, version, await knownPicture(presentationId, version));
      if (!isGone) setFound({ of: version, url });
    };
    // The drawing stays when the picture is not found.
    load().catch(() => undefined);
    return () => {
      isGone = true;
    };
  }, [presentationId, version]);
  return found?.of === version ? found : null;
}

/** The card is drawn anew after each change of the listing. A picture that is not made yet is asked for again. */
const knownPicture = onceForEach(
  (presentationId: string, version: number) => `${presentationId}/${version}`,
  async (presentationId, version): Promise<PictureFile> => {
    const { versions } = await service().get('listPresentationVersions', { presentationId });
    const picture = versions.find((each) => each.version === version)?.picture;
    if (!picture) throw new Error('The version has no picture.');
    return picture;
  },
);
