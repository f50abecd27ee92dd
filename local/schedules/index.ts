import { endWithin } from '../end-within';
import { callJob } from './call';
import { jobsOf, type Job } from './jobs';
import { readLastRuns, type Times } from './last-runs';
import { beginAttempt, dueAt, keep, type Plan, planRetry, plansOf } from './run-plan';

export interface SchedulesOptions {
  /** The exports of functions/. */
  functions: Record<string, unknown>;
  /** The address of the functions, without a trailing slash. */
  baseUrl: string;
  /** The name of a function in its address. By default the name of its export. */
  addressedAs?: (name: string) => string;
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

/** A run is late by at most this when the clock of the machine jumps, as it does after sleep. */
const LONGEST_PAUSE_MS = 1000;
const WAIT_MS = 5_000;

/**
 * Runs the scheduled functions as Cloud Scheduler does: by HTTP, at the times of their schedules, never two runs of one
 * function at once, with the retries that the function asks for. A run that was missed while the local cloud was
 * stopped begins at once; several missed runs are one. Throws for a schedule that is not valid.
 */
export function startSchedules(options: SchedulesOptions): Schedules {
  return new Scheduler(options);
}

class Scheduler implements Schedules {
  readonly jobs: { name: string; schedule: string }[];
  readonly #options: SchedulesOptions;
  readonly #plans: Plan[];
  /** The times that the file had at the start, also those of functions that this start does not run. */
  readonly #found: Times;
  readonly #now: () => number;
  readonly #log: (line: string) => void;
  readonly #running = new Set<Promise<void>>();
  readonly #cutOff = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #closing: Promise<void> | undefined;

  constructor(options: SchedulesOptions) {
    const { functions, dataDir, isNew = false } = options;
    this.#options = options;
    this.#now = options.now ?? (() => Date.now());
    this.#log = options.log ?? ((line) => console.error(line));
    this.#found = dataDir === undefined ? {} : readLastRuns(dataDir);
    this.#plans = plansOf(jobsOf(functions), this.#found, isNew || dataDir === undefined, this.#now());
    if (isNew) keep(this.#plans, this.#found, dataDir);
    this.jobs = this.#plans.map(({ job }) => ({ name: job.name, schedule: job.text }));
    if (this.jobs.length > 0) this.#tick();
  }

  async runDue(): Promise<void> {
    const now = this.#now();
    const due = this.#plans.filter((plan) => !this.#closing && !plan.isRunning && dueAt(plan, now) <= now);
    for (const plan of due) this.#begin(plan);
    await Promise.all(this.#running);
  }

  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  #tick(): void {
    void this.runDue();
    const now = this.#now();
    const waits = this.#plans.filter(({ isRunning }) => !isRunning).map((plan) => dueAt(plan, now) - now);
    this.#timer = setTimeout(() => this.#tick(), Math.max(1, Math.min(LONGEST_PAUSE_MS, ...waits)));
  }

  #begin(plan: Plan): void {
    plan.isRunning = true;
    const run = this.#attempt(plan).finally(() => {
      plan.isRunning = false;
      this.#running.delete(run);
    });
    this.#running.add(run);
  }

  async #attempt(plan: Plan): Promise<void> {
    const { name } = plan.job;
    const { baseUrl, addressedAs = (same) => same } = this.#options;
    const path = addressedAs(name);
    const { signal } = this.#cutOff;
    const attempt = beginAttempt(plan, this.#now());
    const before = performance.now();
    const status = await callJob({ baseUrl, name, path, scheduledAt: attempt.scheduledAt, signal }).catch(String);
    const durationMs = Math.round(performance.now() - before);
    // The next start repeats a run that was cut off.
    if (signal.aborted) return;

    const problem = problemOf(plan.job, status, durationMs);
    if (problem !== undefined) {
      planRetry(plan, attempt, this.#now());
      const next = plan.retry ? `retry ${plan.retry.number} follows` : 'the next run is';
      const nextAt = new Date(plan.retry?.at ?? plan.nextRunAt).toISOString();
      this.#log(`schedule ${name} ${problem}; ${next} at ${nextAt}`);
    } else if (!plan.hasLogged) {
      this.#log(`schedule ${name}: first run since the start, ${durationMs} ms`);
      plan.hasLogged = true;
    }
    if (!plan.retry) this.#noteEnd(plan);
  }

  #noteEnd(plan: Plan): void {
    plan.endedRunAt = plan.lastRunAt;
    try {
      keep(this.#plans, this.#found, this.#options.dataDir);
    } catch (error) {
      this.#log(`schedule ${plan.job.name} has run, but this could not be written: ${(error as Error).message}`);
    }
  }

  async #close(): Promise<void> {
    clearTimeout(this.#timer);
    const { waitMs = WAIT_MS } = this.#options;
    await endWithin(waitMs, this.#running, this.#cutOff);
  }
}

/** Why an attempt has failed, or undefined for a success. */
function problemOf({ deadlineMs }: Job, status: number | string, durationMs: number): string | undefined {
  if (typeof status === 'string') return `could not be called: ${status}`;
  if (status < 200 || status > 299) return `failed with status ${status} after ${durationMs} ms`;
  return durationMs > deadlineMs ? `needed ${durationMs} ms, and its deadline is ${deadlineMs} ms` : undefined;
}
