import fc from 'fast-check';
import { backoffMs } from '../../../local/schedules/jobs';
import { parseSchedule } from '../../../local/schedules/schedule';
import { each } from '../../support/each';

const at = (text: string) => Date.parse(`${text}Z`);
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

describe('a schedule', () => {
  // 22 November 2026 is a Sunday.
  test.each([
    ['* * * * *', 'UTC', ['2026-11-22T04:31', '2026-11-22T04:32']],
    ['*/10 * * * *', 'UTC', ['2026-11-22T04:40', '2026-11-22T04:50']],
    ['5,35 4-6/2 * * *', 'UTC', ['2026-11-22T04:35', '2026-11-22T06:05', '2026-11-22T06:35']],
    ['0 9 * * 7', 'UTC', ['2026-11-22T09:00', '2026-11-29T09:00']],
    ['0 9 1 JAN mon', 'UTC', ['2027-01-01T09:00', '2027-01-04T09:00']],
    ['0 4 * * *', 'Europe/Paris', ['2026-11-23T03:00', '2026-11-24T03:00']],
    ['every 1 minutes', 'UTC', ['2026-11-22T04:31', '2026-11-22T04:32']],
    ['every 5 mins', 'UTC', ['2026-11-22T04:35', '2026-11-22T04:40']],
    ['every 7 minutes', 'UTC', ['2026-11-22T04:33', '2026-11-22T04:40']],
    ['every 11 hours', 'UTC', ['2026-11-22T11:00', '2026-11-22T22:00', '2026-11-23T00:00', '2026-11-23T11:00']],
    // Intervals without a range count in UTC, whatever the time zone is.
    ['every 12 hours', 'Asia/Kolkata', ['2026-11-22T12:00', '2026-11-23T00:00']],
    ['every 24 hours', 'UTC', ['2026-11-23T00:00', '2026-11-24T00:00']],
    ['every 48 hours', 'UTC', ['2026-11-23T00:00', '2026-11-25T00:00']],
    ['every 12 hours synchronized', 'Asia/Kolkata', ['2026-11-22T06:30', '2026-11-22T18:30']],
    ['every 45 minutes from 10:00 to 11:30', 'UTC', ['2026-11-22T10:00', '2026-11-22T10:45', '2026-11-22T11:30']],
    ['every 2 hours from 22:00 to 02:00', 'UTC', ['2026-11-22T22:00', '2026-11-23T00:00', '2026-11-23T02:00']],
    ['every day 04:00', 'UTC', ['2026-11-23T04:00', '2026-11-24T04:00']],
    ['Every  Monday 5:00', 'UTC', ['2026-11-23T05:00', '2026-11-30T05:00']],
    ['every mon, wed 09:30', 'UTC', ['2026-11-23T09:30', '2026-11-25T09:30']],
    ['every monday of march 09:00', 'UTC', ['2027-03-01T09:00', '2027-03-08T09:00']],
    ['2nd,third mon,wed of march 17:00', 'UTC', ['2027-03-08T17:00', '2027-03-10T17:00', '2027-03-15T17:00']],
    ['first sunday of month 00:00', 'UTC', ['2026-12-06T00:00', '2027-01-03T00:00']],
    ['1 of jan,april,july,oct 00:00', 'UTC', ['2027-01-01T00:00', '2027-04-01T00:00']],
    ['1,15 of month 08:00', 'UTC', ['2026-12-01T08:00', '2026-12-15T08:00']],
    ['1st monday of 2nd month of quarter 06:00', 'UTC', ['2027-02-01T06:00', '2027-05-03T06:00']],
  ])('%s (%s) comes at the times of Cloud Scheduler', (text, timeZone, times) => {
    const schedule = parseSchedule(text, timeZone);
    let time = at('2026-11-22T04:30');
    for (const expected of each(times)) {
      time = schedule.next(time);
      expect(new Date(time).toISOString()).toBe(`${expected}:00.000Z`);
    }
  });

  // New York changes its clocks at 2026-11-01T06:00Z (back) and 2026-03-08T07:00Z (forward).
  test.each([
    ['*/30 * * * *', '2026-11-01T05:00', ['11-01T05:30', '11-01T06:00', '11-01T06:30', '11-01T07:00']],
    ['0 * * * *', '2026-11-01T04:30', ['11-01T05:00', '11-01T06:00', '11-01T07:00']],
    ['0 */2 * * *', '2026-11-01T03:00', ['11-01T04:00', '11-01T07:00', '11-01T09:00']],
    ['every 30 minutes from 01:00 to 02:00', '2026-11-01T04:59', ['11-01T05:00', '11-01T05:30', '11-01T06:00']],
    ['30 1 * * *', '2026-11-01T04:00', ['11-01T05:30', '11-02T06:30']],
    ['*/30 * * * *', '2026-03-08T06:00', ['03-08T06:30', '03-08T07:00', '03-08T07:30']],
    ['0 */2 * * *', '2026-03-08T04:00', ['03-08T05:00', '03-08T08:00', '03-08T10:00']],
    ['30 2 * * *', '2026-03-08T05:00', ['03-08T07:30', '03-09T06:30']],
    ['*/30 0 1 7 *', '2026-02-01T00:00', ['07-01T04:00', '07-01T04:30']],
  ])('%s keeps its intervals, and a time of the day comes once, when clocks change after %s', (text, after, times) => {
    const schedule = parseSchedule(text, 'America/New_York');
    let time = at(after);
    for (const expected of each(times)) {
      time = schedule.next(time);
      expect(new Date(time).toISOString()).toBe(`2026-${expected}:00.000Z`);
    }
  });

  test.each([
    ['', 'five fields'],
    ['every blue moon', 'no time'],
    ['every 5 minute', 'every N minutes'],
    ['every 0 minutes', 'interval is 0'],
    ['every 5 minutes at 10:00', 'neither'],
    ['every 5 minutes from 10:00 to 25:00', '"25:00"'],
    ['every day 24:00', '"24:00"'],
    ['every day', 'no time'],
    ['every tag 04:00', '"tag"'],
    ['sixth monday of month 04:00', '"sixth"'],
    ['1st monday of 4th month of quarter 04:00', 'three months'],
    ['1 of brumaire 04:00', '"brumaire"'],
    ['* * * *', 'five fields'],
    ['* * * * * *', 'five fields'],
    ['@daily', 'five fields'],
    ['60 * * * *', 'minute'],
    ['* * L * *', 'day of the month'],
    ['* * * * MON#1', 'day of the week'],
    ['5/15 * * * *', 'minute'],
    ['0 0 30 2 *', 'never comes'],
  ])('%j is refused with the reason', (text, reason) => expect(() => parseSchedule(text)).toThrow(reason));

  test('of every N minutes comes at the multiples of N since midnight UTC', () => {
    const times = fc.integer({ min: 0, max: at('2100-01-01T00:00') });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1440 }), times, (minutes, time) => {
        const next = parseSchedule(`every ${minutes} minutes`).next(time);
        expect(((next % (24 * HOUR)) / MINUTE) % minutes).toBe(0);
        expect(next).toBeGreaterThan(time);
        expect(next - time).toBeLessThanOrEqual(minutes * MINUTE);
      }),
    );
  });

  test('an unknown time zone is refused', () => {
    expect(() => parseSchedule('* * * * *', 'Mars/Olympus')).toThrow('"Mars/Olympus"');
  });
});

test('the pauses before retries double, then grow evenly, as Cloud Scheduler documents', () => {
  const retry = { retryCount: 9, maxRetrySeconds: 0, minBackoffSeconds: 10, maxBackoffSeconds: 300, maxDoublings: 3 };
  const pauses = Array.from({ length: 8 }, (_, i) => backoffMs(retry, i + 1) / 1000);
  expect(pauses).toEqual([10, 20, 40, 80, 160, 240, 300, 300]);
});
