import { z } from 'zod';
import { fail } from '../errors';
import { secondsUntilRoom, WINDOW_SECONDS, withinWindow } from '../policy/request-windows';
import { mac } from '../values/secrets';
import { collection, date, paths, type Ref } from './collections';
import { readIn, type Transaction } from './database';
import { recipientKey } from './recipient-key';
import { transact } from './transact';

/** The counted requests for one email address or of one client network. The TTL policy deletes it. */
const requestWindow = z.object({
  times: z.array(date),
  /**
   * When a code was last mailed to the address. It stays when wrong attempts void the code, so the cooldown stays too.
   */
  sentAt: date.nullable(),
  expiresAt: date,
});
export type RequestWindow = z.output<typeof requestWindow>;

/**
 * The window of a kind. Requests for codes are counted by `client`, and for an address by `email`, or by `device` when
 * they came from devices that have signed in before, or by `session` when a session made them. Wrong codes are counted
 * by `guesser`, reports by `reporter`, previews of versions by `previewer`, uploads of pictures of slides by `drawer`,
 * tests of webhooks by `tester`. Those of readers of links begin with `reader`, and wrong passcodes are counted by
 * `opener`. Requests for access are counted by `asker` for a client, by `asked` for a deck and an address, and by
 * `asked-mails` for the mails to the owner of a deck.
 */
type WindowKind =
  | 'email'
  | 'device'
  | 'session'
  | 'client'
  | 'guesser'
  | 'reporter'
  | 'previewer'
  | 'drawer'
  | 'tester'
  | 'opener'
  | ReaderWindowKind
  | AskWindowKind;
export type ReaderWindowKind = `reader-${'link' | 'sender' | 'mailbox' | 'mails' | 'client' | 'guesser'}`;
type AskWindowKind = 'asker' | 'asked' | 'asked-mails';
/** `key` is that of records/recipient-key: nobody without it can tell whose requests are counted. */
export const requestWindowRef = (key: string, kind: WindowKind, of: string) =>
  collection(paths.requestWindows, requestWindow).doc(`${kind}-${mac(key, 'request-window', of)}`);

/** The details of a rate-limit error when the window has no room for one more request, or undefined. */
export function exceededWindow(
  window: RequestWindow | undefined,
  max: number,
  now: Date,
  windowSeconds = WINDOW_SECONDS,
): { retryInSeconds: number; limit: number; windowSeconds: number } | undefined {
  const retryInSeconds = secondsUntilRoom(window?.times ?? [], max, now, windowSeconds);
  return retryInSeconds === 0 ? undefined : { retryInSeconds, limit: max, windowSeconds };
}

/** The window with one more request and without requests that are older than the window is long. `sentAt` is null. */
export function withRequest(
  window: RequestWindow | undefined,
  now: Date,
  windowSeconds = WINDOW_SECONDS,
): RequestWindow {
  const times = [...withinWindow(window?.times ?? [], now, windowSeconds), now];
  return { times, sentAt: null, expiresAt: new Date(now.getTime() + windowSeconds * 1000) };
}

/** Counts a request in a window of so many seconds that the transaction has read. */
export function addRequest(
  tx: Transaction,
  ref: Ref<RequestWindow>,
  window: RequestWindow | undefined,
  now: Date,
  windowSeconds: number,
): void {
  tx.set(ref, withRequest(window, now, windowSeconds));
}

/** The window without the request of that time. */
export function withoutRequest(window: RequestWindow, at: Date): RequestWindow {
  return { ...window, times: window.times.filter((time) => time.getTime() !== at.getTime()) };
}

/**
 * Counts a request in a window. rate-limited, and not counted, when `max` requests were counted in the last hour.
 */
export async function countRequest(kind: WindowKind, of: string, max: number, now: Date): Promise<void> {
  const ref = requestWindowRef(await recipientKey(), kind, of);
  await transact(async (tx) => {
    const [window] = await readIn(tx, ref);
    const details = exceededWindow(window, max, now);
    if (details) fail('rate-limited', details);
    tx.set(ref, withRequest(window, now));
  });
}
