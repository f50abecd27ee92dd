import { entryOf, withAuthorOf, type SearchEntry } from '../policy/search-entries';
import { isListed, listUnindexed } from '../records/listings';
import { readParts, readPartVersions } from '../records/search-parts';

/** What this instance has in memory of a part. */
interface Part {
  entries: readonly SearchEntry[];
  /** The distinct words of the part. Made by the first search that needs them. */
  words?: ReadonlySet<string>;
}

/** The listings of the search. */
interface SearchIndex {
  entries: () => Iterable<SearchEntry>;
  vocabulary: () => Iterable<string>;
}

/** The changed parts that a search reads, at most. */
const MAX_PARTS = 50;
/** The listings whose last change is in no part yet that a search reads, at most. */
const MAX_CHANGED = 40;

/** By the number of the part. Searches at the same time share a reading. */
const kept = new Map<number, { version: string; part: Promise<Part> }>();

/**
 * The listings of the search as they are now: the parts, of which the instance reads those that changed since its last
 * search, and the listings that changed since the last run of `foldMarketplaceCounters`. These are read before the
 * versions of the parts: a listing that is in a part by then was not missed before. Undefined when there are more
 * changed parts than a call reads: the next call reads the others.
 */
export async function readIndex(): Promise<SearchIndex | undefined> {
  const changed = await listUnindexed(MAX_CHANGED);
  const parts = await presentParts();
  if (!parts) return undefined;
  const replaced = new Map(changed.map((listing) => [listing.slug, isListed(listing) ? entryOf(listing, []) : null]));
  return {
    *entries() {
      const rest = new Map(replaced);
      for (const { entries } of parts) {
        for (const entry of entries) {
          const other = rest.get(entry.slug);
          if (other === undefined) yield entry;
          else if (other) yield withAuthorOf(other, entry);
          rest.delete(entry.slug);
        }
      }
      for (const entry of rest.values()) if (entry) yield entry;
    },
    *vocabulary() {
      for (const part of parts) yield* (part.words ??= wordsOf(part.entries));
      for (const entry of replaced.values()) if (entry) yield* wordsOf([entry]);
    },
  };
}

/** All parts as they are now; undefined when more have changed than a call reads. */
async function presentParts(): Promise<Part[] | undefined> {
  const versions = await readPartVersions();
  const stale = [...versions.keys()].filter((part) => kept.get(part)?.version !== versions[part]);
  const read = stale.slice(0, MAX_PARTS);
  const found = read.length > 0 ? readParts(read) : undefined;
  for (const [i, part] of read.entries()) {
    const reading = { version: versions[part]!, part: found!.then((all) => ({ entries: all[i]! })) };
    kept.set(part, reading);
    reading.part.catch(() => kept.get(part) === reading && kept.delete(part));
  }
  const parts = await Promise.all(versions.flatMap((_, part) => kept.get(part)?.part ?? []));
  return read.length < stale.length ? undefined : parts;
}

const wordsOf = (entries: readonly SearchEntry[]) => new Set(entries.flatMap(({ words }) => words.split(/\s+/)));
