import { BackendTimeout, MAX_TRIES, pauseAfter, timeLeftMs, withinAttempt } from '../deadlines';
import { isTransient, type Bucket } from './bucket';
import { streamObject } from './object-stream';

interface Options {
  /** The first and the last byte. Without it, the whole object is read. */
  span?: { start: number; end: number };
  /**
   * Whether the bytes are sent to a client as they arrive. The time of the request then does not limit the read: a slow
   * client is not a fault of the bucket, and the platform ends the request.
   */
  isSentOn?: boolean;
}

/**
 * Bytes of an object whose bytes never change. After a failure of the bucket it continues behind the last byte, and it
 * throws after 3 failures without a byte between them. The time limit holds while the reader waits for the bucket. It
 * does not hold while the bucket waits for the reader, which may have a slow client.
 *
 * Without `span` the object must have `sizeBytes`.
 */
export async function* readObject(
  object: ReturnType<Bucket['file']>,
  sizeBytes: number,
  { span, isSentOn = false }: Options = {},
): AsyncGenerator<Buffer, undefined> {
  const { start, end } = span ?? { start: 0, end: sizeBytes - 1 };
  let failures = 0;
  for (let at = start; at <= end;) {
    // A read without a range also finds out that the object is longer.
    const range = span || at > 0 ? { start: at, end } : undefined;
    const abort = new AbortController();
    const chunks = streamObject(object, range, abort.signal);
    try {
      for (;;) {
        const next = await withinAttempt('Storage', () => chunks.next(), isSentOn ? Infinity : timeLeftMs());
        if (next.done) break;
        failures = 0;
        at += next.value.length;
        yield next.value;
      }
      if (at !== end + 1) throw new WrongLength(`The bucket answered ${at - start} of ${end + 1 - start} bytes.`);
    } catch (error) {
      const isWorthAnother = error instanceof BackendTimeout || error instanceof WrongLength || isTransient(error);
      if (!isWorthAnother || ++failures === MAX_TRIES || at > end || timeLeftMs() === 0) throw error;
      await pauseAfter(failures);
    } finally {
      abort.abort();
    }
  }
}

class WrongLength extends Error {}
