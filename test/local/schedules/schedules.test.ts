import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { startHost, type Host } from '../../../local/host';
import { startSchedules, type Schedules, type SchedulesOptions } from '../../../local/schedules';
import { backoffMs } from '../../../local/schedules/jobs';
import { parseSchedule } from '../../../local/schedules/schedule';
import { each } from '../../support/each';
import { close, listen } from '../../support/sockets';
import { gate } from '../firestore/fixture';
import { aFolder } from '../folders';
import { onSchedule, plain } from '../host/functions';

const at = (text: string) => Date.parse(`${text}Z`);
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

describe('a schedule', () => {
  // 22 November 2026 is a Sunday.
  test.each([
    ['* * * * *', ['2026-11-22T04:31', '2026-11-22T04:32']],
    ['*/10 * * * *', ['2026-11-22T04:40', '2026-11-22T04:50']],
    ['5,35 4-6/2 * * *', ['2026-11-22T04:35', '2026-11-22T06:05', '2026-11-22T06:35']],
    ['0 4 * * *', ['2026-11-23T04:00', '2026-11-24T04:00']],
    ['0 9 * * 7', ['2026-11-22T09:00', '2026-11-29T09:00']],
    ['0 9 1 JAN mon', ['2027-01-01T09:00', '2027-01-04T09:00']],
  ])('%s comes at the times of Cloud Scheduler', (text, times) => {
    const schedule = parseSchedule(text);
    let time = at('2026-11-22T04:30');
    for (const expected of each(times)) {
      time = schedule.next(time);
      expect(new Date(time).toISOString()).toBe(`${expected}:00.000Z`);
    }
  });

  test.each([
    ['', 'five fields'],
    ['every 5 minutes', 'five fields'],
    ['* * * *', 'five fields'],
    ['* * * * * *', 'five fields'],
    ['@daily', 'five fields'],
    ['every monday of march 09:00', '"every" is not a valid minute'],
    ['60 * * * *', 'minute'],
    ['* * L * *', 'day of the month'],
    ['* * * * MON#1', 'day of the week'],
    ['5/15 * * * *', 'minute'],
    ['0 0 30 2 *', 'never comes'],
  ])('%j is refused with the reason', (text, reason) => expect(() => parseSchedule(text)).toThrow(reason));
});

test('the pauses before retries double, then grow evenly, as Cloud Scheduler documents', () => {
  const retry = { retryCount: 9, maxRetrySeconds: 0, minBackoffSeconds: 10, maxBackoffSeconds: 300, maxDoublings: 3 };
  const pauses = Array.from({ length: 8 }, (_, i) => backoffMs(retry, i + 1) / 1000);
  expect(pauses).toEqual([10, 20, 40, 80, 160, 240, 300, 300]);
});

describe('scheduled functions', () => {
  const hosts: Pick<Host, 'close'>[] = [];
  const open: Schedules[] = [];
  let time = at('2026-11-22T04:30:30');
  let lines: string[] = [];

  beforeEach(() => {
    time = at('2026-11-22T04:30:30');
    lines = [];
  });
  // A test with a failed expectation leaves its timer, too.
  afterEach(async () => {
    await Promise.all(open.splice(0).map((schedules) => schedules.close()));
    await Promise.all(hosts.splice(0).map((host) => host.close()));
  });

  const start = async (functions: Record<string, unknown>, options: Partial<SchedulesOptions> = {}) => {
    const host = await startHost({ project: 'demo-schedules', functions });
    hosts.push(host);
    const { baseUrl } = host;
    const log = (line: string) => lines.push(line);
    const schedules = startSchedules({ functions, baseUrl, now: () => time, log, ...options });
    open.push(schedules);
    return { schedules, host };
  };
  const startAndStop = async (functions: Record<string, unknown>, dataDir: string, isNew = false) => {
    const { schedules } = await start(functions, { dataDir, isNew });
    await schedules.runDue();
    await schedules.close();
  };
  /** A function that keeps the times for which it was scheduled. */
  const aJob = (options: string | Parameters<typeof onSchedule>[0], work: (run: number) => unknown = () => {}) => {
    const runs: string[] = [];
    const handler = async ({ scheduleTime }: { scheduleTime: string }) => {
      runs.push(scheduleTime.slice(11, 16));
      await work(runs.length);
    };
    return { runs, job: onSchedule(options as string, handler) };
  };
  test('run once at each time of their schedule; a start of a new folder has missed no run', async () => {
    const often = aJob('* * * * *');
    const seldom = aJob('0 */2 * * *');
    const { schedules } = await start({ often: often.job, seldom: seldom.job }, { dataDir: aFolder(), isNew: true });
    await schedules.runDue();
    expect([often.runs, seldom.runs]).toEqual([[], []]);
    time += MINUTE;
    await schedules.runDue();
    await schedules.runDue();
    expect([often.runs, seldom.runs]).toEqual([['04:31'], []]);
    // Several missed runs are one run.
    time += 2 * HOUR;
    await schedules.runDue();
    expect([often.runs, seldom.runs]).toEqual([['04:31', '04:32'], ['06:00']]);
    time += MINUTE;
    await schedules.runDue();
    expect(often.runs).toEqual(['04:31', '04:32', '06:32']);
    const first = (name: string) =>
      expect.stringMatching(new RegExp(`^schedule ${name}: first run since the start, \\d+ ms$`)) as string;
    expect(lines).toEqual([first('often'), first('seldom')]);
  });

  test('run at the start when a run was missed, and only then', async () => {
    const dataDir = aFolder();
    const hourly = aJob('0 * * * *');
    const functions = { hourly: hourly.job };
    await startAndStop(functions, dataDir, true);
    time = at('2026-11-22T04:59:59');
    await startAndStop(functions, dataDir);
    expect(hourly.runs).toEqual([]);
    time = at('2026-11-22T07:20');
    await startAndStop(functions, dataDir);
    expect(hourly.runs).toEqual(['05:00']);
    await startAndStop(functions, dataDir);
    expect(hourly.runs).toEqual(['05:00']);
    // The folder is older than this function, or than the file with the times.
    const added = aJob('0 * * * *');
    await startAndStop({ ...functions, added: added.job }, dataDir);
    expect([hourly.runs, added.runs]).toEqual([['05:00'], ['07:20']]);
  });

  test('keep the times of functions that another start knows, and may have other names in their addresses', async () => {
    const dataDir = aFolder();
    const [hourly, removed] = [aJob('0 * * * *'), aJob('0 * * * *')];
    await startAndStop({ hourly: hourly.job, removed: removed.job }, dataDir, true);
    time = at('2026-11-22T05:10');
    // firebase-tools serves the function under this name.
    const addressedAs = (name: string) => `${name}-0`;
    const emulated = { dataDir, addressedAs, functions: { hourly: hourly.job } };
    const { schedules } = await start({ 'hourly-0': hourly.job }, emulated);
    await schedules.runDue();
    await schedules.close();
    expect([hourly.runs, lines]).toEqual([['05:00'], [expect.stringMatching(/^schedule hourly: first run/)]]);
    await startAndStop({ hourly: hourly.job }, dataDir);
    expect(hourly.runs).toEqual(['05:00']);
    await startAndStop({ removed: removed.job }, dataDir);
    expect(removed.runs).toEqual(['05:00']);
  });

  test('are called as Cloud Scheduler calls them; a run that is due begins when the run before it has ended', async () => {
    const { opened: released, open: release } = gate();
    const begun = gate();
    const calls: object[] = [];
    let active = 0;
    let most = 0;
    const server = createServer(({ method, url, headers }, res) => {
      if (method === 'GET') return void res.end();
      most = Math.max(most, ++active);
      calls.push({ method, url, ...headers });
      begun.open();
      void released.then(() => res.end(() => active--));
    });
    hosts.push({ close: () => close(server) });
    const baseUrl = `http://127.0.0.1:${await listen(server)}/demo/europe-west1`;
    const functions = { slow: aJob('* * * * *').job };
    const schedules = startSchedules({ functions, baseUrl, now: () => time, log: () => {}, waitMs: 0 });
    open.push(schedules);
    time += MINUTE;
    void schedules.runDue();
    await begun.opened;
    time += MINUTE;
    void schedules.runDue();
    // The server would get a second call before this one.
    await fetch(baseUrl);
    expect(calls).toMatchObject([
      {
        method: 'POST',
        url: '/demo/europe-west1/slow',
        'user-agent': 'Google-Cloud-Scheduler',
        'x-cloudscheduler': 'true',
        'x-cloudscheduler-jobname': 'firebase-schedule-slow-europe-west1',
        'x-cloudscheduler-scheduletime': '2026-11-22T04:31:00.000Z',
      },
    ]);
    release();
    await schedules.runDue();
    await schedules.runDue();
    expect([calls.length, most]).toEqual([2, 1]);
    expect(calls[1]).toMatchObject({ 'x-cloudscheduler-scheduletime': '2026-11-22T04:32:00.000Z' });
  });

  test('do not overlap with a POST, nor do two POSTs: the platform has one instance with one request', async () => {
    const { opened: released, open: release } = gate();
    const marked = gate();
    let active = 0;
    let most = 0;
    const slow = aJob('* * * * *', async () => {
      most = Math.max(most, ++active);
      await released;
      active--;
    });
    const marker = plain((_req, res) => {
      res.end();
      marked.open();
    });
    const { schedules, host } = await start({ slow: slow.job, marker });
    time += MINUTE;
    const running = schedules.runDue();
    // The host has both requests for the job when the third request of the connection reaches its function.
    const socket = connect(host.port, '127.0.0.1');
    const path = new URL(host.baseUrl).pathname;
    for (const name of ['slow', 'slow', 'marker'])
      socket.write(`POST ${path}/${name} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 0\r\n\r\n`);
    await marked.opened;
    await new Promise(setImmediate);
    release();
    await running;
    const answers = createInterface(socket);
    let answered = 0;
    for await (const line of answers) if (line.startsWith('HTTP/1.1 200') && ++answered === 3) break;
    socket.destroy();
    expect([most, slow.runs.length]).toEqual([1, 3]);
  });

  test('that fail are logged and retried as they ask, until the next scheduled time', async () => {
    const dataDir = aFolder();
    const failing = aJob({ schedule: '0 * * * *', retryCount: 2, minBackoffSeconds: 10 });
    // The SDK logs the error of a handler that throws. This function answers without it.
    const answer = (req: IncomingMessage, res: ServerResponse) => {
      failing.runs.push(String(req.headers['x-cloudscheduler-scheduletime']).slice(11, 16));
      res.writeHead(500).end();
    };
    const { schedules } = await start({ failing: Object.assign(answer, failing.job) }, { dataDir, isNew: true });
    time = at('2026-11-22T05:00');
    const seen: number[] = [];
    for (const seconds of [0, 9, 1, 19, 1, 600]) {
      time += seconds * 1000;
      await schedules.runDue();
      seen.push(failing.runs.length);
    }
    expect([seen, new Set(failing.runs)]).toEqual([[1, 1, 2, 2, 3, 3], new Set(['05:00'])]);
    const failed = expect.stringMatching(/^schedule failing failed with status 500 after \d+ ms; /) as string;
    expect(lines).toEqual([failed, failed, failed]);
    expect(lines.map((line) => line.split('; ')[1])).toEqual([
      'retry 1 follows at 2026-11-22T05:00:10.000Z',
      'retry 2 follows at 2026-11-22T05:00:30.000Z',
      'the next run is at 2026-11-22T06:00:00.000Z',
    ]);
    // The next scheduled time replaces a retry that is due.
    time = at('2026-11-22T06:00');
    await schedules.runDue();
    time = at('2026-11-22T07:00');
    await schedules.runDue();
    expect(failing.runs.slice(3)).toEqual(['06:00', '07:00']);
    // The run of 07:00 had retries left when the local cloud stopped, so the next start repeats it.
    await schedules.close();
    const repaired = aJob('0 * * * *');
    await startAndStop({ failing: repaired.job }, dataDir);
    expect(repaired.runs).toEqual(['06:00']);
  });

  test.each([
    ['that end within 5 seconds are waited for when the local cloud stops', {}, ['04:31']],
    ['that a stop cuts off run again at the next start', { waitMs: 0 }, ['04:31', '04:31']],
  ])('%s', async (_what, patience, runs) => {
    const { opened: released, open: release } = gate();
    const begun = gate();
    const slow = aJob('* * * * *', async (run) => {
      begun.open();
      if (run === 1) await released;
    });
    const dataDir = aFolder();
    const { schedules, host } = await start({ slow: slow.job }, { dataDir, isNew: true, ...patience });
    time += MINUTE;
    void schedules.runDue();
    await begun.opened;
    const closed = Promise.all([schedules.close(), schedules.close()]);
    if ('waitMs' in patience) await closed;
    release();
    await closed;
    await host.close();
    // The next start repeats a run that was not noted.
    await startAndStop({ slow: slow.job }, dataDir);
    time += MINUTE;
    await schedules.runDue();
    expect([slow.runs, lines]).toEqual([runs, [expect.stringContaining('first run')]]);
  });

  test('continue when the clock was set back', async () => {
    const often = aJob('* * * * *');
    const { schedules } = await start({ often: often.job });
    time -= 48 * HOUR;
    await schedules.runDue();
    time += MINUTE;
    await schedules.runDue();
    expect(often.runs).toEqual(['04:31']);
  });

  test.each([
    ['every full moon', undefined, 'It does not have the five fields of unix-cron.'],
    ['* * * * *', 'Europe/Paris', 'Its time zone is not UTC.'],
  ])('with the schedule %j in the time zone %s are refused by name', (schedule, timeZone, reason) => {
    const { job } = aJob({ schedule, ...(timeZone && { timeZone }) });
    const message = `The schedule ${JSON.stringify(schedule)} of the function odd is not valid. ${reason}`;
    expect(() => startSchedules({ functions: { odd: job }, baseUrl: '' })).toThrow(message);
  });

  test('a damaged file of times is refused, and the message says what to do', async () => {
    const dataDir = aFolder();
    await start({ often: aJob('* * * * *').job }, { dataDir, isNew: true });
    writeFileSync(join(dataDir, 'schedules'), '{}\n');
    const options = { functions: {}, baseUrl: '', dataDir };
    expect(() => startSchedules(options)).toThrow(/schedules is damaged: .+ Delete this file/);
    const line = JSON.stringify({ program: 'decks local cloud', format: 1, store: 'schedules', lastRuns: {} });
    const sum = createHash('sha256').update(line).digest('hex');
    writeFileSync(join(dataDir, 'schedules'), `${line}\n${sum}\n`);
    expect(() => startSchedules(options)).toThrow(`The data folder ${dataDir} has format 1, not 2.`);
  });
});
