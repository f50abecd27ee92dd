import { DAY_MS } from './units';

/** Days and months in UTC as texts: `2026-03-14` and `2026-03`. They sort by time. */

/** The longest range of days in one answer. */
export const MAX_RANGE_DAYS = 400;

export const dayOf = (time: Date): string => time.toISOString().slice(0, 10);
export const monthOf = (day: string): string => day.slice(0, 7);

/** Whether a text is a day that exists, from 2000 to 9998. */
export function isDay(text: string): boolean {
  if (!/^[2-9]\d{3}-\d\d-\d\d$/.test(text) || text.startsWith('9999')) return false;
  const time = new Date(text);
  return !Number.isNaN(time.getTime()) && dayOf(time) === text;
}

/** The first moment of a day. */
export const startOfDay = (day: string): Date => new Date(`${day}T00:00:00.000Z`);
/** The day that is so many days later. */
export const addDays = (day: string, count: number): string =>
  dayOf(new Date(startOfDay(day).getTime() + count * DAY_MS));

/** Every day from the first to the last one. */
export function daysBetween(from: string, to: string): string[] {
  const days: string[] = [];
  for (let day = from; day <= to; day = addDays(day, 1)) days.push(day);
  return days;
}

/** The last day of a month. */
export function lastDayOf(month: string): string {
  const [year, number] = month.split('-').map(Number) as [number, number];
  return dayOf(new Date(Date.UTC(year, number, 0)));
}

/** The periods that make up a range: a month for each whole month of it, and days for the rest, in order. */
export function periodsOf(from: string, to: string): string[] {
  const periods: string[] = [];
  for (let day = from; day <= to;) {
    const last = lastDayOf(monthOf(day));
    const isWholeMonth = day.endsWith('-01') && last <= to;
    periods.push(isWholeMonth ? monthOf(day) : day);
    day = addDays(isWholeMonth ? last : day, 1);
  }
  return periods;
}
