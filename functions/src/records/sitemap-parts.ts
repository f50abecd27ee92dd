import type { Query } from 'firebase-admin/firestore';
import { z } from 'zod';
import { filterToken } from '../policy/listings';
import { collection, date, paths } from './collections';
import { read, readIn } from './database';
import { listing } from './listings';
import { sdk } from './sdk';
import { transact } from './transact';

/** The position of a listing among the public listings, which are ordered by the time of their publication. */
const position = z.object({ createdAt: date, slug: z.string() });
export type Position = z.output<typeof position>;

/**
 * Where the parts of the sitemap begin, the first part excepted: it begins with the first listing. A start is never
 * moved, because the time of a publication does not change.
 */
const sitemapParts = z.object({ starts: z.array(position) });
const partsRef = () => collection(paths.sitemapParts, sitemapParts).doc('current');

/** A part begins when the part before it has this many public listings. */
export const PART_SIZE = 500;
/** A part may get more: listings that were unlisted become public again. */
const MAX_PART_SIZE = 2 * PART_SIZE;
/** A request adds at most this many parts. The next one adds more. */
const MAX_ADDED = 5;

/** The public listings from `start` on, the earliest first. */
function publicFrom(start: Position | undefined): Query {
  const query = collection(paths.listings, listing)
    .query()
    .where('filters', 'array-contains', filterToken({}))
    .orderBy('createdAt')
    .orderBy(sdk().FieldPath.documentId()) as Query;
  return start ? query.startAt(start.createdAt, start.slug) : query;
}

/** The starts of all parts but the first. One read. */
export async function readSitemapParts(): Promise<Position[]> {
  const [found] = await read(partsRef());
  return found?.starts ?? [];
}

/**
 * Adds the parts that the newest listings need, and returns the starts. A count of one read when they need none; a new
 * part costs `PART_SIZE` reads once. Idempotent: of two calls at the same time, one adds the part.
 */
export async function extendSitemapParts(starts: readonly Position[]): Promise<Position[]> {
  const known = [...starts];
  while (known.length < starts.length + MAX_ADDED) {
    const last = publicFrom(known.at(-1));
    const { count } = (await last.limit(PART_SIZE + 1).count().get()).data();
    if (count <= PART_SIZE) break;
    const [first] = (await last.offset(PART_SIZE).limit(1).select('createdAt').get()).docs;
    if (!first) break;
    known.push({ createdAt: date.parse(first.get('createdAt')), slug: first.id });
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

const listedAddress = listing.pick({ slug: true, updatedAt: true });

/** The listings of a part, whose number begins with 0. At most `MAX_PART_SIZE` + 1 reads. */
export async function listingsOfPart(starts: readonly Position[], part: number) {
  const [start, end] = [starts[part - 1], starts[part]];
  const whole = publicFrom(start);
  const query = end ? whole.endBefore(end.createdAt, end.slug) : whole;
  const found = await query.select(...Object.keys(listedAddress.shape)).limit(MAX_PART_SIZE).get();
  return found.docs.map((document) => listedAddress.parse(document.data()));
}
