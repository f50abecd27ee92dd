import pMap, { pMapSkip } from 'p-map';

/**
 * Runs `work` for each item, at most `concurrency` at a time, and returns the results in the order of the items. After
 * a failure no further item is started. The first error is thrown when all running items have ended: p-map alone throws
 * at once, while they still write to the bucket, and the platform takes the CPU away after the answer.
 */
export async function mapConcurrently<T, R>(
  items: readonly T[],
  concurrency: number,
  work: (item: T) => Promise<R>,
): Promise<R[]> {
  let failure: { error: unknown } | undefined;
  const guarded = async (item: T) => {
    if (failure) return pMapSkip;
    try {
      return await work(item);
    } catch (error) {
      failure ??= { error };
      return pMapSkip;
    }
  };
  const results = await pMap(items, guarded, { concurrency });
  if (failure) throw failure.error;
  return results;
}

/** Runs at most `count` pieces of work at a time. The others wait for their turn, in order. */
export class Slots {
  readonly #waiting: (() => void)[] = [];
  #free: number;

  constructor(count: number) {
    this.#free = count;
  }

  /** Settles as `work` does. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await work();
    } finally {
      // The next work takes this slot over.
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free++;
    }
  }
}
