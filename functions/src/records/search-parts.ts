import { randomUUID } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { z } from 'zod';
import type { SearchEntry } from '../policy/search-entries';
import { anyFields, collection, paths } from './collections';
import { readFields, readIn, type Transaction } from './database';

/**
 * A part of the search: the entries of some listings, deflated. Parts are numbered from 0. A listing is in one part at
 * most, which its `searchPart` names. New listings come into the last part.
 */
const searchPart = z.object({ entries: z.instanceof(Uint8Array).transform(unpack) });
const partRef = (part: number) => collection(paths.searchParts, searchPart).doc(String(part));

/** The version of each part, by its number. A transaction that stores a part gives it a version that it never had. */
const partVersions = z.object({ versions: z.array(z.string()) });
const versionsRef = () => collection(paths.searchParts, partVersions).doc('versions');

const entry = z.tuple([z.string(), z.int(), z.int(), z.int(), z.int(), z.string(), z.string()]);

/** The stored bytes of entries. */
export function pack(entries: readonly SearchEntry[]): Uint8Array {
  const rows = entries.map(
    ({ slug, createdAt, stars, remixerCount, weekRemixerCount, facets, words }): z.output<typeof entry> => [
      ...([slug, createdAt, stars, remixerCount, weekRemixerCount, facets, words] as const),
    ],
  );
  return deflateRawSync(JSON.stringify(rows));
}

function unpack(bytes: Uint8Array): SearchEntry[] {
  const rows = z.array(entry).parse(JSON.parse(inflateRawSync(bytes).toString()));
  return rows.map(([slug, createdAt, stars, remixerCount, weekRemixerCount, facets, words]) => ({
    slug,
    createdAt,
    stars,
    remixerCount,
    weekRemixerCount,
    facets,
    words,
  }));
}

/** The entries of a part, at most. */
export const PART_SIZE = 2500;
/** A document of Firestore has at most 1 MiB. */
const MAX_PART_BYTES = 900_000;

/** The version of each part, in a transaction when there is one. One read. */
export async function readPartVersions(tx?: Transaction): Promise<readonly string[]> {
  const [found] = await readIn(tx, versionsRef());
  return found?.versions ?? [];
}

/** The entries of each of these parts. One read of each, in one round trip. */
export async function readParts(parts: readonly number[]): Promise<SearchEntry[][]> {
  const found = await readFields(parts.map(partRef));
  return found.map((part) => part?.entries ?? []);
}

/** The entries of a part, in a transaction that is about to store it. One read. */
export async function readPart(tx: Transaction, part: number): Promise<SearchEntry[]> {
  const [found] = await tx.read([partRef(part)]);
  return found?.entries ?? [];
}

/**
 * Stores the entries of a part, unless they do not fit into a document. `versions` is what the transaction has read.
 * Returns whether it did.
 */
export function storePart(
  tx: Transaction,
  versions: readonly string[],
  part: number,
  entries: readonly SearchEntry[],
): boolean {
  const packed = pack(entries);
  if (packed.length > MAX_PART_BYTES) return false;
  tx.set(anyFields(partRef(part)), { entries: packed });
  const changed = [...versions];
  changed[part] = randomUUID();
  tx.set(versionsRef(), { versions: changed });
  return true;
}
