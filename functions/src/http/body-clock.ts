import type { IncomingMessage } from 'node:http';
import { config } from '../config';
import { timeLeftMs } from '../deadlines';
import { KB } from '../values/units';

/** A client that sends fewer bytes uses up its time. 128 kbit/s. */
const MIN_BYTES_PER_SECOND = 16 * KB;

/**
 * The time for which an instance waits for the bytes of one body. It begins with `BODY_TIMEOUT_MS`, and each received
 * byte adds the time that this byte takes at 16 KB/s. Only waiting for the client uses the time up: the service's own
 * work, such as the check of the key, does not. The wait also ends before the function's timeout.
 */
export class BodyClock {
  static readonly #ofRequests = new WeakMap<IncomingMessage, BodyClock>();

  #leftMs = config.bodyTimeoutMs();
  #isOver = false;

  /** The one clock of the request. The reader of the body and the server share it. */
  static of(request: IncomingMessage): BodyClock {
    const clock = BodyClock.#ofRequests.get(request) ?? new BodyClock();
    BodyClock.#ofRequests.set(request, clock);
    return clock;
  }

  /** Whether the service has stopped waiting for the body of the request. */
  static isOver(request: IncomingMessage): boolean {
    const clock = BodyClock.#ofRequests.get(request);
    return clock !== undefined && clock.#isOver;
  }

  /** How long the service waits for the next bytes, in milliseconds. */
  get leftMs(): number {
    return Math.max(0, Math.min(this.#leftMs, timeLeftMs()));
  }

  /**
   * Starts to wait for the next bytes. Calls `onLate` when they do not arrive in time. Call the returned function with
   * the number of received bytes: 0 for the end of the body.
   */
  wait(onLate: () => void): (receivedBytes: number) => void {
    const since = performance.now();
    const timer = setTimeout(() => {
      this.#isOver = true;
      onLate();
    }, this.leftMs);
    return (receivedBytes) => {
      clearTimeout(timer);
      this.#leftMs += since - performance.now() + (receivedBytes / MIN_BYTES_PER_SECOND) * 1000;
    };
  }
}
