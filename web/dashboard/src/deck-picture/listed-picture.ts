import { useEffect, useState } from 'preact/hooks';
import { service } from '../service';
import { loadPicture, type PictureFile } from './load';
import { onceForEach } from './once-for-each';

/** The picture that a listing of a version has. Null until it is loaded, and for a version without one. */
export function useListedPicture(presentationId: string, version: number): { url: string; size: number } | null {
  const [found, setFound] = useState<{ of: number; url: string; size: number }>();
  useEffect(() => {
    let isGone = false;
    const load = async () => {
      const picture = await knownPicture(presentationId, version);
      if (!picture) return;
      const url = await loadPicture(presentationId, version, picture);
      if (!isGone) setFound({ of: version, url, size: picture.size });
    };
    // The drawing stays when the picture is not found.
    load().catch(() => undefined);
    return () => {
      isGone = true;
    };
  }, [presentationId, version]);
  return found?.of === version ? found : null;
}

/** A version never changes, and the card is drawn anew after each change of the listing. */
const knownPicture = onceForEach(
  (presentationId: string, version: number) => `${presentationId}/${version}`,
  pictureOfVersion,
);

const decoder = new TextDecoder();

/** The file that the marketplace shows as the picture of a version, by the rule of the service. */
async function pictureOfVersion(presentationId: string, version: number): Promise<PictureFile | undefined> {
  // Only this page needs the rule and its parser.
  const [{ hasMetadata, METADATA_BYTES, pictureOf }, { metadataOf }, { pathOfLink }, found] = await Promise.all([
    import('../../../../functions/src/policy/deck-pictures'),
    import('../../../../functions/src/values/html-metadata'),
    import('../../../../functions/src/values/paths'),
    service().get('getPresentationVersion', { presentationId, version: String(version) }),
  ]);
  const files = new Map(found.files.map((file) => [file.path, file]));
  const entry = files.get(found.entryPath);
  if (!entry || !hasMetadata(entry)) return pictureOf(undefined, files);
  const range = { from: 0, to: Math.min(entry.size, METADATA_BYTES) - 1 };
  const bytes = await service().getBytes({ presentationId, version: String(version), sha256: entry.sha256 }, range);
  const link = metadataOf(decoder.decode(bytes)).picture;
  const path = link && pathOfLink(link, found.entryPath);
  return pictureOf(path ? files.get(path) : undefined, files);
}
