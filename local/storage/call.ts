import type { IncomingMessage, ServerResponse } from 'node:http';
import { sendJson } from '../http/body';
import type { Blobs } from './blobs';
import type { CorsRule, SigningKey } from './options';
import { selectFields } from './partial-response';
import type { Buckets, Store } from './store';

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
  buckets: Buckets;
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

/** A request header as one string. */
export function header(call: Call, name: string): string | undefined {
  const value = call.req.headers[name];
  return Array.isArray(value) ? value.join(',') : value;
}

/** Answers with JSON, reduced to the fields that the parameter `fields` selects. */
export function answerJson(call: Call, body: unknown, status = 200): void {
  const fields = call.query.get('fields');
  const plain = JSON.parse(JSON.stringify(body)) as unknown;
  sendJson(call.res, status, fields ? selectFields(plain, fields) : plain);
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
