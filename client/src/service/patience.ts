import type { Outgoing } from './transport';

/** A call that only reads ends after so long, with all its attempts. */
export const READ_MILLISECONDS = 30_000;
/** Any other call makes no further attempt when nothing of it arrived for so long. */
export const SILENCE_MILLISECONDS = 120_000;
/** After so long without an answer, the caller is told. */
const TELL_MILLISECONDS = 3_000;

/** Browsers and Node have different types of timers. */
type Timer = ReturnType<typeof setTimeout>;

/** How long one call waits, over all its attempts. */
export class Patience {
  private readonly startedAt = performance.now();
  private progressAt = this.startedAt;
  private readonly over = new AbortController();
  private readonly end: Timer | undefined;
  private readonly teller: Timer;
  private isTold = false;

  constructor(
    private readonly isRead: boolean,
    private readonly onSilence: (isSilent: boolean) => void,
    /** For how long a call that only reads makes further attempts. */
    private readonly readRetriesMs = READ_MILLISECONDS,
  ) {
    if (isRead) this.end = setTimeout(() => this.over.abort(), READ_MILLISECONDS);
    this.teller = setTimeout(() => this.tell(true), TELL_MILLISECONDS);
  }

  /** Aborts when the time of a call that only reads is over. */
  get signal(): AbortSignal {
    return this.over.signal;
  }

  /** Something of the call was sent or answered. */
  progress(): void {
    this.progressAt = performance.now();
    clearTimeout(this.teller);
    if (this.isTold) this.tell(false);
  }

  private tell(isSilent: boolean): void {
    this.isTold = isSilent;
    this.onSilence(isSilent);
  }

  /** The request, which tells its progress. */
  watch(outgoing: Outgoing): Outgoing {
    const { onSent } = outgoing;
    if (!onSent) return outgoing;
    return {
      ...outgoing,
      onSent: (bytes) => {
        this.progress();
        onSent(bytes);
      },
    };
  }

  /** Whether another attempt, after a wait of so many milliseconds, has time. */
  lasts(wait: number): boolean {
    const now = performance.now();
    if (this.isRead) return now - this.startedAt + wait < this.readRetriesMs;
    return now - this.progressAt < SILENCE_MILLISECONDS;
  }

  /** The call has ended. */
  stop(): void {
    clearTimeout(this.end);
    this.progress();
  }
}
