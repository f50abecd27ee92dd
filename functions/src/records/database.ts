import { initializeApp } from 'firebase-admin/app';
import type { DocumentReference, Firestore, Query, QueryDocumentSnapshot, Transaction } from 'firebase-admin/firestore';
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

export type { Transaction };
