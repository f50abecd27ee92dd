import { config } from '../../config';
import { currentContext, type Context } from '../../context';
import { callMs, pauseAfter, retrying, withinCall, type Attempt } from '../../deadlines';
import { isContention } from '../refusals';
import { callOnce, callStream, databaseName } from './channel';
import { readFound, writeCommit, writeRead, type UpdateTime, type Write } from './messages';
import { ProtocolError, status } from './status';
import type { Fields } from './values';

/** The codes after which a read is repeated, as the Admin SDK does. */
const transient = new Set<unknown>([
  status.unavailable,
  status.deadlineExceeded,
  status.internal,
  status.resourceExhausted,
]);
const isTransient = (error: unknown) =>
  !(error instanceof ProtocolError) && transient.has((error as { code?: unknown } | null)?.code);

/** What comes before the path of a document in its full name. */
const documentsPrefix = () => `${databaseName()}/documents/`;

export interface ReadOptions {
  /** The fields to read; all of them without it. */
  mask?: readonly string[] | undefined;
  /** Gets when each document that exists was last written, by its path. */
  updateTimes?: Map<string, UpdateTime> | undefined;
  context?: Context | undefined;
}

/**
 * Reads documents in one call. Returns the fields by path, undefined for a document that does not exist. Makes up to 3
 * attempts. An attempt that receives documents starts its time again. An error has its gRPC code.
 */
export async function getDocuments(
  paths: readonly string[],
  { mask, updateTimes, context = currentContext() }: ReadOptions = {},
): Promise<Map<string, Fields | undefined>> {
  const distinct = [...new Set(paths)];
  const prefix = documentsPrefix();
  const names = distinct.map((path) => prefix + path);
  const message = writeRead(databaseName(), names, mask);
  const readOnce = async ({ signal, progress }: Attempt) => {
    const found = new Map<string, Fields | undefined>();
    await callStream('BatchGetDocuments', message, signal, (answer) => {
      const document = readFound(answer);
      progress();
      if (!document) return;
      const path = document.name.slice(prefix.length);
      found.set(path, document.fields);
      if (document.updatedAt) updateTimes?.set(path, document.updatedAt);
    });
    if (found.size < distinct.length) throw new ProtocolError('The database did not answer for every document.');
    return found;
  };
  return retrying('Firestore', isTransient, readOnce, context);
}

/** A write whose document is named by its path. */
export type DocumentWrite = Omit<Write, 'name'> & { path: string };

/**
 * Writes documents in one commit, outside of a transaction: all of them or none. The commit is repeated when it met the
 * lock of a transaction, and not when the database may have applied it. An error has its gRPC code.
 */
export async function commitDocuments(writes: readonly DocumentWrite[], context = currentContext()): Promise<void> {
  const prefix = documentsPrefix();
  const named = writes.map(({ path, ...write }) => ({ ...write, name: prefix + path }));
  const message = writeCommit(databaseName(), named);
  const abort = new AbortController();
  try {
    const commit = () => callOnce('Commit', message, abort.signal);
    await withinCall('Firestore', () => repeatAborted(commit, context), context);
  } catch (error) {
    abort.abort();
    throw error;
  }
}

/** Repeats a write that met a lock, in the first half of the time of a call, as `transact` does. */
async function repeatAborted<T>(work: () => Promise<T>, context: Context | undefined): Promise<T> {
  const lastAt = performance.now() + callMs(context) / 2;
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (error) {
      if (!isContention(error) || performance.now() > lastAt) throw error;
      await pauseAfter(Math.min(tries, 4), config.retryPauseMs() / 5);
    }
  }
}
