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
import { logWarning } from '../log';
import { limitTime, timeSettings } from './time-limits';
import { countUsage } from './usage';

let database: Firestore | undefined;

/**
 * The Firestore client of the project, created at the first call. It counts the billed reads and writes of each
 * request, and its calls end in bounded time.
 */
export function db(): Firestore {
  return (database ??= openDatabase());
}

let clients = 0;

/** Opens a client. The next call of `db` opens another when this one gets no answers any more. */
function openDatabase(): Firestore {
  // The other services use the first app, which has no name.
  const app = clients++ === 0 ? initializeApp() : initializeApp(undefined, `database-${clients}`);
  const client = getFirestore(app);
  const giveUp = () => {
    if (database !== client) return;
    logWarning('The database client got no answers. It is replaced.', 'BackendTimeout');
    // Calls that still run keep their client. `terminate` would fail them with rejections that nothing handles.
    database = undefined;
  };
  client.settings({ ignoreUndefinedProperties: true, ...timeSettings() });
  return countUsage(limitTime(client, giveUp));
}

/** A document to read, or undefined for no document. */
type MaybeRef = DocumentReference<never> | DocumentReference<unknown> | undefined;

type Records<R extends readonly unknown[]> = {
  [K in keyof R]: R[K] extends DocumentReference<infer T> | undefined ? T | undefined : never;
};

/** The reference of an id; undefined without an id. */
export function refIf<T>(
  refOf: (id: string) => DocumentReference<T>,
  id: string | null | undefined,
): DocumentReference<T> | undefined {
  return id === null || id === undefined ? undefined : refOf(id);
}

/**
 * Reads documents of any collections in one round trip. The record of a missing document and of an undefined reference
 * is undefined. Throws when a document does not match its schema.
 */
export function read<const R extends readonly MaybeRef[]>(...refs: R): Promise<Records<R>> {
  return readAll(db(), refs);
}

/** Reads like `read`, in the transaction when there is one. */
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
  const given = refs.filter((ref) => ref !== undefined) as DocumentReference[];
  const found = given.length > 0 ? await (reader as Firestore).getAll(...given) : [];
  const records = found[Symbol.iterator]();
  return refs.map((ref) => ref && records.next().value?.data()) as Records<R>;
}

/** Every document that a query finds, read in pages. The caller may delete documents that it has received. */
export async function* documentsOf<T>(query: Query<T>, pageSize = 100): AsyncGenerator<QueryDocumentSnapshot<T>> {
  for await (const page of pagesOf(query, pageSize)) yield* page;
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

export type { Transaction };

const hasCode = (code: number) => (error: unknown) => (error as { code?: unknown } | null)?.code === code;
/** Whether a `create` found an existing document (gRPC ALREADY_EXISTS). */
export const isAlreadyExists = hasCode(6);
/** Whether an `update`, or a `delete` with a precondition, found no document (gRPC NOT_FOUND). */
export const isNotFound = hasCode(5);

/**
 * Commits all writes of the batch. When the database refuses them with an error that `isRefusal` accepts, it commits
 * none and returns false.
 */
export async function commitUnless(isRefusal: (error: unknown) => boolean, batch: WriteBatch): Promise<boolean> {
  try {
    await batch.commit();
    return true;
  } catch (error) {
    if (isRefusal(error)) return false;
    throw error;
  }
}
