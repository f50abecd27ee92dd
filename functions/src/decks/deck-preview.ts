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

/** What a link preview shows of a deck besides its title. */
export interface DeckPreview {
  description?: string | undefined;
  picture?: ManifestFile | undefined;
}

/** The metadata of entries by their SHA-256, so it cannot be stale. */
const cache = new LRUCache<string, HtmlMetadata>({ max: 500 });

/**
 * The preview of a version. It is empty when it fails or takes longer than `config.previewPatienceMs`: a fault of the
 * bucket must neither fail nor delay the page of a link.
 */
export async function previewInTime(
  context: Context,
  presentationId: string,
  served: ManifestPointer,
): Promise<DeckPreview> {
  const abort = new AbortController();
  const late = pause(config.previewPatienceMs(), {}, abort);
  const onFault = (error: unknown) => {
    logWarning('The preview of a deck was not read.', error, { presentationId }, context);
    return {};
  };
  const preview = previewOf(context, presentationId, served).catch(onFault);
  try {
    return await Promise.race([preview, late]);
  } finally {
    late.catch(() => {});
    abort.abort();
  }
}

/**
 * Finds the description of a version and its picture: the `og:image` of its entry when it is a picture of the deck,
 * else the first thumbnail. A picture on another site is not used. One round trip and one read of the bucket, which the
 * instance does not repeat for the same files. One more round trip for an `og:image` in another shard.
 */
export async function previewOf(
  context: Context,
  presentationId: string,
  served: ManifestPointer,
): Promise<DeckPreview> {
  const files = await findFiles(context, presentationId, served, [served.entryPath, ...thumbnails]);
  const entry = files.get(served.entryPath);
  const { description, picture } = entry ? await readMetadata(context, presentationId, entry) : {};
  const path = picture && pathOfLink(picture, served.entryPath);
  const named = path ? (await findFiles(context, presentationId, served, [path])).get(path) : undefined;
  return { description, picture: pictureOf(named, files, config.maxResponseBytes()) };
}

/** The picture of a version; undefined for a version without one. Throws when the bucket does not answer. */
export async function findPicture(presentationId: string, served: ManifestPointer): Promise<ManifestFile | undefined> {
  return (await previewOf(currentContext()!, presentationId, served)).picture;
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
