import { z } from 'zod';
import { collection, date, paths } from './collections';
import { read, readIn } from './database';
import { isListed, listing } from './listings';
import { sdk } from './sdk';
import { transact } from './transact';

/** The position of a listing among all listings, which are ordered by the time of their publication. */
const position = z.object({ createdAt: date, slug: z.string() });
type Position = z.output<typeof position>;

/**
 * Where the parts of the sitemap begin, the first part excepted: it begins with the first listing. A start is never
 * moved, because the time of a publication does not change.
 */
const sitemapParts = z.object({ starts: z.array(position) });
const partsRef = () => collection(paths.sitemapParts, sitemapParts).doc('current');

/** A part begins when the part before it has this many listings. Those that are not public are not in the answer. */
export const PART_SIZE = 500;
/** A request adds at most this many parts. The next request adds more. */
const MAX_ADDED = 5;

const mapped = listing.pick({ slug: true, updatedAt: true, status: true, takedown: true, deletedAt: true });

/** All listings from `start` on, the earliest first. The counter shards have no `createdAt`, so they are not found. */
function listingsFrom(start: Position | undefined) {
  const query = collection(paths.listings, mapped).query().orderBy('createdAt').orderBy(sdk().FieldPath.documentId());
  return start ? query.startAt(start.createdAt, start.slug) : query;
}

/** The starts of all parts but the first. One read. */
export async function readSitemapParts(): Promise<Position[]> {
  const [found] = await read(partsRef());
  return found?.starts ?? [];
}

/**
 * Adds the parts that the newest listings need, and returns the starts. A count of one read when they need none; a new
 * part costs `PART_SIZE` + 1 reads once. Idempotent: of calls at the same time, one adds the part.
 */
export async function extendSitemapParts(starts: readonly Position[]): Promise<Position[]> {
  const known = [...starts];
  while (known.length < starts.length + MAX_ADDED) {
    const last = listingsFrom(known.at(-1));
    const counted = await last
      .limit(PART_SIZE + 1)
      .count()
      .get();
    if (counted.data().count <= PART_SIZE) break;
    const next = await last.offset(PART_SIZE).limit(1).select('createdAt').get();
    const [first] = next.docs;
    if (!first) break;
    known.push(position.parse({ createdAt: first.get('createdAt') as unknown, slug: first.id }));
  }
  if (known.length > starts.length) await storeStarts(known);
  return known;
}

function storeStarts(starts: Position[]): Promise<void> {
  return transact(async (tx) => {
    const [found] = await readIn(tx, partsRef());
    if ((found?.starts.length ?? 0) < starts.length) tx.set(partsRef(), { starts });
  });
}

/** The public listings of a part, whose number begins with 0. At most `PART_SIZE` reads. */
export async function listingsOfPart(starts: readonly Position[], part: number) {
  const query = listingsFrom(starts[part - 1])
    .limit(PART_SIZE)
    .select(...Object.keys(mapped.shape)) as FirebaseFirestore.Query<z.output<typeof mapped>>;
  const end = starts[part];
  const found = await (end ? query.endBefore(end.createdAt, end.slug) : query).get();
  const listings = found.docs.map((document) => document.data());
  return listings.filter(isListed);
}
