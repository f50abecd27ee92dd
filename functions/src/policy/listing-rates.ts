import { DAY_SECONDS } from '../values/units';
import { secondsUntilRoom } from './request-windows';

/** The largest number of new listings of one organization in one day. */
export const MAX_NEW_LISTINGS_A_DAY = 20;

/** The details of a rate-limit error when the last day has no room for one more listing, or undefined. */
export function exceededListingRate(times: readonly Date[], now: Date) {
  const retryInSeconds = secondsUntilRoom(times, MAX_NEW_LISTINGS_A_DAY, now, DAY_SECONDS);
  return retryInSeconds === 0
    ? undefined
    : { limit: MAX_NEW_LISTINGS_A_DAY, windowSeconds: DAY_SECONDS, retryInSeconds };
}
