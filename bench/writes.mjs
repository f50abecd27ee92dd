// How often readers of one deck write each document: Firestore sustains about one write a second on a document.

/** What the functions do, which test/bench.test.ts compares with the code. */
export const service = { shards: 32, viewsAtOnce: 100 };

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const FIRST_BEACON_MS = 10 * SECOND;
const NEXT_BEACONS_MS = 5 * MINUTE;

/**
 * `count` readers come within `ms`, each to read for 1 to 20 minutes. Returns for each kind of document the most writes
 * in a second, as the mean of the worst minute of the worst document. Loads that an instance counts together would be
 * fewer writes: here each load is one.
 */
export function writesOfReaders({ count, ms }, random) {
  const shards = Array.from({ length: service.shards }, () => []);
  const changed = new Map();
  let mostOfView = 0;
  for (let reader = 0; reader < count; reader++) {
    const from = ms * random();
    const until = from + MINUTE * (1 + 19 * random());
    shards[Math.floor(service.shards * random())].push(from);
    // The last one is sent when the page is hidden.
    const beacons = [until];
    for (let at = from + FIRST_BEACON_MS; at < until; at += NEXT_BEACONS_MS) beacons.push(at);
    mostOfView = Math.max(mostOfView, worstMinute(beacons));
    for (const minute of new Set(beacons.map((at) => Math.floor(at / MINUTE)))) {
      changed.set(minute, (changed.get(minute) ?? 0) + 1);
    }
  }
  const folds = [...changed.values()].map((views) => Math.ceil(views / service.viewsAtOnce));
  return {
    'a shard of the counter': Math.max(...shards.map(worstMinute)) / 60,
    'the view of a reader': mostOfView / 60,
    'the figures of the day': Math.max(...folds) / 60,
  };
}

const worstMinute = (times) => mostWithin(times, MINUTE);

/** The most times that lie within `ms`. */
export function mostWithin(times, ms) {
  const sorted = times.toSorted((a, b) => a - b);
  let most = 0;
  for (let first = 0, last = 0; last < sorted.length; last++) {
    while (sorted[last] - sorted[first] >= ms) first++;
    most = Math.max(most, last - first + 1);
  }
  return most;
}
