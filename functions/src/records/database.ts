import { initializeApp } from 'firebase-admin/app';
import type {
  DocumentReference,
  Firestore,
  Query,
  QueryDocumentSnapshot,
  Transaction,
  WriteBatch,
} from 'firebase-admin/firestore';
import { getFirestore } from 'firebase-admin/firestore';
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

/** Something that reads: the database itself, or a transaction. */
export type Reader = Pick<Transaction, 'getAll'> | Pick<Firestore, 'getAll'>;

type Records<R extends readonly DocumentReference<unknown>[]> = {
  [K in keyof R]: R[K] extends DocumentReference<infer T> ? T | undefined : never;
};

/** Reads documents of any kinds in one round trip; a missing one is undefined. */
export async function read<const R extends readonly DocumentReference<never>[] | readonly DocumentReference<unknown>[]>(
  reader: Reader,
  ...refs: R
): Promise<Records<R>> {
  const snapshots = await (reader as Firestore).getAll(...(refs as never as DocumentReference[]));
  return snapshots.map((snapshot) => snapshot.data()) as Records<R>;
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
