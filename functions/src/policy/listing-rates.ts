/** The largest number of new listings of one organization in one day. */
export const MAX_NEW_LISTINGS_A_DAY = 20;

export const DAY_SECONDS = 24 * 3600;

/** The publications of the last day, oldest first. */
export function withinDay(times: readonly Date[], now: Date): Date[] {
  return times
    .filter((time) => now.getTime() - time.getTime() < DAY_SECONDS * 1000)
    .sort((a, b) => a.getTime() - b.getTime());
}

/** The details of a rate-limit error when the last day has no room for one more listing, or undefined. */
export function exceededListingRate(times: readonly Date[], now: Date) {
  const recent = withinDay(times, now);
  if (recent.length < MAX_NEW_LISTINGS_A_DAY) return undefined;
  const opensAt = recent[recent.length - MAX_NEW_LISTINGS_A_DAY]!.getTime() + DAY_SECONDS * 1000;
  const seconds = Math.ceil((opensAt - now.getTime()) / 1000);
  return {
    limit: MAX_NEW_LISTINGS_A_DAY,
    actual: recent.length + 1,
    windowSeconds: DAY_SECONDS,
    // A time of a clock that was ahead lies in the future.
    retryInSeconds: Math.min(Math.max(1, seconds), DAY_SECONDS),
  };
}
