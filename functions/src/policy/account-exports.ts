import { DAY_MS, GB } from '../values/units';

/** Between two exports of an account, and from the last part until all are deleted. */
export const EXPORT_WINDOW_MS = 7 * DAY_MS;
export const KEPT_MS = 7 * DAY_MS;

/** A part is closed when its files reach either, or when its time is over. */
export const PART_BYTES = 1 * GB;
export const PART_FILES = 10_000;
const [PART_MS, MIN_PART_MS] = [150_000, 10_000];

/** How long an attempt at a part keeps the export: longer than a function runs. */
export const ATTEMPT_MS = 600_000;

/** Attempts at one part, which take 4 hours. Then the export has failed. */
export const MAX_ATTEMPTS = 24;

/**
 * The time after which a part is closed, so that neither many small decks nor a slow bucket stop an export. A part that
 * was cut off so many times is tried again with half of it. A file is never split.
 */
export const partMsOf = (cutOff: number): number => Math.max(MIN_PART_MS, PART_MS / 2 ** cutOff);

/** The seconds until the next export may begin; 0 when it may begin now. */
export function secondsUntilNext(requestedAt: Date | undefined, now: Date): number {
  if (!requestedAt) return 0;
  return Math.max(0, Math.ceil((requestedAt.getTime() + EXPORT_WINDOW_MS - now.getTime()) / 1000));
}

/** The name of a part for the person who downloads it. */
export const partFileName = (requestedAt: Date, part: number): string =>
  `account-${requestedAt.toISOString().slice(0, 10)}-part-${String(part).padStart(3, '0')}.zip`;
