import { AsyncResource } from 'node:async_hooks';
import type { EventEmitter } from 'node:events';
import type { Firestore } from 'firebase-admin/firestore';
import { currentContext, type Trail } from '../context';
import { isUnapplied } from './refusals';

/**
 * The two methods of the Firestore client through which all of its calls are made, transactions and queries included.
 * They are not part of its public types, so only the counts may depend on them. A test compares the counts with those
 * of the database.
 */
interface ClientMethods {
  request(method: string, request: { writes?: unknown[] }, ...rest: unknown[]): Promise<unknown>;
  requestStream(method: string, ...rest: unknown[]): Promise<EventEmitter>;
}

interface StreamedAnswer {
  document?: object | null;
  found?: object | null;
  missing?: string | null;
}

/**
 * Makes the client count the documents that it reads and writes for the current request, as they are billed. Returns
 * the same client. Counts nothing when the two methods do not exist, and not for calls that several requests share:
 * their documents are counted where the call is made (decision 33).
 */
export function countUsage(database: Firestore): Firestore {
  const methods = database as unknown as ClientMethods;
  const request = methods.request?.bind(database);
  const requestStream = methods.requestStream?.bind(database);
  if (!request || !requestStream) return database;

  methods.request = async (method, sent, ...rest) => {
    const trail = currentContext()?.trail;
    if (!trail) return request(method, sent, ...rest);
    const writes = sent.writes?.length ?? 0;
    trail.databaseWrites += writes;
    // Firestore bills a list of collections as one read.
    if (method === 'listCollectionIds') trail.databaseReads++;
    try {
      return await request(method, sent, ...rest);
    } catch (error) {
      if (isUnapplied(error)) trail.databaseWrites -= writes;
      throw error;
    }
  };
  methods.requestStream = async (method, ...rest) => {
    const context = currentContext();
    const stream = await requestStream(method, ...rest);
    if (!context) return stream;
    if (context.trail) countReads(context.trail, method, stream);
    // Data arrives on a connection that an earlier request may have opened. The binding makes its listeners run in the
    // context of this request.
    stream.emit = AsyncResource.bind(stream.emit.bind(stream));
    return stream;
  };
  return database;
}

/** The stream is paused when it is returned, so this listener takes no data from the reader. */
function countReads(trail: Trail, method: string, stream: EventEmitter): void {
  let found = 0;
  stream.on('data', (answer: StreamedAnswer) => {
    if (answer.document || answer.found || answer.missing) found++;
  });
  stream.once('end', () => {
    // Firestore bills a query without results, and a count, as one read.
    const isQuery = method === 'runQuery' || method === 'runAggregationQuery';
    trail.databaseReads += isQuery ? Math.max(found, 1) : found;
  });
}
