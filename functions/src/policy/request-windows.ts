/** The length of the sliding windows in which requests are counted, in seconds. */
export const WINDOW_SECONDS = 3600;

/** Seconds until a window has room for one more request; 0 when it has room now. `times` are the counted requests. */
export function secondsUntilRoom(times: readonly Date[], max: number, now: Date): number {
  const recent = withinWindow(times, now);
  if (recent.length < max) return 0;
  const opensAt = recent[recent.length - max]!.getTime() + WINDOW_SECONDS * 1000;
  return Math.max(1, Math.ceil((opensAt - now.getTime()) / 1000));
}

/** The requests of the last hour, oldest first. */
export function withinWindow(times: readonly Date[], now: Date): Date[] {
  return times
    .filter((time) => now.getTime() - time.getTime() < WINDOW_SECONDS * 1000)
    .sort((a, b) => a.getTime() - b.getTime());
}
