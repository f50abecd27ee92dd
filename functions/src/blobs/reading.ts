import type { ClientRequest, IncomingMessage } from 'node:http';
import { config } from '../config';
import { BackendTimeout, MAX_TRIES, pauseAfter, timeLeftMs } from '../deadlines';
import { isNoSuchObject, isTransient } from './bucket';
import { openCall, Refused } from './bucket-call';

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

/** The bytes of the span, within the time of the request. Undefined when the object does not exist. */
export async function readSpan(span: Span): Promise<Buffer | undefined> {
  const bytes = Buffer.allocUnsafeSlow(span.end + 1 - span.start);
  let filled = 0;
  try {
    await readObject(span, timeLeftMs(), (chunk) => {
      filled += chunk.copy(bytes, filled);
    });
  } catch (error) {
    if (isNoSuchObject(error)) return undefined;
    throw error;
  }
  return bytes;
}

/**
 * One attempt. It throws `BackendTimeout` when the bucket sends nothing for the time of an attempt, and at `endsAt`.
 */
function readOnce(span: Span, endsAt: number, take: (bytes: Buffer) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    let call: ClientRequest | undefined;
    let isOver = false;
    const end = () => {
      isOver = true;
      clearTimeout(silence);
      clearTimeout(last);
    };
    const fail = (error: Error) => {
      end();
      // The rest of an answer that is not used must not keep its connection.
      call?.destroy();
      reject(error);
    };
    const giveUp = () => fail(new BackendTimeout('Storage'));
    const silence = setTimeout(giveUp, config.attemptTimeoutMs());
    const last = setTimeout(giveUp, Math.min(endsAt - performance.now(), LONGEST_TIMER_MS));
    const receive = (answer: IncomingMessage) => {
      answer.on('error', fail);
      const refusal = refusalOf(span, answer);
      if (refusal) return fail(refusal);
      answer.on('data', (bytes: Buffer) => {
        silence.refresh();
        take(bytes);
      });
      answer.on('end', () => {
        end();
        resolve();
      });
    };
    openRead(span).then((opened) => {
      call = opened.on('error', fail).on('response', receive);
      if (isOver) call.destroy();
      else call.end();
    }, fail);
  });
}

async function openRead({ name, generation, start, end, isWhole }: Span): Promise<ClientRequest> {
  const version = generation === undefined ? '' : `&generation=${generation}`;
  const path = `/storage/v1/b/${encodeURIComponent(config.bucketName())}/o/${encodeURIComponent(name)}?alt=media${version}`;
  // A read without a range also finds out that the object is longer.
  return openCall(path, {
    headers: { 'Cache-Control': 'no-store', ...(!isWhole && { Range: `bytes=${start}-${end}` }) },
  });
}

/** The error of an answer that does not have the bytes of the span. */
function refusalOf({ start, end, isWhole }: Span, { statusCode, headers }: IncomingMessage): Error | undefined {
  if (statusCode !== 200 && statusCode !== 206) return new Refused('a read', statusCode!);
  const isRange = headers['content-range']?.startsWith(`bytes ${start}-${end}/`);
  if (isWhole ? statusCode === 200 : statusCode === 206 && isRange) return undefined;
  return new WrongLength(`The bucket did not answer the bytes from ${start} to ${end}, which it was asked for.`);
}

class WrongLength extends Error {}
