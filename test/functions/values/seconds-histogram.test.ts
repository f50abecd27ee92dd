import fc from 'fast-check';
import { addToBucket, bucketOf, quantileOf, type Histogram } from '../../../functions/src/values/seconds-histogram';

function histogramOf(times: readonly number[], histogram: Histogram = new Map()): Histogram {
  for (const seconds of times) addToBucket(histogram, bucketOf(seconds), 1);
  return histogram;
}

/** The smallest time that a share of the times does not exceed. */
const exact = (times: readonly number[], share: number) =>
  [...times].sort((a, b) => a - b)[Math.max(0, Math.ceil(share * times.length) - 1)]!;

/** What a view of 50 loads can have. */
const MAX_SECONDS = 50 * 4 * 3600;
const times = fc.array(fc.oneof(fc.nat(30), fc.nat(3600), fc.nat(MAX_SECONDS)), { minLength: 1, maxLength: 200 });

test('median and 90th percentile are within 10 %, and exact up to 10 seconds', () => {
  fc.assert(
    fc.property(times, fc.constantFrom(0.5, 0.9), (all, share) => {
      const [found, wanted] = [quantileOf(histogramOf(all), share)!, exact(all, share)];
      if (wanted <= 10) expect(found).toBe(wanted);
      // A tenth of a second is rounded.
      else expect(Math.abs(found - wanted)).toBeLessThanOrEqual(wanted / 10 + 0.05);
    }),
  );
});

test('the sum of two histograms is that of all times, and taking times away leaves the others', () => {
  fc.assert(
    fc.property(times, times, (some, others) => {
      const whole = histogramOf([...some, ...others]);
      const sum = histogramOf(some);
      histogramOf(others).forEach((count, bucket) => addToBucket(sum, bucket, count));
      expect(sum).toEqual(whole);
      for (const seconds of others) addToBucket(sum, bucketOf(seconds), -1);
      expect(sum).toEqual(histogramOf(some));
    }),
  );
});

test('no times have no median', () => {
  const histogram = histogramOf([5]);
  addToBucket(histogram, 5, -1);
  expect([quantileOf(histogram, 0.5), histogram.size]).toEqual([null, 0]);
});

test('all times that a view can have lie in at most 75 buckets, in their order', () => {
  const buckets: number[] = [];
  for (let seconds = 0; seconds <= MAX_SECONDS; seconds++) buckets.push(bucketOf(seconds));
  expect(new Set(buckets).size).toBeLessThanOrEqual(75);
  expect(buckets.every((bucket, i) => i === 0 || bucket >= buckets[i - 1]!)).toBe(true);
});
