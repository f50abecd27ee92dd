/**
 * When the picture of a version is tried again. An attempt fails when the bucket does not answer, or ends the process.
 */

const FIRST_PAUSE_MS = 10 * 60_000;

/** The pauses double, so the last attempt begins after 21 hours. */
export const MAX_PICTURE_ATTEMPTS = 8;

/** When the attempt after this one is due: after the longest run of a job, and then after twice the last pause. */
export const pictureAttemptAt = (attempts: number, now: Date): Date =>
  new Date(now.getTime() + FIRST_PAUSE_MS * 2 ** (attempts - 1));
