/**
 * Runs `work` for each item, at most `width` at a time, and answers the results in order. After a failure nothing new is started;
 * it rejects once nothing is under way any more.
 */
export async function eachOf<T, R>(items: readonly T[], width: number, work: (item: T) => Promise<R>): Promise<R[]> {
  const results = new Array<R>(items.length);
  const queue = items.entries();
  let failure: { error: unknown } | undefined;
  const lane = async () => {
    for (const [index, item] of queue) {
      if (failure) return;
      try {
        results[index] = await work(item);
      } catch (error) {
        failure ??= { error };
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(width, items.length) }, lane));
  if (failure) throw failure.error;
  return results;
}
