import type { IncomingMessage } from 'node:http';
import { config } from '../config';
import { timeLeftMs } from '../deadlines';
import { KB } from '../values/units';

/** A client that sends fewer bytes uses up its time. 128 kbit/s. */
const MIN_BYTES_PER_SECOND = 16 * KB;

/** The longest time between two looks at the connection that counts as waiting for the client, in milliseconds. */
const STEP_MS = 250;

/**
 * The time for which an instance waits for the bytes of one body. It begins with `BODY_TIMEOUT_MS`, and each received
 * byte adds the time that this byte takes at 16 KB/s. Only waiting for the client uses the time up: the service's own
 * work, such as the check of the key, does not. While the process cannot read, because it computes, waits for a disk or
 * gets no CPU, at most `STEP_MS` are used up, and bytes that the system has received by then are not late. The wait
 * also ends before the function's timeout.
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
    let [since, stepMs] = [performance.now(), 0];
    let timer: NodeJS.Timeout | undefined;
    let look: NodeJS.Immediate | undefined;
    const useTime = () => {
      const now = performance.now();
      this.#leftMs -= Math.min(now - since, stepMs);
      since = now;
    };
    const step = () => {
      stepMs = Math.min(STEP_MS, this.leftMs);
      // The event loop reads from the connection after its timers and before this look.
      timer = setTimeout(() => (look = setImmediate(onStep)), stepMs);
    };
    const onStep = () => {
      useTime();
      if (this.leftMs > 0) return step();
      this.#isOver = true;
      onLate();
    };
    step();
    return (receivedBytes) => {
      clearTimeout(timer);
      clearImmediate(look);
      useTime();
      this.#leftMs += (receivedBytes / MIN_BYTES_PER_SECOND) * 1000;
    };
  }
}
