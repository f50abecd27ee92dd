/**
 * Runs `work` for each item, at most `width` at a time. The first failure rejects at once: nothing new is started, and
 * what is under way sees its `signal` abort.
 */
export async function eachOf<T>(
  items: readonly T[],
  width: number,
  work: (item: T, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const queue = items.values();
  const stop = new AbortController();
  const lane = async () => {
    for (const item of queue) {
      if (stop.signal.aborted) return;
      await work(item, stop.signal);
    }
  };
  try {
    await Promise.all(Array.from({ length: Math.min(width, items.length) }, lane));
  } catch (error) {
    stop.abort();
    throw error;
  }
}
