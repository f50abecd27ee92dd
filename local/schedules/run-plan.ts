import { backoffMs, type Job } from './jobs';
import { type Times, writeLastRuns } from './last-runs';

/** The state of one job. All times are milliseconds since 1970. */
export interface Plan {
  job: Job;
  /** The next run is the first scheduled time after this one. Undefined for a function that never ran. */
  lastRunAt: number | undefined;
  /** The last run that needs no repetition: it succeeded, or it has no retries left. */
  endedRunAt: number | undefined;
  /** 0 for a function that never ran. */
  nextRunAt: number;
  retry?: Attempt;
  isRunning: boolean;
  hasLogged: boolean;
}

/** An attempt of a run. */
export interface Attempt {
  /** 0 for the first attempt, 1 for the first retry. */
  number: number;
  at: number;
  /** The begin of the first attempt. */
  startedAt: number;
  /** The time for which the run was scheduled. */
  scheduledAt: number;
}

/** The plans of a start. Without a data folder, or in a new one, no run was missed: `isNew`. */
export function plansOf(jobs: Job[], lastRuns: Times, isNew: boolean, now: number): Plan[] {
  return jobs.map((job): Plan => {
    const lastRunAt = lastRuns[job.name] ?? (isNew ? now : undefined);
    const nextRunAt = lastRunAt === undefined ? 0 : job.schedule.next(lastRunAt);
    return { job, lastRunAt, endedRunAt: lastRunAt, nextRunAt, isRunning: false, hasLogged: false };
  });
}

/**
 * Writes the runs that need no repetition. They are on disk when this returns. The times in `found` of functions
 * without a plan stay: an older version of the service does not have every function.
 */
export function keep(plans: Plan[], found: Times, dataDir: string | undefined): void {
  if (dataDir === undefined) return;
  const ended = plans.flatMap(({ job, endedRunAt }) => (endedRunAt === undefined ? [] : [[job.name, endedRunAt]]));
  writeLastRuns(dataDir, { ...found, ...(Object.fromEntries(ended) as Times) });
}

/** When the next attempt is due. A clock that was set back does not stop the schedule. */
export function dueAt(plan: Plan, now: number): number {
  if (plan.lastRunAt !== undefined && plan.lastRunAt > now) setLastRun(plan, now);
  return Math.min(plan.nextRunAt, plan.retry?.at ?? Infinity);
}

/** The attempt that begins now. A scheduled time ends the retries of the run before it. */
export function beginAttempt(plan: Plan, now: number): Attempt {
  const { retry, nextRunAt } = plan;
  delete plan.retry;
  if (retry && nextRunAt > now) return retry;
  setLastRun(plan, now);
  return { number: 0, at: now, startedAt: now, scheduledAt: nextRunAt || now };
}

/** Plans the retry of a failed attempt, if the function asks for one and it comes before the next scheduled time. */
export function planRetry(plan: Plan, failed: Attempt, now: number): void {
  const { retry } = plan.job;
  const number = failed.number + 1;
  // Cloud Scheduler retries until both limits are reached. Without retryCount it does not retry.
  const isWithinTime = now - failed.startedAt < retry.maxRetrySeconds * 1000;
  if (retry.retryCount === 0 || (number > retry.retryCount && !isWithinTime)) return;
  const at = now + backoffMs(retry, number);
  if (at < plan.nextRunAt) plan.retry = { ...failed, number, at };
}

function setLastRun(plan: Plan, at: number): void {
  plan.lastRunAt = at;
  plan.nextRunAt = plan.job.schedule.next(at);
}
