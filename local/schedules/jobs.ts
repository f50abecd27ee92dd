import { parseSchedule, type Schedule } from './schedule';

/** A scheduled function, with the settings of the Cloud Scheduler job that a deploy makes for it. */
export interface Job {
  name: string;
  /** The text of the schedule, for people. */
  text: string;
  schedule: Schedule;
  retry: RetryConfig;
  /** How long an attempt may take. */
  deadlineMs: number;
}

export interface RetryConfig {
  retryCount: number;
  /** 0 means no limit. */
  maxRetrySeconds: number;
  minBackoffSeconds: number;
  maxBackoffSeconds: number;
  maxDoublings: number;
}

/** Cloud Scheduler's own values, for what a function leaves open. */
const defaultRetry: RetryConfig = {
  retryCount: 0,
  maxRetrySeconds: 0,
  minBackoffSeconds: 5,
  maxBackoffSeconds: 3600,
  maxDoublings: 5,
};
/** The range into which a deploy moves the function's timeout, to use it as the deadline of an attempt. */
const MIN_DEADLINE_SECONDS = 180;
const MAX_DEADLINE_SECONDS = 1800;

interface Endpoint {
  scheduleTrigger?: { schedule?: unknown; timeZone?: unknown; retryConfig?: Record<string, unknown> };
  timeoutSeconds?: unknown;
}

/** The scheduled functions among the exports. Throws an error that names the function and its invalid schedule. */
export function jobsOf(functions: Record<string, unknown>): Job[] {
  return Object.entries(functions).flatMap(([name, value]) => {
    const { __endpoint: endpoint } = (value ?? {}) as { __endpoint?: Endpoint };
    return endpoint?.scheduleTrigger ? [jobOf(name, endpoint)] : [];
  });
}

function jobOf(name: string, { scheduleTrigger = {}, timeoutSeconds }: Endpoint): Job {
  const text = String(valueOf(scheduleTrigger.schedule));
  const timeout = Number(valueOf(timeoutSeconds) ?? 0);
  const configured = Object.entries(scheduleTrigger.retryConfig ?? {}).flatMap(([key, value]) => {
    const known = valueOf(value);
    return known === undefined ? [] : [[key, Number(known)]];
  });
  return {
    name,
    text,
    schedule: scheduleOf(name, text, valueOf(scheduleTrigger.timeZone)),
    retry: { ...defaultRetry, ...(Object.fromEntries(configured) as Partial<RetryConfig>) },
    deadlineMs: Math.min(Math.max(timeout, MIN_DEADLINE_SECONDS), MAX_DEADLINE_SECONDS) * 1000,
  };
}

function scheduleOf(name: string, text: string, timeZone: string | number = 'UTC'): Schedule {
  try {
    if (timeZone !== 'UTC') throw new Error('Its time zone is not UTC.');
    return parseSchedule(text);
  } catch (error) {
    const problem = `The schedule ${JSON.stringify(text)} of the function ${name} is not valid.`;
    throw new Error(`${problem} ${(error as Error).message}`, { cause: error });
  }
}

/** The value of an option. Undefined for one that a deploy resets. A parameter has its value in the environment. */
export function valueOf(option: unknown): string | number | undefined {
  if (typeof option === 'string' || typeof option === 'number') return option;
  const { value } = (option ?? {}) as { value?: () => unknown };
  return typeof value === 'function' ? valueOf(value.call(option)) : undefined;
}

/** The pause before a retry, which is number 1 for the first: it doubles, then grows evenly, up to its maximum. */
export function backoffMs(retry: RetryConfig, number: number): number {
  const { minBackoffSeconds: first, maxBackoffSeconds: longest, maxDoublings } = retry;
  const doublings = Math.min(number - 1, maxDoublings);
  const further = Math.max(0, number - 1 - maxDoublings);
  return Math.min(first * 2 ** doublings * (1 + further), longest) * 1000;
}
