/** Numbers, sizes and dates in the form of the reader's language. */
const number = new Intl.NumberFormat();
const compact = new Intl.NumberFormat(undefined, { notation: 'compact', maximumFractionDigits: 1 });
const date = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });
const dateAndTime = new Intl.DateTimeFormat(undefined, { dateStyle: 'long', timeStyle: 'short' });
const relative = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' });

export const formatNumber = (value: number): string => number.format(value);
/** `12K` for a place with little room. */
export const formatCompact = (value: number): string => compact.format(value);
export const formatDate = (iso: string): string => date.format(new Date(iso));
export const formatDateAndTime = (iso: string): string => dateAndTime.format(new Date(iso));

const byteUnits = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'];

/** `1.4 MB`, in units of 1 024 as the plans count them. */
export function formatBytes(bytes: number): string {
  const power = bytes < 1 ? 0 : Math.min(Math.floor(Math.log2(bytes) / 10 + 0.003), byteUnits.length - 1);
  const value = bytes / 1024 ** power;
  const style = { style: 'unit', unit: byteUnits[power], unitDisplay: power === 0 ? 'long' : 'short' } as const;
  return new Intl.NumberFormat(undefined, { ...style, maximumFractionDigits: value < 100 && power > 0 ? 1 : 0 }).format(
    value,
  );
}

const SECOND = 1000;
const steps = [
  ['minute', 60 * SECOND],
  ['hour', 3600 * SECOND],
  ['day', 24 * 3600 * SECOND],
] as const;
const MAX_RELATIVE_DAYS = 14;

/** `5 minutes ago`, `in 3 days`; a date when it is more than two weeks away. */
export function formatAgo(iso: string, now = Date.now()): string {
  const passed = Date.parse(iso) - now;
  if (Math.abs(passed) < 60 * SECOND) return relative.format(0, 'second');
  const [unit, length] = [...steps].reverse().find(([, each]) => Math.abs(passed) >= each)!;
  if (unit === 'day' && Math.abs(passed) > MAX_RELATIVE_DAYS * length) return formatDate(iso);
  // A choice of 7 days is shown as `in 7 days`, and not as `in 6 days` a moment later.
  const round = passed > 0 ? Math.round : Math.trunc;
  return relative.format(round(passed / length), unit);
}

const percent = new Intl.NumberFormat(undefined, { style: 'percent' });
/** `62%`, of a part from 0 to 1. */
export const formatPercent = (part: number): string => percent.format(part);

// The figures of the service have days in UTC.
const dayOfYear = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', timeZone: 'UTC' });
const dayAndYear = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeZone: 'UTC' });
/** `Mar 14`, of a day such as `2026-03-14`. */
export const formatDay = (day: string): string => dayOfYear.format(new Date(day));
export const formatDayAndYear = (day: string): string => dayAndYear.format(new Date(day));

const inUnit = (value: number, unit: 'second' | 'minute' | 'hour') =>
  new Intl.NumberFormat(undefined, { style: 'unit', unit, unitDisplay: 'short' }).format(value);
const inUnits = (...parts: [value: number, unit: Parameters<typeof inUnit>[1]][]) =>
  parts
    .filter(([value], at) => at === 0 || value > 0)
    .map((part) => inUnit(...part))
    .join(' ');

/** `45 sec`, `4 min 10 sec`, `25 min`, `1 hr 5 min`. */
export function formatDuration(seconds: number): string {
  const whole = Math.round(seconds);
  if (whole < 60) return inUnit(whole, 'second');
  const minutes = Math.round(whole / 60);
  if (whole < 600) return inUnits([Math.floor(whole / 60), 'minute'], [whole % 60, 'second']);
  if (minutes < 60) return inUnit(minutes, 'minute');
  return inUnits([Math.floor(minutes / 60), 'hour'], [minutes % 60, 'minute']);
}
