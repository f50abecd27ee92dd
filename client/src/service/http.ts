import { request as requestHttp, type Agent, type IncomingHttpHeaders } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as wait } from 'node:timers/promises';

/** A request that can be sent again: each attempt opens a new stream of the body. */
export interface Outgoing {
  url: URL;
  method: 'GET' | 'POST' | 'PUT';
  headers: Record<string, string | number>;
  body?: Buffer | (() => Readable);
  signal?: AbortSignal | undefined;
}

export interface Incoming {
  status: number;
  headers: IncomingHttpHeaders;
  bytes: Buffer;
}

/** A connection without traffic for this long is closed. */
const IDLE_TIMEOUT_MILLISECONDS = 120_000;

/** The seven waits between the attempts take 12 to 24 seconds in all, so that a restart of the service is survived. */
export const MAX_ATTEMPTS = 8;

/** When `Retry-After` asks for a longer wait, the client reports it instead of waiting. */
const MAX_WAIT_SECONDS = 60;

/**
 * Sends one request and resolves with its answer, whatever its status. Rejects with the error of the connection or of
 * the body's stream. When the answer is complete before the body is sent, the rest of the body is not sent.
 */
export function exchange({ url, method, headers, body, signal }: Outgoing, agent: Agent): Promise<Incoming> {
  return new Promise((resolve, reject) => {
    const send = url.protocol === 'https:' ? requestHttps : requestHttp;
    const request = send(url, { method, headers, agent, signal });
    request.setTimeout(IDLE_TIMEOUT_MILLISECONDS, () => {
      request.destroy(Object.assign(new Error('The connection timed out.'), { code: 'ETIMEDOUT' }));
    });
    request.on('error', reject);
    request.on('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          bytes: Buffer.concat(chunks),
        });
        if (!request.writableFinished) request.destroy();
      });
    });
    if (typeof body === 'function') pipeline(body(), request).catch(reject);
    else request.end(body);
  });
}

const networkCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENETUNREACH',
  'EHOSTUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ECONNABORTED',
  'ERR_STREAM_PREMATURE_CLOSE',
]);

/** Whether the code is that of a failed connection, and not of a file or of the program. */
export function isNetworkError(code: string | undefined): boolean {
  return code !== undefined && networkCodes.has(code);
}

/** Whether no connection was established, so that the service cannot have received the request. */
export function isUnreachable(code: string | undefined): boolean {
  return code === 'ECONNREFUSED' || code === 'ENOTFOUND' || code === 'EAI_AGAIN' || code === 'EHOSTUNREACH';
}

/**
 * Milliseconds before attempt `attempt` + 1. The ceiling doubles from 0.25 s to 8 s. Half of the wait is random, so
 * that clients that failed together do not retry together.
 */
export function backoff(attempt: number, random: () => number = Math.random): number {
  const ceiling = Math.min(8_000, 250 * 2 ** (attempt - 1));
  return Math.round(ceiling / 2 + (random() * ceiling) / 2);
}

/**
 * Milliseconds to wait after an answer before a retry, or undefined when the client must not retry. It retries after
 * 429 and 5xx, unless `Retry-After` (seconds or a date) asks for more than a minute.
 */
export function waitAfter(
  status: number,
  headers: IncomingHttpHeaders,
  attempt: number,
  now = Date.now(),
): number | undefined {
  if (status !== 429 && status < 500) return undefined;
  const asked = headers['retry-after'];
  if (asked === undefined) return backoff(attempt);
  const milliseconds = /^\d+$/.test(asked) ? Number(asked) * 1000 : Date.parse(asked) - now;
  if (Number.isNaN(milliseconds)) return backoff(attempt);
  return milliseconds > MAX_WAIT_SECONDS * 1000 ? undefined : Math.max(milliseconds, backoff(attempt));
}

/** Resolves after `milliseconds`. Rejects as soon as `signal` aborts. */
export async function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  await wait(milliseconds, undefined, signal && { signal });
}
