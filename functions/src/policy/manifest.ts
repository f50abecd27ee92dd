import { createHash, hash } from 'node:crypto';
import { isHtml, isPage } from '../values/content-types';
import type { Isolation } from '../values/host-rules';
import { planCaps, type Plan } from './plans';

/** One file of a version; `size` in bytes. */
export interface ManifestFile {
  path: string;
  sha256: string;
  size: number;
  contentType: string;
}

/** Locates the files of a version: any of them can be found with one read. */
export interface ManifestPointer {
  version: number;
  manifestId: string;
  shardCount: number;
  entryPath: string;
  /** How the version asks to be isolated on the origin of its deck; null when it does not. */
  isolation: Isolation | null;
}

/** The pointer without the other fields of the record that extends it. */
export const pointerOf = ({ version, manifestId, shardCount, entryPath, isolation }: ManifestPointer) => ({
  version,
  manifestId,
  shardCount,
  entryPath,
  isolation,
});

export interface Manifest {
  manifestId: string;
  /** Each shard is one document. Firestore limits a document to 1 MiB. */
  shards: ManifestFile[][];
  shardCount: number;
  fileCount: number;
  totalBytes: number;
}

/** The mean size of a shard in bytes of JSON. The hash of a path selects the shard, so single shards differ from it. */
const SHARD_TARGET_BYTES = 128 * 1024;
/** The largest shard in bytes of JSON. */
export const SHARD_MAX_BYTES = 900 * 1024;

/** The order of a file list: by path, in UTF-16 code units. */
export const byPath = (a: ManifestFile, b: ManifestFile) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0);

/**
 * Splits the files of a version into shards by a hash of their paths. The manifest id is a hash of the files, so the
 * same files make the same documents in any order. A retry writes the same documents again, and a restored version
 * shares the manifest of the old version.
 */
export function buildManifest(files: readonly ManifestFile[]): Manifest {
  const sorted = [...files].sort(byPath);
  const canonical = JSON.stringify(sorted.map((file) => [file.path, file.sha256, file.size, file.contentType]));
  let shardCount = Math.max(1, Math.ceil(Buffer.byteLength(canonical) / SHARD_TARGET_BYTES));
  let shards = split(sorted, shardCount);
  while (shards.some((shard) => Buffer.byteLength(JSON.stringify(shard)) > SHARD_MAX_BYTES)) {
    shardCount *= 2;
    shards = split(sorted, shardCount);
  }
  return {
    manifestId: createHash('sha256').update(canonical).digest('hex').slice(0, 40),
    shards,
    shardCount,
    fileCount: sorted.length,
    totalBytes: totalBytesOf(sorted),
  };
}

function split(files: ManifestFile[], shardCount: number): ManifestFile[][] {
  const shards: ManifestFile[][] = Array.from({ length: shardCount }, () => []);
  for (const file of files) shards[shardOf(file.path, shardCount)]!.push(file);
  return shards;
}

/** The number of the shard that holds a path. Stored manifests depend on this function. */
export function shardOf(path: string, shardCount: number): number {
  return shardCount === 1 ? 0 : hash('sha256', path, 'buffer').readUInt32BE(0) % shardCount;
}

/** The sum of the sizes of all files, in bytes. */
export const totalBytesOf = (files: readonly ManifestFile[]): number => files.reduce((sum, { size }) => sum + size, 0);

/** The bytes that the files take in a deck, which stores files with the same hash once. */
export function distinctBytes(files: readonly ManifestFile[]): number {
  return [...new Map(files.map(({ sha256, size }) => [sha256, size])).values()].reduce((sum, size) => sum + size, 0);
}

export interface CapExceeded {
  code: 'too-many-files' | 'payload-too-large';
  details: { limit: number; actual: number; plan: Plan; path?: string };
  /** Another plan does not help: the platform cannot deliver the file. */
  isPlatformLimit?: true;
}

/** The largest size of a file of this path and content type. `maxPageBytes` is the limit of the platform for pages. */
function largestSize(file: ManifestFile, plan: Plan, maxPageBytes: number): { limit: number; isPlatformLimit?: true } {
  const { htmlBytes, assetBytes } = planCaps[plan];
  const limit = isHtml(file) ? Math.min(htmlBytes, assetBytes) : assetBytes;
  return isPage(file.contentType) && maxPageBytes < limit ? { limit: maxPageBytes, isPlatformLimit: true } : { limit };
}

/** The first cap that the files exceed, or undefined: of the plan, or of the platform for pages. Sizes are in bytes. */
export function exceededCap(
  files: readonly ManifestFile[],
  plan: Plan,
  maxPageBytes: number = Infinity,
): CapExceeded | undefined {
  const caps = planCaps[plan];
  if (files.length > caps.filesPerManifest) {
    return { code: 'too-many-files', details: { limit: caps.filesPerManifest, actual: files.length, plan } };
  }
  for (const file of files) {
    const { limit, ...reason } = largestSize(file, plan, maxPageBytes);
    if (file.size > limit) {
      return { code: 'payload-too-large', details: { limit, actual: file.size, plan, path: file.path }, ...reason };
    }
  }
  const totalBytes = totalBytesOf(files);
  if (totalBytes > caps.deckBytes) {
    return { code: 'payload-too-large', details: { limit: caps.deckBytes, actual: totalBytes, plan } };
  }
  return undefined;
}
