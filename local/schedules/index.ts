import { setTimeout as pause } from 'node:timers/promises';
import { callJob } from './call';
import { backoffMs, jobsOf, type Job } from './jobs';
import { readLastRuns, writeLastRuns } from './last-runs';

export interface SchedulesOptions {
  /** The exports of functions/. */
  functions: Record<string, unknown>;
  /** The address of the functions, without a trailing slash. */
  baseUrl: string;
  /** Where the times of the last runs are kept. Without it, a start does not know of missed runs. */
  dataDir?: string;
  /** Whether the data folder was made by this start. Then no run was missed. */
  isNew?: boolean;
  /** Milliseconds since 1970. */
  now?: () => number;
  log?: (line: string) => void;
  /** How long `close` waits for the runs that have begun. 5 seconds by default. */
  waitMs?: number;
}

/** The running schedules of a local cloud. */
export interface Schedules {
  jobs: { name: string; schedule: string }[];
  /** Begins the runs and retries that are due now. Resolves when all runs have ended. A timer calls it, too. */
  runDue(): Promise<void>;
  /** Begins no further runs, and waits for the runs that have begun. The next start repeats a run that did not end. */
  close(): Promise<void>;
}

/** The state of one job. All times are milliseconds since 1970. */
interface Plan {
  job: Job;
  /** The next run is the first scheduled time after this one. Undefined for a function that never ran. */
  lastRunAt: number | undefined;
  /** The last run that needs no repetition: it succeeded, or it has no retries left. */
  endedRunAt: number | undefined;
  nextRunAt: number;
  retry?: Retry;
  isRunning: boolean;
  hasLogged: boolean;
}

interface Retry {
  /** 1 for the first retry. */
  number: number;
  at: number;
  /** The begin of the first attempt, and the time for which it was scheduled. */
  startedAt: number;
  scheduledAt: number;
}

/** A run is late by at most this when the clock of the machine jumps, as it does after sleep. */
const LONGEST_PAUSE_MS = 1000;
const WAIT_MS = 5_000;

/**
 * Runs the scheduled functions as Cloud Scheduler does: by HTTP, at the times of their schedules, never two runs of one
 * function at once, with the retries that the function asks for. A run that was missed while the local cloud was
 * stopped begins at once; several missed runs are one. Throws for a schedule that is not valid.
 */
export function startSchedules(options: SchedulesOptions): Schedules {
  const { functions, baseUrl, dataDir, isNew = false } = options;
  const { waitMs = WAIT_MS, now = () => Date.now(), log = (line: string) => console.error(line) } = options;
  const plans = plansOf(jobsOf(functions), dataDir, isNew, now());
  const aborting = new AbortController();
  const running = new Set<Promise<void>>();
  let closing: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;

  const dueAt = (plan: Plan) => {
    // A clock that was set back must not stop the schedule.
    if (plan.lastRunAt !== undefined && plan.lastRunAt > now()) setLastRun(plan, now());
    return Math.min(plan.nextRunAt, plan.retry?.at ?? Infinity);
  };

  const runDue = async () => {
    if (!closing) plans.filter((plan) => !plan.isRunning && dueAt(plan) <= now()).forEach(begin);
    await Promise.all(running);
  };

  const begin = (plan: Plan) => {
    plan.isRunning = true;
    const run = attempt(plan).finally(() => {
      plan.isRunning = false;
      running.delete(run);
    });
    running.add(run);
  };

  const attempt = async (plan: Plan): Promise<void> => {
    const { job } = plan;
    const attemptedAt = now();
    const isRetry = plan.retry !== undefined && plan.nextRunAt > attemptedAt;
    // The next scheduled time ends the retries of the run before it.
    const first: Retry = isRetry
      ? plan.retry!
      : { number: 0, at: attemptedAt, startedAt: attemptedAt, scheduledAt: plan.nextRunAt || attemptedAt };
    delete plan.retry;
    if (!isRetry) setLastRun(plan, attemptedAt);
    const before = performance.now();
    const { signal } = aborting;
    const status = await callJob({ baseUrl, name: job.name, scheduledAt: first.scheduledAt, signal }).catch(String);
    const durationMs = Math.round(performance.now() - before);
    // The next start repeats a run that was cut off.
    if (signal.aborted) return;

    const problem = problemOf(job, status, durationMs);
    if (problem !== undefined) {
      plan.retry = retryOf(job, first, now());
      if (!plan.retry || plan.retry.at >= plan.nextRunAt) delete plan.retry;
      const next = plan.retry ? `retry ${plan.retry.number} follows` : 'the next run is';
      log(`schedule ${job.name} ${problem}; ${next} at ${new Date(plan.retry?.at ?? plan.nextRunAt).toISOString()}`);
    } else if (!plan.hasLogged) {
      log(`schedule ${job.name}: first run since the start, ${durationMs} ms`);
      plan.hasLogged = true;
    }
    if (!plan.retry) noteEnd(plan);
  };

  const noteEnd = (plan: Plan) => {
    plan.endedRunAt = plan.lastRunAt;
    try {
      keep(plans, dataDir);
    } catch (error) {
      log(`schedule ${plan.job.name} has run, but this could not be written: ${(error as Error).message}`);
    }
  };

  const tick = () => {
    void runDue();
    const waiting = plans.filter(({ isRunning }) => !isRunning).map((plan) => dueAt(plan) - now());
    timer = setTimeout(tick, Math.max(1, Math.min(LONGEST_PAUSE_MS, ...waiting)));
  };
  if (plans.length > 0) tick();

  const close = async () => {
    clearTimeout(timer);
    const waiting = new AbortController();
    const ended = Promise.all(running).finally(() => waiting.abort());
    await Promise.race([ended, pause(waitMs, undefined, { signal: waiting.signal }).catch(() => {})]);
    aborting.abort();
    await ended;
  };
  return {
    jobs: plans.map(({ job }) => ({ name: job.name, schedule: job.text })),
    runDue,
    close: () => (closing ??= close()),
  };
}

function plansOf(jobs: Job[], dataDir: string | undefined, isNew: boolean, now: number): Plan[] {
  const lastRuns = dataDir === undefined ? {} : readLastRuns(dataDir);
  const plans = jobs.map((job): Plan => {
    const lastRunAt = lastRuns[job.name] ?? (isNew || dataDir === undefined ? now : undefined);
    const nextRunAt = lastRunAt === undefined ? 0 : job.schedule.next(lastRunAt);
    return { job, lastRunAt, endedRunAt: lastRunAt, nextRunAt, isRunning: false, hasLogged: false };
  });
  if (isNew) keep(plans, dataDir);
  return plans;
}

function setLastRun(plan: Plan, at: number): void {
  plan.lastRunAt = at;
  plan.nextRunAt = plan.job.schedule.next(at);
}

/** Writes the runs that need no repetition. */
function keep(plans: Plan[], dataDir: string | undefined): void {
  if (dataDir === undefined) return;
  const ended = plans.flatMap(({ job, endedRunAt }) => (endedRunAt === undefined ? [] : [[job.name, endedRunAt]]));
  writeLastRuns(dataDir, Object.fromEntries(ended) as Record<string, number>);
}

/** Why an attempt has failed, or undefined for a success. */
function problemOf({ deadlineMs }: Job, status: number | string, durationMs: number): string | undefined {
  if (typeof status === 'string') return `could not be called: ${status}`;
  if (status < 200 || status > 299) return `failed with status ${status} after ${durationMs} ms`;
  return durationMs > deadlineMs ? `needed ${durationMs} ms, and its deadline is ${deadlineMs} ms` : undefined;
}

/** The retry after a failed attempt. Undefined when the function asks for no more. */
function retryOf({ retry }: Job, failed: Retry, now: number): Retry | undefined {
  const number = failed.number + 1;
  // Cloud Scheduler retries until both limits are reached. Without retryCount it does not retry.
  const isWithinTime = now - failed.startedAt < retry.maxRetrySeconds * 1000;
  if (retry.retryCount === 0 || (number > retry.retryCount && !isWithinTime)) return undefined;
  return { ...failed, number, at: now + backoffMs(retry, number) };
}
