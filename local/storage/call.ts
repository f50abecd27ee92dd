import type { IncomingMessage, ServerResponse } from 'node:http';
import { sendJson } from '../http/body';
import type { Blobs } from './blobs';
import { noSuchBucket } from './errors';
import type { CorsRule, SigningKey } from './options';
import type { Store } from './store';

/** Counts of requests by operation, and the bytes of objects received and sent. */
export interface StorageStats {
  calls: Record<string, number>;
  bytesIn: number;
  bytesOut: number;
}

/** The state of the server, shared by all requests. */
export interface StorageState {
  store: Store;
  blobs: Blobs;
  buckets: ReadonlySet<string>;
  /** Other names of buckets → the name in `buckets`. */
  aliases: ReadonlyMap<string, string>;
  signingKey: SigningKey | undefined;
  /** The rules for signed URLs that pages of other origins use. */
  cors: readonly CorsRule[];
  stats: StorageStats;
}

/** One request. `base` is the address under which the caller reached the server. */
export interface Call {
  state: StorageState;
  req: IncomingMessage;
  res: ServerResponse;
  method: string;
  /** Still percent-encoded. */
  path: string;
  query: URLSearchParams;
  base: string;
}

export function count(state: StorageState, operation: string): void {
  state.stats.calls[operation] = (state.stats.calls[operation] ?? 0) + 1;
}

/** The bucket of this name, which may be an alias. Throws 404 when there is none. */
export function bucketNamed({ state }: Call, name: string): string {
  const bucket = state.aliases.get(name) ?? name;
  if (!state.buckets.has(bucket)) throw noSuchBucket();
  return bucket;
}

/** A request header as one string. */
export function header(call: Call, name: string): string | undefined {
  const value = call.req.headers[name];
  return Array.isArray(value) ? value.join(',') : value;
}

export function answerJson(call: Call, body: unknown): void {
  sendJson(call.res, 200, body);
}

/**
 * The request's body as it arrives. Counts the bytes. The connection stays open for the answer when the reader stops
 * early.
 */
export async function* requestBody(call: Call): AsyncGenerator<Buffer> {
  for await (const chunk of call.req.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    call.state.stats.bytesIn += chunk.length;
    yield chunk;
  }
}

/**
 * Reads the rest of a refused body. Without this, a client that is still sending sees a broken connection, not the
 * answer.
 */
export async function drain(call: Call): Promise<void> {
  if (call.req.complete || call.req.destroyed) return;
  call.req.resume();
  await new Promise<void>((resolve) => call.req.once('close', resolve).once('end', resolve));
}
