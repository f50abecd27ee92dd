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
  const crons = meaning.patterns.map((pattern) => cronOf(pattern, timeZone));
  return {
    next: (time) => Math.min(...crons.map((cron) => cron.nextRun(new Date(time))?.getTime() ?? Infinity)),
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

/** The pattern without the extensions of the library that Cloud Scheduler refuses, such as seconds, `L` and `@daily`. */
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
