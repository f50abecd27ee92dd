import { DAY_MS } from '../values/units';

const DAYS = 7;

const dayOf = (time: Date) => Math.floor(time.getTime() / DAY_MS);

/** The name of a UTC day among the counted days of a listing. It is a field name of the database. */
export const dayKey = (time: Date) => `d${dayOf(time)}`;

/** The counts of the last 7 UTC days, today included, and their sum. */
export function lastDays(
  days: Readonly<Record<string, number>>,
  now: Date,
): { days: Record<string, number>; sum: number } {
  const keys = new Set(Array.from({ length: DAYS }, (_, i) => dayKey(new Date(now.getTime() - i * DAY_MS))));
  const kept = Object.entries(days).filter(([key]) => keys.has(key));
  return { days: Object.fromEntries(kept), sum: kept.reduce((sum, [, count]) => sum + count, 0) };
}
