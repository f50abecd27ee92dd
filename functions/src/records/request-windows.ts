import { createHash } from 'node:crypto';
import { z } from 'zod';
import { fail } from '../errors';
import { secondsUntilRoom, WINDOW_SECONDS, withinWindow } from '../policy/request-windows';
import { collection, date, paths } from './collections';
import { readIn } from './database';
import { transact } from './transact';

/** The requests of the last hour for one email address or one client network. The TTL policy deletes it. */
const requestWindow = z.object({
  times: z.array(date),
  /**
   * When a code was last mailed to the address. It stays when wrong attempts void the code, so the cooldown stays too.
   */
  sentAt: date.nullable(),
  expiresAt: date,
});
export type RequestWindow = z.output<typeof requestWindow>;

/** The window of a kind: requests for codes are counted by `email` and by `client`, reports by `reporter`. */
export const requestWindowRef = (kind: 'email' | 'client' | 'reporter', of: string) => {
  const hash = createHash('sha256').update(of).digest('hex');
  return collection(paths.requestWindows, requestWindow).doc(`${kind}-${hash}`);
};

/** The details of a rate-limit error when the window has no room for one more request, or undefined. */
export function exceededWindow(
  window: RequestWindow | undefined,
  max: number,
  now: Date,
): { retryInSeconds: number; limit: number; windowSeconds: number } | undefined {
  const retryInSeconds = secondsUntilRoom(window?.times ?? [], max, now);
  return retryInSeconds === 0 ? undefined : { retryInSeconds, limit: max, windowSeconds: WINDOW_SECONDS };
}

/** The window with one more request and without requests that are older than an hour. `sentAt` is null. */
export function withRequest(window: RequestWindow | undefined, now: Date): RequestWindow {
  const times = [...withinWindow(window?.times ?? [], now), now];
  return { times, sentAt: null, expiresAt: new Date(now.getTime() + WINDOW_SECONDS * 1000) };
}

/** The window without the request of that time. */
export function withoutRequest(window: RequestWindow, at: Date): RequestWindow {
  return { ...window, times: window.times.filter((time) => time.getTime() !== at.getTime()) };
}

/**
 * Counts a report of a client network. rate-limited, and not counted, when the network sent `max` reports in the last
 * hour.
 */
export async function countReport(network: string, max: number, now: Date): Promise<void> {
  const ref = requestWindowRef('reporter', network);
  await transact(async (tx) => {
    const [window] = await readIn(tx, ref);
    const details = exceededWindow(window, max, now);
    if (details) fail('rate-limited', details);
    tx.set(ref, withRequest(window, now));
  });
}
