import { backoffMs, valueOf, type RetryConfig } from '../schedules/jobs';

/** The queue of a function that tasks call, with the settings of the queue that a deploy makes for it. */
export interface Queue {
  /** The name of the function. */
  name: string;
  /** How many tasks run at once, and how many begin in a second. */
  maxConcurrentDispatches: number;
  maxDispatchesPerSecond: number;
  /** After so many attempts a task is dropped, unless `maxRetrySeconds` have not passed. -1 means no limit. */
  maxAttempts: number;
  retry: RetryConfig;
}

/** What a deploy sets where a function leaves it open (firebase-tools, src/gcp/cloudtasks.ts). */
const defaults = {
  maxConcurrentDispatches: 1000,
  maxDispatchesPerSecond: 500,
  maxAttempts: 3,
  maxRetrySeconds: 0,
  minBackoffSeconds: 0.1,
  maxBackoffSeconds: 3600,
  maxDoublings: 16,
};

interface Endpoint {
  taskQueueTrigger?: { rateLimits?: Record<string, unknown>; retryConfig?: Record<string, unknown> };
}

/** The queues of the functions among the exports that tasks call. */
export function queuesOf(functions: Record<string, unknown>): Map<string, Queue> {
  const queues = new Map<string, Queue>();
  for (const [name, value] of Object.entries(functions)) {
    const { taskQueueTrigger: trigger } = ((value ?? {}) as { __endpoint?: Endpoint }).__endpoint ?? {};
    if (!trigger) continue;
    const { maxConcurrentDispatches, maxDispatchesPerSecond, maxAttempts, ...retry } = {
      ...defaults,
      ...numbersOf(trigger.rateLimits),
      ...numbersOf(trigger.retryConfig),
    };
    const limits = { maxConcurrentDispatches, maxDispatchesPerSecond, maxAttempts };
    queues.set(name, { name, ...limits, retry: { ...retry, retryCount: maxAttempts } });
  }
  return queues;
}

function numbersOf(options: Record<string, unknown> = {}): Partial<typeof defaults> {
  const known = Object.entries(options).map(([key, option]) => [key, valueOf(option)] as const);
  return Object.fromEntries(
    known.filter(([, value]) => value !== undefined).map(([key, value]) => [key, Number(value)]),
  );
}

/**
 * When a task that has failed so many times is tried again; undefined when it is dropped. A task that has both limits
 * is dropped when it has reached both of them. Times are milliseconds since 1970.
 */
export function nextAttempt(
  { maxAttempts, retry }: Queue,
  { attempts, firstAt }: { attempts: number; firstAt: number },
  now: number,
): number | undefined {
  const hasAttempts = maxAttempts < 0 || attempts < maxAttempts;
  const hasTime = retry.maxRetrySeconds > 0 && now - firstAt < retry.maxRetrySeconds * 1000;
  return hasAttempts || hasTime ? now + backoffMs(retry, attempts) : undefined;
}
