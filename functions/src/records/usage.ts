import { AsyncResource } from 'node:async_hooks';
import type { EventEmitter } from 'node:events';
import type { Firestore } from 'firebase-admin/firestore';
import { currentTrail, type Trail } from '../log';

/**
 * The two functions of the client library through which all of its calls go, transactions and queries too. They are not in its public
 * types, so nothing but the counts may hang on them; a test holds the counts against those of the database.
 */
interface Funnels {
  request(method: string, request: { writes?: unknown[] }, ...rest: unknown[]): Promise<unknown>;
  requestStream(method: string, ...rest: unknown[]): Promise<EventEmitter>;
}

interface StreamedAnswer {
  document?: object | null;
  found?: object | null;
  missing?: string | null;
}

/** Makes the database count, for the request that is being served, the documents that it reads and writes, as they are billed. */
export function countUsage(database: Firestore): Firestore {
  const funnels = database as unknown as Funnels;
  const request = funnels.request?.bind(database);
  const requestStream = funnels.requestStream?.bind(database);
  if (!request || !requestStream) return database;

  funnels.request = (method, sent, ...rest) => {
    const trail = currentTrail();
    if (trail) trail.databaseWrites += sent.writes?.length ?? 0;
    // A list of collections is billed as one read.
    if (trail && method === 'listCollectionIds') trail.databaseReads++;
    return request(method, sent, ...rest);
  };
  funnels.requestStream = async (method, ...rest) => {
    const trail = currentTrail();
    const stream = await requestStream(method, ...rest);
    if (trail) countReads(trail, method, stream);
    // Answers come over a connection that an earlier request may have opened: what follows from them belongs to this one.
    stream.emit = AsyncResource.bind(stream.emit.bind(stream));
    return stream;
  };
  return database;
}

/** The stream is handed out paused, so listening takes nothing from whoever reads it. */
function countReads(trail: Trail, method: string, stream: EventEmitter): void {
  let found = 0;
  stream.on('data', (answer: StreamedAnswer) => {
    if (answer.document || answer.found || answer.missing) found++;
  });
  stream.once('end', () => {
    // A query that finds nothing is billed as one read; so is a count.
    const isQuery = method === 'runQuery' || method === 'runAggregationQuery';
    trail.databaseReads += isQuery ? Math.max(found, 1) : found;
  });
}
