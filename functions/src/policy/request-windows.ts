/** The length of a sliding window in which requests are counted, in seconds, when a window names no other. */
export const WINDOW_SECONDS = 3600;

/**
 * Seconds until a window has room for one more request; 0 when it has room now. `times` are the counted requests. At
 * most the length of the window: another instance may have counted with a clock that is ahead.
 */
export function secondsUntilRoom(
  times: readonly Date[],
  max: number,
  now: Date,
  windowSeconds = WINDOW_SECONDS,
): number {
  const recent = withinWindow(times, now, windowSeconds);
  if (recent.length < max) return 0;
  const opensAt = recent[recent.length - max]!.getTime() + windowSeconds * 1000;
  return waitSeconds(opensAt - now.getTime(), windowSeconds);
}

/** A wait in whole seconds, at least 1 and at most the length of its window. */
export function waitSeconds(waitMs: number, windowSeconds: number): number {
  return Math.min(windowSeconds, Math.max(1, Math.ceil(waitMs / 1000)));
}

/** The largest difference between the clocks of two instances that is expected. */
const MAX_SKEW_MS = 60_000;

/** Whether a stored time comes from an instance whose clock was wrong: it is more than a minute ahead. */
export const isFromWrongClock = (time: Date, now: Date): boolean => time.getTime() - now.getTime() > MAX_SKEW_MS;

/** The requests in the window, oldest first. A time from a wrong clock is not counted: it would close the window. */
export function withinWindow(times: readonly Date[], now: Date, windowSeconds = WINDOW_SECONDS): Date[] {
  return times
    .filter((time) => now.getTime() - time.getTime() < windowSeconds * 1000 && !isFromWrongClock(time, now))
    .sort((a, b) => a.getTime() - b.getTime());
}
