import { initializeApp } from 'firebase-admin/app';
import type { DocumentReference, Firestore, Transaction } from 'firebase-admin/firestore';
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

export type { Transaction };

/** Whether a `create` found its document there already (gRPC ALREADY_EXISTS). */
export function isAlreadyExists(error: unknown): boolean {
  return (error as { code?: unknown } | null)?.code === 6;
}
