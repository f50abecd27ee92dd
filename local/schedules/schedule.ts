import { Cron } from 'croner';
import { englishSchedule } from './english';

/** When a scheduled function runs. */
export interface Schedule {
  /** The first time after `time`. Both are milliseconds since 1970. */
  next(time: number): number;
}

const MINUTE_MS = 60_000;
const DAY_MINUTES = 24 * 60;

/**
 * Parses a schedule as Cloud Scheduler accepts it: unix-cron (five fields), or the English syntax of App Engine's cron.
 * Throws an error with the reason when the schedule or the time zone is not valid.
 */
export function parseSchedule(text: string, timeZone = 'UTC'): Schedule {
  assertTimeZone(timeZone);
  const meaning = /^\s*every\b|:/i.test(text) ? englishSchedule(text) : { patterns: [unixCron(text)] };
  if ('intervalMinutes' in meaning) return interval(meaning.intervalMinutes);
  const isRepeated = /^\s*every\s+\d/i.test(text);
  const schedules = meaning.patterns.map((pattern) =>
    isRepeated || hasStar(pattern) ? everyMatch(pattern, timeZone) : oncePerDay(pattern, timeZone),
  );
  return { next: (time) => Math.min(...schedules.map((schedule) => schedule.next(time))) };
}

/** Whether the minute or the hour has a `*`: such a schedule runs at intervals, not at times of the day. */
const hasStar = (pattern: string) => pattern.split(' ', 2).some((field) => field.includes('*'));

/**
 * A schedule of times of the day. When clocks change, a time that comes twice counts once, and a time that does not
 * come is moved behind the change. Cloud Scheduler's documentation does not say what it does ("can cause jobs to run or
 * not run unexpectedly"); this is the rule of Vixie cron.
 */
function oncePerDay(pattern: string, timeZone: string): Schedule {
  const cron = cronOf(pattern, timeZone);
  return { next: (time) => cron.nextRun(new Date(time))?.getTime() ?? Infinity };
}

/** A schedule of intervals: every time whose local fields match, also in an hour that comes twice. */
function everyMatch(pattern: string, timeZone: string): Schedule {
  const cron = cronOf(pattern, 'UTC');
  const offsetAt = offsets(timeZone);
  return {
    next(time) {
      // The pattern is applied to local times as if they were UTC, up to the next change of the offset.
      let from = (Math.floor(time / MINUTE_MS) + 1) * MINUTE_MS;
      for (;;) {
        const offset = offsetAt(from);
        const local = cron.nextRun(new Date(from + offset - 1))?.getTime();
        if (local === undefined) return Infinity;
        const found = local - offset;
        if (offsetAt(found) === offset) return found;
        from = changeBetween(from, found, offsetAt);
      }
    },
  };
}

/** The first minute in which the offset is not that of `from`. */
function changeBetween(from: number, to: number, offsetAt: (time: number) => number): number {
  const before = offsetAt(from);
  let [same, other] = [from / MINUTE_MS, to / MINUTE_MS];
  while (other - same > 1) {
    const middle = Math.floor((same + other) / 2);
    if (offsetAt(middle * MINUTE_MS) === before) same = middle;
    else other = middle;
  }
  return other * MINUTE_MS;
}

/** The difference of local time and UTC in milliseconds, at a full minute. */
function offsets(timeZone: string): (time: number) => number {
  const fields = { year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric' } as const;
  const format = new Intl.DateTimeFormat('en-US', { timeZone, hourCycle: 'h23', calendar: 'iso8601', ...fields });
  return (time) => {
    const parts = new Map(format.formatToParts(time).map(({ type, value }) => [type, Number(value)]));
    const at = (type: keyof typeof fields) => parts.get(type)!;
    return Date.UTC(at('year'), at('month') - 1, at('day'), at('hour'), at('minute')) - time;
  };
}

/** Multiples since midnight UTC. A longer interval than a day counts from 1 January 1970. */
function interval(minutes: number): Schedule {
  const stepMs = minutes * MINUTE_MS;
  const dayMs = DAY_MINUTES * MINUTE_MS;
  return {
    next(time) {
      const midnight = minutes < DAY_MINUTES ? Math.floor(time / dayMs) * dayMs : 0;
      const next = midnight + (Math.floor((time - midnight) / stepMs) + 1) * stepMs;
      return minutes < DAY_MINUTES ? Math.min(next, midnight + dayMs) : next;
    },
  };
}

const number = '\\d+';
const fieldsOfCron = [
  { name: 'minute', value: number },
  { name: 'hour', value: number },
  { name: 'day of the month', value: number },
  { name: 'month', value: `(?:${number}|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)` },
  { name: 'day of the week', value: `(?:${number}|sun|mon|tue|wed|thu|fri|sat)` },
];

/**
 * The pattern without the extensions of the library that Cloud Scheduler refuses, such as seconds, `L` and `@daily`.
 */
function unixCron(text: string): string {
  const fields = text.trim().split(/\s+/);
  if (fields.length !== fieldsOfCron.length) {
    throw new Error('It has neither the five fields of unix-cron nor the form "every 5 minutes" or "every day 04:00".');
  }
  for (const [i, { name, value }] of fieldsOfCron.entries()) {
    const range = `(?:\\*(?:/\\d+)?|${value}(?:-${value}(?:/\\d+)?)?)`;
    if (!new RegExp(`^${range}(?:,${range})*$`, 'i').test(fields[i]!)) {
      throw new Error(`${JSON.stringify(fields[i])} is not a valid ${name}.`);
    }
  }
  return fields.join(' ');
}

function cronOf(pattern: string, timezone: string): Cron {
  let cron: Cron;
  try {
    cron = new Cron(pattern, { mode: '5-part', paused: true, timezone });
  } catch (error) {
    throw new Error(`${(error as Error).message.replace(/^CronPattern: /, '')}.`, { cause: error });
  }
  // A fixed time, so that the same schedule is always accepted or always refused.
  if (!cron.nextRun(new Date(0))) throw new Error('It never comes: no month has such a day.');
  return cron;
}

function assertTimeZone(timeZone: string): void {
  try {
    new Intl.DateTimeFormat('en', { timeZone });
  } catch (error) {
    throw new Error(`The time zone ${JSON.stringify(timeZone)} does not exist.`, { cause: error });
  }
}
