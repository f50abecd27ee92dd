import type { IncomingMessage, ServerResponse } from 'node:http';
import { sendJson } from '../http/body';
import type { Blobs } from './blobs';
import type { CorsRule } from './cors';
import { selectFields } from './fields';
import type { SigningKey } from './signature';
import type { Store } from './store';

/** Requests by what they do, and the bytes of objects that came in and went out. */
export interface StorageStats {
  calls: Record<string, number>;
  bytesIn: number;
  bytesOut: number;
}

/** What every operation works on. */
export interface Cloud {
  store: Store;
  blobs: Blobs;
  /** Name → time of creation (ISO 8601). */
  buckets: Map<string, string>;
  signingKey: SigningKey | undefined;
  /** What browsers of other origins may do with signed URLs. */
  cors: readonly CorsRule[];
  stats: StorageStats;
}

/** One request on its way. `base` is the address under which the caller reached the server. */
export interface Call {
  cloud: Cloud;
  req: IncomingMessage;
  res: ServerResponse;
  method: string;
  /** Still percent-encoded. */
  path: string;
  query: URLSearchParams;
  base: string;
}

export function count(cloud: Cloud, operation: string): void {
  cloud.stats.calls[operation] = (cloud.stats.calls[operation] ?? 0) + 1;
}

/** A request header as one string. */
export function header(call: Call, name: string): string | undefined {
  const value = call.req.headers[name];
  return Array.isArray(value) ? value.join(',') : value;
}

/** Answers 200 with JSON, cut down to what `fields` asks for. */
export function answerJson(call: Call, body: unknown, status = 200): void {
  const fields = call.query.get('fields');
  const plain = JSON.parse(JSON.stringify(body)) as unknown;
  sendJson(call.res, status, fields ? selectFields(plain, fields) : plain);
}

/** The request's body as it arrives, counted. A reader that stops early leaves the connection open for the answer. */
export async function* media(call: Call): AsyncGenerator<Buffer> {
  for await (const chunk of call.req.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    call.cloud.stats.bytesIn += chunk.length;
    yield chunk;
  }
}

/** Reads a refused body to its end: a client that is still sending would see a broken connection instead of the answer. */
export async function drain(call: Call): Promise<void> {
  if (call.req.complete || call.req.destroyed) return;
  call.req.resume();
  await new Promise<void>((resolve) => call.req.once('close', resolve).once('end', resolve));
}
