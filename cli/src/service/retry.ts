import type { IncomingHttpHeaders } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';

/** Enough for a service that restarts: about 12 to 25 seconds in all. */
export const maxAttempts = 8;

/** A longer wait than this is for a person to decide on. */
const longestWaitSeconds = 60;

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

/** Whether the connection failed, as opposed to the file or the program. */
export function isNetworkError(code: string | undefined): boolean {
  return code !== undefined && networkCodes.has(code);
}

/** Whether no connection came about at all, so that the service cannot have done anything. */
export function isUnreachable(code: string | undefined): boolean {
  return code === 'ECONNREFUSED' || code === 'ENOTFOUND' || code === 'EAI_AGAIN' || code === 'EHOSTUNREACH';
}

/** Milliseconds before attempt `attempt` + 1: doubling from 0.25 s to 8 s, half of it random so that clients spread out. */
export function backoff(attempt: number, random: () => number = Math.random): number {
  const ceiling = Math.min(8_000, 250 * 2 ** (attempt - 1));
  return Math.round(ceiling / 2 + (random() * ceiling) / 2);
}

/**
 * Milliseconds to wait after an answer that invites another try, or undefined when it does not: 429 and 5xx do, unless
 * `Retry-After` (seconds or a date) asks for more than a minute.
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
  return milliseconds > longestWaitSeconds * 1000 ? undefined : Math.max(milliseconds, backoff(attempt));
}

/** Resolves after `milliseconds`; rejects as soon as `signal` aborts. */
export async function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  await wait(milliseconds, undefined, signal && { signal });
}
