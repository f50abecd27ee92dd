/** What an English schedule means: an interval in UTC, or cron patterns in the time zone of the function. */
export type Meaning = { intervalMinutes: number } | { patterns: string[] };

const weekdays = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];
const months = [
  'january',
  'february',
  'march',
  'april',
  'may',
  'june',
  'july',
  'august',
  'september',
  'october',
  'november',
  'december',
];
const ordinals = ['first', 'second', 'third', 'fourth', 'fifth'];
const shortOrdinals = ['1st', '2nd', '3rd', '4th', '5th'];

/**
 * Parses the English schedules of App Engine's cron in their documented forms:
 *
 *     every N (hours|mins|minutes) [from HH:MM to HH:MM | synchronized]
 *     (every | <ordinals>) (day | <weekdays>) [of (month | <months> | <ordinal> month of quarter)] HH:MM
 *     <days of the month> of (month | <months> | <ordinal> month of quarter) HH:MM
 *
 * Lists are separated by commas. Throws an error with the reason.
 */
export function englishSchedule(text: string): Meaning {
  // A list may have spaces after its commas.
  const words = text
    .trim()
    .toLowerCase()
    .replace(/\s*,\s*/g, ',')
    .replace(/\s+/g, ' ');
  const [, count, unit, rest] = /^every (\d+) (hours|mins|minutes)(?: (.+))?$/.exec(words) ?? [];
  if (count !== undefined) return intervalOf(Number(count) * (unit === 'hours' ? 60 : 1), rest);
  if (/^every \d/.test(words)) throw new Error('An interval is "every N hours", "every N minutes" or "every N mins".');
  return { patterns: [datesOf(words)] };
}

function intervalOf(minutes: number, rest: string | undefined): Meaning {
  if (minutes === 0) throw new Error('The interval is 0.');
  if (rest === undefined) return { intervalMinutes: minutes };
  const [, from, to] = /^from (\S+) to (\S+)$/.exec(rest) ?? [];
  if (rest !== 'synchronized' && (from === undefined || to === undefined)) {
    throw new Error(`${JSON.stringify(rest)} is neither "synchronized" nor of the form "from 10:00 to 14:00".`);
  }
  const first = from === undefined ? 0 : minuteOfDay(from);
  let last = to === undefined ? 24 * 60 - 1 : minuteOfDay(to);
  // A range may contain midnight.
  if (last < first) last += 24 * 60;
  const minutesOfHours = new Map<number, number[]>();
  for (let minute = first; minute <= last; minute += minutes) {
    const hour = Math.floor(minute / 60) % 24;
    minutesOfHours.set(hour, [...(minutesOfHours.get(hour) ?? []), minute % 60]);
  }
  return { patterns: [...minutesOfHours].map(([hour, each]) => `${each.join(',')} ${hour} * * *`) };
}

/** The cron pattern of a schedule that names days. */
function datesOf(words: string): string {
  const [, days, ofMonths = 'month', time] = /^(.+?)(?: of (.+))? (\S+)$/.exec(words) ?? [];
  if (days === undefined || !time?.includes(':')) throw new Error('There is no time such as "04:00" at its end.');
  const minute = minuteOfDay(time);
  const at = `${minute % 60} ${Math.floor(minute / 60)}`;
  const inMonths = monthsOf(ofMonths);
  if (/^\d+(,\d+)*$/.test(days)) return `${at} ${days} ${inMonths} *`;
  const [which = '', named = '', ...others] = days.split(' ');
  if (named === '' || others.length > 0) throw new Error(`${JSON.stringify(days)} does not name days.`);
  if (which === 'every') return `${at} * ${inMonths} ${named === 'day' ? '*' : weekdaysOf(named).join(',')}`;
  const nth = which.split(',').map(ordinalOf);
  return `${at} * ${inMonths} ${weekdaysOf(named)
    .flatMap((day) => nth.map((n) => `${day}#${n}`))
    .join(',')}`;
}

function monthsOf(words: string): string {
  if (words === 'month') return '*';
  const [, ordinal] = /^(\S+) month of quarter$/.exec(words) ?? [];
  if (ordinal === undefined)
    return words
      .split(',')
      .map((name) => indexOf(name, months, 'month') + 1)
      .join(',');
  const first = ordinalOf(ordinal);
  if (first > 3) throw new Error('A quarter has three months.');
  return [0, 3, 6, 9].map((before) => before + first).join(',');
}

const weekdaysOf = (words: string) => words.split(',').map((name) => indexOf(name, weekdays, 'day of the week'));

/** The place of a name, or of its first three letters, in the list. */
function indexOf(name: string, names: string[], kind: string): number {
  const index = names.findIndex((each) => each === name || each.slice(0, 3) === name);
  if (index < 0) throw new Error(`${JSON.stringify(name)} is not a ${kind}.`);
  return index;
}

function ordinalOf(word: string): number {
  const index = Math.max(ordinals.indexOf(word), shortOrdinals.indexOf(word));
  if (index < 0) throw new Error(`${JSON.stringify(word)} is neither "every" nor an ordinal such as "1st" or "first".`);
  return index + 1;
}

function minuteOfDay(time: string): number {
  const [, hour, minute] = /^(\d{1,2}):(\d{2})$/.exec(time) ?? [];
  if (hour === undefined || Number(hour) > 23 || Number(minute) > 59) {
    throw new Error(`${JSON.stringify(time)} is not a time such as "04:00".`);
  }
  return Number(hour) * 60 + Number(minute);
}
