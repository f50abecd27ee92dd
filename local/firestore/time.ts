import type { Timestamp } from './wire';

/** Microseconds since the epoch, the resolution of all times in this engine. A double represents them exactly. */
export type Micros = number;

export function toTimestamp(micros: Micros): Timestamp {
  const seconds = Math.floor(micros / 1e6);
  return { seconds: String(seconds), nanos: (micros - seconds * 1e6) * 1000 };
}

export function fromTimestamp(timestamp: Timestamp): Micros {
  return Number(timestamp.seconds ?? 0) * 1e6 + Math.floor((timestamp.nanos ?? 0) / 1000);
}

/** Returns times that never decrease, even when the machine's clock does. */
export class Clock {
  private last: Micros;

  constructor(after: Micros) {
    this.last = after;
  }

  /** A time at or after every commit so far and before every later commit. */
  readTime(): Micros {
    return (this.last = Math.max(this.last, Date.now() * 1000));
  }

  /** A time after every read time and commit time returned so far. */
  commitTime(): Micros {
    return (this.last = Math.max(this.last + 1, Date.now() * 1000));
  }
}
