import { Cron } from 'croner';

/** When a scheduled function runs. */
export interface Schedule {
  /** The first time after `time`. Both are milliseconds since 1970. */
  next(time: number): number;
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
 * Parses a schedule of unix-cron (five fields) in UTC. Throws an error with the reason when it is not valid. Cloud
 * Scheduler also accepts other time zones and the English syntax of App Engine's cron, which no function uses.
 */
export function parseSchedule(text: string): Schedule {
  const pattern = unixCron(text);
  let cron: Cron;
  try {
    cron = new Cron(pattern, { mode: '5-part', paused: true, timezone: 'UTC' });
  } catch (error) {
    throw new Error(`${(error as Error).message.replace(/^CronPattern: /, '')}.`, { cause: error });
  }
  // A fixed time, so that the same schedule is always accepted or always refused.
  if (!cron.nextRun(new Date(0))) throw new Error('It never comes: no month has such a day.');
  return { next: (time) => cron.nextRun(new Date(time))?.getTime() ?? Infinity };
}

/**
 * The pattern without the extensions of the library that Cloud Scheduler refuses, such as seconds, `L` and `@daily`.
 */
function unixCron(text: string): string {
  const fields = text.trim().split(/\s+/);
  if (fields.length !== fieldsOfCron.length) throw new Error('It does not have the five fields of unix-cron.');
  for (const [i, { name, value }] of fieldsOfCron.entries()) {
    const range = `(?:\\*(?:/\\d+)?|${value}(?:-${value}(?:/\\d+)?)?)`;
    if (!new RegExp(`^${range}(?:,${range})*$`, 'i').test(fields[i]!)) {
      throw new Error(`${JSON.stringify(fields[i])} is not a valid ${name}.`);
    }
  }
  return fields.join(' ');
}
