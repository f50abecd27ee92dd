import { isFromWrongClock, waitSeconds } from './request-windows';

/** The largest number of new listings of one organization in one day. */
export const MAX_NEW_LISTINGS_A_DAY = 20;

export const DAY_SECONDS = 24 * 3600;

/**
 * The publications of the last day, oldest first. A time from a wrong clock is not counted: it would close the window.
 */
export function withinDay(times: readonly Date[], now: Date): Date[] {
  return times
    .filter((time) => now.getTime() - time.getTime() < DAY_SECONDS * 1000 && !isFromWrongClock(time, now))
    .sort((a, b) => a.getTime() - b.getTime());
}

/** The details of a rate-limit error when the last day has no room for one more listing, or undefined. */
export function exceededListingRate(times: readonly Date[], now: Date) {
  const recent = withinDay(times, now);
  if (recent.length < MAX_NEW_LISTINGS_A_DAY) return undefined;
  const opensAt = recent[recent.length - MAX_NEW_LISTINGS_A_DAY]!.getTime() + DAY_SECONDS * 1000;
  return {
    limit: MAX_NEW_LISTINGS_A_DAY,
    actual: recent.length + 1,
    windowSeconds: DAY_SECONDS,
    retryInSeconds: waitSeconds(opensAt - now.getTime(), DAY_SECONDS),
  };
}
