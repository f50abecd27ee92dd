import { addDays, startOfDay } from '../values/days';
import { DAY_MS } from '../values/units';

/** Mails about first views that an owner gets in a day (UTC). The other first views of the day are in one digest. */
export const MAX_NOTICES_A_DAY = 20;
/** The links that a digest names. It counts the others. */
export const MAX_DIGEST_LINKS = 200;

/** A mail that was not accepted is tried again after this time, and so is one whose run was cut off. */
export const NOTICE_RETRY_MS = 10 * 60_000;
/** The provider knows its idempotency keys for a day: a later attempt could send a mail twice. */
export const isTooLate = (begunAt: Date, now: Date): boolean => now.getTime() - begunAt.getTime() > DAY_MS - 3_600_000;

/** When the digest of a day is sent. A run that began before midnight has ended by then. */
export const digestDueAt = (day: string): Date => new Date(startOfDay(addDays(day, 1)).getTime() + NOTICE_RETRY_MS);
