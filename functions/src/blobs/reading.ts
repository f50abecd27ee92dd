import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { finished } from 'node:stream/promises';
import { config } from '../config';
import { BackendTimeout, MAX_TRIES, pauseAfter } from '../deadlines';
import { isTransient } from './bucket';
import { bucketName, openCall, Refused } from './bucket-call';

/** The longest time of a timer. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** The bytes of an object that are read. Both ends are inclusive. */
export interface Span {
  /** The name of the object. */
  name: string;
  /** A generation of the object. Without it, the live one is read. */
  generation?: string;
  start: number;
  end: number;
  /** Whether the span is the whole object. A longer object is then an error. */
  isWhole: boolean;
}

/**
 * Reads bytes of an object whose bytes never change, and passes them to `take` in order. After a failure of the bucket
 * it continues behind the last byte. It throws after 3 failures without a byte between them, and after `limitMs`.
 */
export async function readObject(span: Span, limitMs: number, take: (bytes: Buffer) => void): Promise<void> {
  if (limitMs <= 0) throw new BackendTimeout('Storage');
  const endsAt = performance.now() + limitMs;
  let at = span.start;
  let failures = 0;
  while (at <= span.end) {
    try {
      await readOnce({ ...span, start: at, isWhole: span.isWhole && at === span.start }, endsAt, (bytes) => {
        failures = 0;
        at += bytes.length;
        take(bytes);
      });
      if (at !== span.end + 1) {
        throw new WrongLength(`The bucket answered ${at - span.start} of ${span.end + 1 - span.start} bytes.`);
      }
    } catch (error) {
      const isWorthAnother = error instanceof BackendTimeout || error instanceof WrongLength || isTransient(error);
      const isOver = at > span.end || performance.now() >= endsAt;
      if (!isWorthAnother || ++failures === MAX_TRIES || isOver) throw error;
      await pauseAfter(failures);
    }
  }
}

/** One attempt. It throws `BackendTimeout` when the bucket sends nothing for the time of an attempt, and at `endsAt`. */
async function readOnce(span: Span, endsAt: number, take: (bytes: Buffer) => void): Promise<void> {
  const abort = new AbortController();
  const { signal } = abort;
  const isLate = once(signal, 'abort').then(() => {
    throw new BackendTimeout('Storage');
  });
  const silence = setTimeout(() => abort.abort(), config.attemptTimeoutMs());
  const over = setTimeout(() => abort.abort(), Math.min(endsAt - performance.now(), LONGEST_TIMER_MS));
  const received = (bytes: Buffer) => {
    silence.refresh();
    take(bytes);
  };
  try {
    await Promise.race([receive(span, signal, received), isLate]);
  } catch (error) {
    // The rest of an answer that is not used must not keep its connection.
    abort.abort();
    throw error;
  } finally {
    clearTimeout(silence);
    clearTimeout(over);
  }
}

async function receive(
  { name, generation, start, end, isWhole }: Span,
  signal: AbortSignal,
  take: (bytes: Buffer) => void,
): Promise<void> {
  const version = generation === undefined ? '' : `&generation=${generation}`;
  const path = `/storage/v1/b/${encodeURIComponent(bucketName())}/o/${encodeURIComponent(name)}?alt=media${version}`;
  // A read without a range also finds out that the object is longer.
  const headers = { 'Cache-Control': 'no-store', ...(!isWhole && { Range: `bytes=${start}-${end}` }) };
  const call = await openCall(path, { headers, signal });
  const [answer] = (await once(call.end(), 'response')) as [IncomingMessage];
  // The caller closes the connection after an error.
  answer.on('error', () => {});
  const { statusCode } = answer;
  if (statusCode !== 200 && statusCode !== 206) throw new Refused('a read', statusCode!);
  const isRange = answer.headers['content-range']?.startsWith(`bytes ${start}-${end}/`);
  if (isWhole ? statusCode !== 200 : statusCode !== 206 || !isRange) {
    throw new WrongLength(`The bucket did not answer the bytes from ${start} to ${end}, which it was asked for.`);
  }
  await finished(answer.on('data', take));
}

class WrongLength extends Error {}
