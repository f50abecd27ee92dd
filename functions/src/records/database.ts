import { initializeApp } from 'firebase-admin/app';
import {
  getFirestore,
  type DocumentReference,
  type Firestore,
  type Query,
  type QueryDocumentSnapshot,
  type Transaction,
  type WriteBatch,
} from 'firebase-admin/firestore';
import { countUsage } from './usage';

let database: Firestore | undefined;

/** The Firestore of the project, connected at the first request. */
export function db(): Firestore {
  if (!database) {
    database = countUsage(getFirestore(initializeApp()));
    database.settings({ ignoreUndefinedProperties: true });
  }
  return database;
}

/** A document to read, or undefined where there is none to ask for. */
type MaybeRef = DocumentReference<never> | DocumentReference<unknown> | undefined;

type Records<R extends readonly unknown[]> = {
  [K in keyof R]: R[K] extends DocumentReference<infer T> | undefined ? T | undefined : never;
};

/** The reference for an id, or undefined where there is no id. */
export function refIf<T>(
  refOf: (id: string) => DocumentReference<T>,
  id: string | null | undefined,
): DocumentReference<T> | undefined {
  return id === null || id === undefined ? undefined : refOf(id);
}

/** Reads documents of any kinds in one round trip. The record of a missing document, and of an undefined reference, is undefined. */
export function read<const R extends readonly MaybeRef[]>(...refs: R): Promise<Records<R>> {
  return readAll(db(), refs);
}

/** Reads as `read` does, in a transaction where there is one. */
export function readIn<const R extends readonly MaybeRef[]>(
  tx: Transaction | undefined,
  ...refs: R
): Promise<Records<R>> {
  return readAll(tx ?? db(), refs);
}

async function readAll<const R extends readonly MaybeRef[]>(
  reader: Pick<Firestore, 'getAll'> | Pick<Transaction, 'getAll'>,
  refs: R,
): Promise<Records<R>> {
  const asked = refs.filter((ref) => ref !== undefined) as DocumentReference[];
  const found = asked.length > 0 ? await (reader as Firestore).getAll(...asked) : [];
  const records = found[Symbol.iterator]();
  return refs.map((ref) => ref && records.next().value?.data()) as Records<R>;
}

/** Every document that a query finds, a page at a time: those that were dealt with may be gone when the next page is asked for. */
export async function* documentsOf<T>(query: Query<T>, pageSize = 100): AsyncGenerator<QueryDocumentSnapshot<T>> {
  for (let rest = query.limit(pageSize); ;) {
    const { docs } = await rest.get();
    yield* docs;
    if (docs.length < pageSize) return;
    rest = query.limit(pageSize).startAfter(docs.at(-1));
  }
}

/** The first `limit` records that a query finds, and the last of them when there are more. Reads a document more than it answers. */
export async function pageOf<T>(query: Query<T>, limit: number): Promise<{ records: T[]; last: T | undefined }> {
  const found = (await query.limit(limit + 1).get()).docs.map((document) => document.data());
  const records = found.slice(0, limit);
  return { records, last: found.length > limit ? records.at(-1) : undefined };
}

export type { Transaction };

const hasCode = (code: number) => (error: unknown) => (error as { code?: unknown } | null)?.code === code;
/** Whether a `create` found its document there already (gRPC ALREADY_EXISTS). */
export const isAlreadyExists = hasCode(6);
/** Whether a write that needs its document did not find it (gRPC NOT_FOUND). */
export const isNotFound = hasCode(5);

/** Commits all of the writes or, when the database refuses one of them for that reason, none. */
export async function commitUnless(isRefusal: (error: unknown) => boolean, batch: WriteBatch): Promise<void> {
  await batch.commit().catch((error: unknown) => {
    if (!isRefusal(error)) throw error;
  });
}
