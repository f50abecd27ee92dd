import type { Query, QueryDocumentSnapshot, WriteBatch } from 'firebase-admin/firestore';
import { currentContext, type Context, type Trail } from '../context';
import { withinCall } from '../deadlines';
import { writeCursor, type Cursor } from '../values/cursor';
import type { Ref } from './collections';
import { getDocuments } from './firestore/client';
import type { Fields } from './firestore/values';
import { Groups } from './groups';
import { isRefusal } from './refusals';
import { sdk } from './sdk';
import type { Transaction } from './transaction';

/** A document to read, or undefined for no document. */
type MaybeRef = Ref<unknown> | undefined;

type Records<R extends readonly unknown[]> = {
  [K in keyof R]: R[K] extends Ref<infer T> | undefined ? T | undefined : never;
};

/** The reference of an id; undefined without an id. */
export function refIf<T>(refOf: (id: string) => Ref<T>, id: string | null | undefined): Ref<T> | undefined {
  return id === null || id === undefined ? undefined : refOf(id);
}

/**
 * Reads documents of any collections in one round trip. The record of a missing document and of an undefined reference
 * is undefined. Throws when a document does not match its schema. Requests that read at the same time share round
 * trips. Every document is read after this call was made.
 */
export function read<const R extends readonly MaybeRef[]>(...refs: R): Promise<Records<R>> {
  return readFor(currentContext(), ...refs);
}

/** Reads like `read`, for a request that passes its context on. */
export function readFor<const R extends readonly MaybeRef[]>(
  context: Context | undefined,
  ...refs: R
): Promise<Records<R>> {
  return readAll(refs, (given) => readShared(context, given));
}

/** Reads like `read`, in the transaction when there is one. */
export function readIn<const R extends readonly MaybeRef[]>(
  tx: Transaction | undefined,
  ...refs: R
): Promise<Records<R>> {
  return tx ? readAll(refs, (given) => tx.read(given)) : read(...refs);
}

async function readAll<const R extends readonly MaybeRef[]>(
  refs: R,
  get: (refs: readonly Ref<unknown>[]) => Promise<unknown[]>,
): Promise<Records<R>> {
  const given = refs.filter((ref) => ref !== undefined);
  const found = given.length > 0 ? await get(given) : [];
  const records = found[Symbol.iterator]();
  return refs.map((ref) => ref && records.next().value) as Records<R>;
}

/** What one request reads. */
interface Reading {
  paths: readonly string[];
  trail: Trail | undefined;
}

type Found = Fields | undefined;

/** A read of more documents is a call of its own: others would wait for its bytes. */
const MAX_SHARED_REFS = 100;

const readings = new Groups<Reading, Found[]>({
  call: readTogether,
  maxSize: 5 * MAX_SHARED_REFS,
  sizeOf: ({ paths }) => paths.length,
  splitsAfter: isRefusal,
});

/** The shared read that ends last, while one runs and is not slow. */
export const lastSharedRead = (): Promise<unknown> | undefined => readings.last;

/** Each request parses the documents for itself, so that no two requests share a record. */
async function readShared(context: Context | undefined, refs: readonly Ref<unknown>[]): Promise<unknown[]> {
  if (refs.length > MAX_SHARED_REFS) return readFields(refs);
  const reading = { paths: refs.map(({ path }) => path), trail: context?.trail };
  return parsed(refs, await withinCall('Firestore', () => readings.join(reading), context));
}

const parsed = <T>(refs: readonly Ref<T>[], found: readonly Found[]): (T | undefined)[] =>
  refs.map((ref, i) => found[i] && ref.parse(found[i]));

/** Reads documents in one call of its own; with `mask` only those fields of them. */
export async function readFields<T>(refs: readonly Ref<T>[], mask?: readonly string[]): Promise<(T | undefined)[]> {
  if (refs.length === 0) return [];
  const paths = refs.map(({ path }) => path);
  const found = await getDocuments(paths, { mask });
  const trail = currentContext()?.trail;
  if (trail) trail.databaseReads += found.size;
  return parsed(
    refs,
    paths.map((path) => found.get(path)),
  );
}

/** Reads for several requests. A document that several of them ask for is read once, and billed to the first. */
async function readTogether(group: readonly Reading[], context: Context): Promise<Found[][]> {
  const found = await getDocuments(
    group.flatMap(({ paths }) => paths),
    { context },
  );
  const billed = new Set<string>();
  return group.map(({ paths, trail }) => {
    const before = billed.size;
    for (const path of paths) billed.add(path);
    if (trail) trail.databaseReads += billed.size - before;
    return paths.map((path) => found.get(path));
  });
}

/** Every document that a query finds, read in pages. The caller may delete documents that it has received. */
export async function* documentsOf<T>(query: Query<T>, pageSize = 100): AsyncGenerator<QueryDocumentSnapshot<T>> {
  for await (const page of pagesOf(query, pageSize)) yield* page;
}

/** The ids of those documents, whether they match their schema or not. */
export async function* idsOf(query: Query): AsyncGenerator<{ id: string }> {
  for await (const { id } of documentsOf(query)) yield { id };
}

/** Like `documentsOf`, one page at a time. A page is read when the caller has finished with the page before it. */
export async function* pagesOf<T>(query: Query<T>, pageSize = 100): AsyncGenerator<QueryDocumentSnapshot<T>[]> {
  for (let rest = query.limit(pageSize); ;) {
    const { docs } = await rest.get();
    yield docs;
    if (docs.length < pageSize) return;
    rest = query.limit(pageSize).startAfter(docs.at(-1));
  }
}

/**
 * The first `limit` records that a query finds. `last` is the last of them when more follow. Reads at most `limit` + 1
 * documents.
 */
export async function pageOf<T>(query: Query<T>, limit: number): Promise<{ records: T[]; last: T | undefined }> {
  const found = (await query.limit(limit + 1).get()).docs.map((document) => document.data());
  const records = found.slice(0, limit);
  return { records, last: found.length > limit ? records.at(-1) : undefined };
}

/**
 * A page of the records of a query, the newest by `field` first, and the cursor of the next page; null on the last
 * page. One query. A cursor names the record by the id of its document.
 */
export async function newestPage<T>(
  query: Query<T>,
  field: keyof T & string,
  limit: number,
  after: Cursor | undefined,
): Promise<{ records: T[]; next: string | null }> {
  const newest = query.orderBy(field, 'desc').orderBy(sdk().FieldPath.documentId(), 'desc');
  const { docs } = await (after ? newest.startAfter(after.time, after.id) : newest).limit(limit + 1).get();
  const page = docs.slice(0, limit);
  const last = docs.length > limit ? page.at(-1)! : undefined;
  return {
    records: page.map((document) => document.data()),
    next: last ? writeCursor({ time: last.data()[field] as Date, id: last.id }) : null,
  };
}

export type { Transaction };

/**
 * Commits all writes of the batch. When the database refuses them with an error that `isExpected` accepts, it commits
 * none and returns false.
 */
export async function commitUnless(isExpected: (error: unknown) => boolean, batch: WriteBatch): Promise<boolean> {
  try {
    await batch.commit();
    return true;
  } catch (error) {
    if (isExpected(error)) return false;
    throw error;
  }
}
