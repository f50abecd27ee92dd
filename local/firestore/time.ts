import type { Timestamp } from './wire';

/** Microseconds since the epoch: the resolution of every time in this engine. They fit a double exactly. */
export type Micros = number;

export function toTimestamp(micros: Micros): Timestamp {
  const seconds = Math.floor(micros / 1e6);
  return { seconds: String(seconds), nanos: (micros - seconds * 1e6) * 1000 };
}

export function fromTimestamp(timestamp: Timestamp): Micros {
  return Number(timestamp.seconds ?? 0) * 1e6 + Math.floor((timestamp.nanos ?? 0) / 1000);
}

/** Hands out times that never run backwards, even when the machine's clock does. */
export class Clock {
  private last: Micros;

  constructor(after: Micros) {
    this.last = after;
  }

  /** A time at which everything committed so far is visible and nothing that will be committed later. */
  readTime(): Micros {
    return (this.last = Math.max(this.last, Date.now() * 1000));
  }

  /** A time later than every read time and commit time handed out before. */
  commitTime(): Micros {
    return (this.last = Math.max(this.last + 1, Date.now() * 1000));
  }
}
