import { setTimeout as pause } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { readBytes } from '../blobs/blocks';
import { config } from '../config';
import { currentContext, type Context } from '../context';
import { logWarning } from '../log';
import { hasMetadata, METADATA_BYTES, pictureOf, thumbnails } from '../policy/deck-pictures';
import type { ManifestFile, ManifestPointer } from '../policy/manifest';
import { findFiles } from '../records/manifests';
import { metadataOf, type HtmlMetadata } from '../values/html-metadata';
import { pathOfLink } from '../values/paths';

/** The metadata of entries by their SHA-256, so it cannot be stale. */
const cache = new LRUCache<string, HtmlMetadata>({ max: 500 });

/**
 * The description of a version for link previews. Undefined when reading it fails or takes longer than
 * `config.previewPatienceMs`: a fault of the bucket must neither fail nor delay the page of a link. One round trip and
 * one read of the bucket, which the instance does not repeat for the same files.
 */
export async function descriptionInTime(
  context: Context,
  presentationId: string,
  served: ManifestPointer,
): Promise<string | undefined> {
  const abort = new AbortController();
  const late = pause(config.previewPatienceMs(), undefined, abort);
  const onFault = (error: unknown) => {
    logWarning('The description of a deck was not read.', error, { presentationId }, context);
    return undefined;
  };
  const description = descriptionOf(context, presentationId, served).catch(onFault);
  try {
    return await Promise.race([description, late]);
  } finally {
    late.catch(() => {});
    abort.abort();
  }
}

async function descriptionOf(context: Context, presentationId: string, served: ManifestPointer) {
  const entry = (await findFiles(context, presentationId, served, [served.entryPath])).get(served.entryPath);
  return entry && (await readMetadata(context, presentationId, entry)).description;
}

/**
 * The file that the author gave as the picture of a version: the `og:image` of its entry when it is a picture of the
 * deck, else the first thumbnail. A picture on another site is not used. Undefined for a version without one. Throws
 * when the bucket does not answer.
 */
export async function findGivenPicture(
  presentationId: string,
  served: ManifestPointer,
): Promise<ManifestFile | undefined> {
  const context = currentContext()!;
  const files = await findFiles(context, presentationId, served, [served.entryPath, ...thumbnails]);
  const entry = files.get(served.entryPath);
  const { picture } = entry ? await readMetadata(context, presentationId, entry) : {};
  const path = picture && pathOfLink(picture, served.entryPath);
  const named = path ? (await findFiles(context, presentationId, served, [path])).get(path) : undefined;
  return pictureOf(named, files);
}

async function readMetadata(context: Context, presentationId: string, file: ManifestFile): Promise<HtmlMetadata> {
  if (!hasMetadata(file)) return {};
  const known = cache.get(file.sha256);
  if (known) return known;
  const bytes = await readBytes({ context, presentationId, file }, 0, Math.min(file.size, METADATA_BYTES) - 1);
  const metadata = metadataOf(new TextDecoder().decode(bytes));
  cache.set(file.sha256, metadata);
  return metadata;
}
