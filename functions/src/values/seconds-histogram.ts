/**
 * How many times lie in each bucket. Up to 10 seconds each second has a bucket; the ends of the buckets above grow by
 * 20 %, so that the middle of a bucket is within 10 % of each time in it.
 */
export type Histogram = Map<number, number>;

const EXACT = 10;
const GROWTH = 1.2;

export const bucketOf = (seconds: number): number =>
  seconds <= EXACT
    ? Math.max(0, Math.round(seconds))
    : EXACT + 1 + Math.floor(Math.log(seconds / EXACT) / Math.log(GROWTH));

const middleOf = (bucket: number) =>
  bucket <= EXACT ? bucket : Math.round(10 * EXACT * GROWTH ** (bucket - EXACT - 0.5)) / 10;

/** Adds `count` to the bucket, or takes it away. A bucket of nothing is removed. */
export function addToBucket(histogram: Histogram, bucket: number, count: number): void {
  const sum = (histogram.get(bucket) ?? 0) + count;
  if (sum > 0) histogram.set(bucket, sum);
  else histogram.delete(bucket);
}

/** The smallest time that a `share` of all times does not exceed, within 10 %. Null for an empty histogram. */
export function quantileOf(histogram: Histogram, share: number): number | null {
  const total = [...histogram.values()].reduce((sum, count) => sum + count, 0);
  let seen = 0;
  for (const [bucket, count] of [...histogram].sort(([a], [b]) => a - b)) {
    seen += count;
    if (seen >= share * total) return middleOf(bucket);
  }
  return null;
}
