import { status } from '@grpc/grpc-js';
import { retrying, withinCall } from '../../deadlines';
import { repeatRefused } from '../time-limits';
import { callOnce, callStream, databaseName } from './channel';
import { readFound, writeCommit, writeRead, type Write } from './messages';
import type { Fields } from './values';

export type { Write };

/** The codes after which a read is repeated, as the Admin SDK does. */
const transient = new Set<unknown>([
  status.UNAVAILABLE,
  status.DEADLINE_EXCEEDED,
  status.INTERNAL,
  status.RESOURCE_EXHAUSTED,
]);
const isTransient = (error: unknown) => transient.has((error as { code?: unknown } | null)?.code);

const fullName = (path: string) => `${databaseName()}/documents/${path}`;

/**
 * Reads documents in one call, each with all of its fields or those of `mask`. Returns the fields by path, undefined
 * for a document that does not exist. Makes up to 3 attempts (decision 18). An error has its gRPC code.
 */
export async function getDocuments(
  paths: readonly string[],
  mask?: readonly string[],
): Promise<Map<string, Fields | undefined>> {
  const distinct = [...new Set(paths)];
  const message = writeRead(databaseName(), distinct.map(fullName), mask);
  const prefix = fullName('').length;
  return retrying('Firestore', isTransient, async ({ signal }) => {
    const found = new Map<string, Fields | undefined>();
    await callStream('BatchGetDocuments', message, signal, (answer) => {
      const document = readFound(answer);
      if (document) found.set(document.name.slice(prefix), document.fields);
    });
    if (found.size < distinct.length) throw new Error('The database did not answer for every document.');
    return found;
  });
}

/** A write whose document is named by its path. */
export type DocumentWrite = Omit<Write, 'name'> & { path: string };

/**
 * Writes documents in one commit, outside of a transaction: all of them or none. The commit is repeated when the
 * database refused it, and not when the database may have applied it. An error has its gRPC code.
 */
export async function commitDocuments(writes: readonly DocumentWrite[]): Promise<void> {
  const named = writes.map(({ path, ...write }) => ({ ...write, name: fullName(path) }));
  const message = writeCommit(databaseName(), named);
  const abort = new AbortController();
  try {
    await withinCall('Firestore', () => repeatRefused(refused, () => callOnce('Commit', message, abort.signal)));
  } finally {
    abort.abort();
  }
}

/** The database has not applied a commit with these codes: it met the lock of a transaction, or a limit. */
const refused: readonly status[] = [status.ABORTED, status.RESOURCE_EXHAUSTED];
