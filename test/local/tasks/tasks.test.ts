import { randomBytes } from 'node:crypto';
import { deleteApp, initializeApp } from 'firebase-admin/app';
import { getFunctions, type TaskQueue } from 'firebase-admin/functions';
import { HttpsError } from 'firebase-functions/https';
import type { Request, TaskQueueOptions } from 'firebase-functions/tasks';
import { startHost } from '../../../local/host';
import { startTasks } from '../../../local/tasks';
import { gate } from '../firestore/fixture';
import { aFolder } from '../folders';
import { onTaskDispatched } from '../host/functions';

const PROJECT = 'demo-tasks';
const SECOND = 1000;
const MINUTE = 60 * SECOND;

describe('task queues', () => {
  const secret = randomBytes(32);
  const app = initializeApp({ projectId: PROJECT }, 'tasks');
  let time = 0;
  let lines: string[] = [];
  const running = new Set<() => Promise<void>>();
  afterAll(() => deleteApp(app));
  beforeEach(() => {
    time = Date.parse('2026-11-28T12:00:00Z');
    lines = [];
  });
  afterEach(async () => {
    for (const stop of running) await stop();
  });

  /** Starts the queue `work`, and returns the Admin SDK's client of it. */
  async function start(work: (request: Request) => unknown, options: TaskQueueOptions = {}, dataDir = aFolder()) {
    const functions = { work: onTaskDispatched(options, async (request) => void (await work(request))) };
    const log = (line: string) => lines.push(line);
    const tasks = await startTasks({ dataDir, project: PROJECT, now: () => time, log });
    process.env['CLOUD_TASKS_EMULATOR_HOST'] = tasks.host;
    const host = await startHost({ project: PROJECT, functions, taskSecret: secret });
    const dispatcher = tasks.run({ functions, baseUrl: host.baseUrl, secret, isTimed: false, waitMs: 0 });
    const stop = async () => {
      running.delete(stop);
      for (const part of [dispatcher, host, tasks]) await part.close();
    };
    running.add(stop);
    const queue: TaskQueue<unknown> = getFunctions(app).taskQueue('work');
    return { queue, dispatcher, host, tasks, stop };
  }
  const failing = () => {
    throw new HttpsError('internal', 'expected by the test');
  };

  test('call the function with data, id, headers and a token, at the time of the task, once', async () => {
    const seen: Request[] = [];
    const { queue, dispatcher, host } = await start((request) => seen.push(request));
    const scheduleTime = new Date(time + MINUTE);
    await queue.enqueue({ deck: 'Ünïcode' }, { id: 'one', scheduleTime, headers: { 'x-part': 'a' } });
    await dispatcher.runDue();
    expect(seen).toEqual([]);
    time += MINUTE;
    await dispatcher.runDue();
    await dispatcher.runDue();
    expect(seen).toMatchObject([
      {
        data: { deck: 'Ünïcode' },
        id: 'one',
        queueName: 'work',
        retryCount: 0,
        executionCount: 0,
        scheduledTime: (scheduleTime.getTime() / SECOND).toFixed(6),
        headers: { 'x-part': 'a', 'content-type': 'application/json', 'user-agent': 'Google-Cloud-Tasks' },
        auth: { token: { aud: `${host.baseUrl}/work` } },
      },
    ]);
  });

  test('retry with growing pauses up to the attempts of the queue, and say what became of the task', async () => {
    const retryConfig = { maxAttempts: 3, minBackoffSeconds: 10, maxDoublings: 4 };
    const counts: unknown[] = [];
    const { queue, dispatcher } = await start(
      ({ retryCount, executionCount, previousResponse }) => {
        counts.push([retryCount, executionCount, previousResponse]);
        failing();
      },
      { retryConfig },
    );
    await queue.enqueue({}, { id: 'fails' });
    for (const seconds of [0, 9, 1, 19, 1, 3600]) {
      time += seconds * SECOND;
      await dispatcher.runDue();
    }
    expect(counts).toEqual([
      [0, 0, undefined],
      [1, 1, 500],
      [2, 2, 500],
    ]);
    expect(lines).toEqual([
      'task work/fails failed with status 500; the next attempt is at 2026-11-28T12:00:10.000Z',
      'task work/fails failed with status 500; the next attempt is at 2026-11-28T12:00:30.000Z',
      'task work/fails failed with status 500; it is dropped',
    ]);
  });

  test('keep a task while its attempts or its time last', async () => {
    let runs = 0;
    const retryConfig = { maxAttempts: 1, maxRetrySeconds: 30, minBackoffSeconds: 10, maxBackoffSeconds: 10 };
    const { queue, dispatcher } = await start(() => (runs++, failing()), { retryConfig });
    await queue.enqueue({});
    for (let i = 0; i < 10; i++) {
      await dispatcher.runDue();
      time += 10 * SECOND;
    }
    expect(runs).toBe(4);
  });

  test('refuse a name that is taken or was within an hour; a deleted task does not run', async () => {
    const ids: string[] = [];
    const { queue, dispatcher } = await start(({ id }) => ids.push(id));
    await queue.enqueue({}, { id: 'a' });
    const exists = { code: 'functions/task-already-exists' };
    await expect(queue.enqueue({}, { id: 'a' })).rejects.toMatchObject(exists);
    await dispatcher.runDue();
    await expect(queue.enqueue({}, { id: 'a' })).rejects.toMatchObject(exists);
    time += 61 * MINUTE;
    await queue.enqueue({}, { id: 'a' });
    await queue.enqueue({}, { id: 'b' });
    await queue.delete('b');
    await queue.delete('b');
    await dispatcher.runDue();
    expect(ids).toEqual(['a', 'a']);
  });

  test('run no more tasks at once and in a second than the queue allows', async () => {
    const { opened, open } = gate();
    let [now, most, all] = [0, 0, 0];
    const rateLimits = { maxConcurrentDispatches: 2, maxDispatchesPerSecond: 3 };
    const { queue, dispatcher } = await start(
      async () => {
        most = Math.max(most, ++now);
        all++;
        if (now === 2) open();
        await opened;
        now--;
      },
      { rateLimits },
    );
    for (let i = 0; i < 6; i++) await queue.enqueue({ i });
    await dispatcher.runDue();
    expect([most, all]).toEqual([2, 3]);
    time += SECOND;
    await dispatcher.runDue();
    expect([most, all]).toEqual([2, 6]);
  });

  test('survive a restart, also when they ran at that moment', async () => {
    const dataDir = aFolder();
    const runs: unknown[] = [];
    const { opened, open } = gate();
    const first = await start(() => opened, {}, dataDir);
    await first.queue.enqueue({ n: 1 }, { id: 'runs' });
    await first.queue.enqueue({ n: 2 }, { id: 'waits', scheduleTime: new Date(time + MINUTE) });
    void first.dispatcher.runDue();
    await first.stop();
    open();
    const second = await start(({ id, retryCount }) => runs.push([id, retryCount]), {}, dataDir);
    await second.dispatcher.runDue();
    time += MINUTE;
    await second.dispatcher.runDue();
    expect(runs).toEqual([
      ['runs', 1],
      ['waits', 0],
    ]);
  });

  test('answer 404 without the queue, 401 without a token, and 400 for what is not a task', async () => {
    const { tasks, host } = await start(() => {});
    const path = `/projects/${PROJECT}/locations/us-central1/queues/work/tasks`;
    const send = async (
      to: string,
      body: unknown,
      headers: Record<string, string> = { authorization: 'Bearer owner' },
    ) => (await fetch(`http://${tasks.host}${to}`, { method: 'POST', headers, body: JSON.stringify(body) })).status;
    const task = (fields: object) => send(path, { task: { httpRequest: { body: '' }, ...fields } });
    const wrong = [
      { name: `${path.slice(1)}/no spaces` },
      { name: `${path.slice(1).replace('work', 'other')}/a` },
      { scheduleTime: 'tomorrow' },
      { scheduleTime: new Date(time + 31 * 24 * 60 * MINUTE) },
      { dispatchDeadline: '5s' },
      { httpRequest: { url: 'https://example.com/' } },
      { httpRequest: { body: 'x'.repeat(1_500_000) } },
    ];
    for (const fields of wrong) expect([fields, await task(fields)]).toEqual([fields, 400]);
    expect(await task({})).toBe(200);
    expect(await send(path, {}, {})).toBe(401);
    expect(await send(path.replace('work', 'other'), {})).toBe(404);
    expect(await send(path.replace(PROJECT, 'other'), {})).toBe(404);
    // Nobody but the queue calls the function.
    const call = (authorization: string) =>
      fetch(`${host.baseUrl}/work`, {
        method: 'POST',
        headers: { authorization, 'content-type': 'application/json' },
        body: '{"data":{}}',
      });
    const forged = ['', 'Bearer owner', `Bearer ${Buffer.from('{}').toString('base64url')}.e30.AAAA`];
    for (const authorization of forged) expect((await call(authorization)).status).toBe(403);
  });
});
