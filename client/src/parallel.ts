import pMap from 'p-map';

/**
 * Runs `work` for each item, at most `concurrency` at a time. Rejects with the first error at once: no further item is
 * started, and `signal` aborts the work that is under way. p-map alone would let that work run on.
 */
export async function inParallel<T>(
  items: Iterable<T>,
  concurrency: number,
  work: (item: T, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const stop = new AbortController();
  try {
    await pMap(items, (item) => work(item, stop.signal), { concurrency });
  } catch (error) {
    stop.abort();
    throw error;
  }
}
