/**
 * Makes a function that does its work once for each key, as long as this tab lives. Work that failed is done again at
 * the next call.
 */
export function onceForEach<Given extends unknown[], Found>(
  keyOf: (...given: Given) => string,
  work: (...given: Given) => Promise<Found>,
): (...given: Given) => Promise<Found> {
  const known = new Map<string, Promise<Found>>();
  return (...given) => {
    const key = keyOf(...given);
    let found = known.get(key);
    if (!found) {
      found = work(...given);
      known.set(key, found);
      found.catch(() => known.delete(key));
    }
    return found;
  };
}
