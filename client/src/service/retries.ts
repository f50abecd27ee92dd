import type { Incoming } from './transport';

/** The seven waits between the attempts take 12 to 24 seconds in all, so that a restart of the service is survived. */
export const MAX_ATTEMPTS = 8;

/** When `Retry-After` asks for a longer wait, the client reports it instead of waiting. */
const MAX_WAIT_SECONDS = 60;

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
  'ERR_NETWORK',
  'ERR_OFFLINE',
]);

/** Whether the code is that of a failed connection, and not of a file or of the program. */
export function isNetworkError(code: string | undefined): boolean {
  return code !== undefined && networkCodes.has(code);
}

/** Whether no connection was established, so that the service cannot have received the request. */
export function isUnreachable(code: string | undefined): boolean {
  return code !== undefined && ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ERR_OFFLINE'].includes(code);
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
  headers: Incoming['headers'],
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
  signal?.throwIfAborted();
  await new Promise<void>((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, milliseconds);
    signal?.addEventListener('abort', stop, { once: true });
  });
}
