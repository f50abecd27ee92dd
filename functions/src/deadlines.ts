import { setTimeout as pause } from 'node:timers/promises';
import { config } from './config';
import { currentContext, runIn, type Context } from './context';

/**
 * How long the service waits for its backends (docs/faults.md). Three limits hold at the same time: an
 * attempt, a call with its retries, and everything that a request waits for together.
 */

export type Backend = 'Firestore' | 'Storage' | 'Auth' | 'Resend' | 'Tasks';

/** The time that a request keeps for its own work and its answer, in seconds. */
const RESERVE_SECONDS = 5;
/** How often a call is attempted. */
export const MAX_TRIES = 3;

/** A backend did not answer in time. What the call did is not known. */
export class BackendTimeout extends Error {
  /** The gRPC code FAILED_PRECONDITION: the Firestore client repeats neither the call nor its transaction. */
  readonly code = 9;

  constructor(backend: Backend) {
    super(`${backend} did not answer in time.`);
  }
}

/** When a function that begins now, and may run for `timeoutSeconds`, must stop waiting for backends. */
export const endOfWaiting = (timeoutSeconds: number): number =>
  performance.now() + (timeoutSeconds - RESERVE_SECONDS) * 1000;

/** Runs the work of a function that may run for `timeoutSeconds`. Its calls of backends end before that. */
export function withinTimeout<T>(timeoutSeconds: number, work: () => Promise<T>): Promise<T> {
  return runIn({ trail: undefined, endsAt: endOfWaiting(timeoutSeconds) }, work);
}

/** The context of a call that several requests share: the time of a call, whatever time each of them has left. */
export const contextOfCall = (): Context => ({
  trail: undefined,
  endsAt: performance.now() + config.callTimeoutMs(),
});

/** The time that the request may still wait, in milliseconds. `Infinity` outside of a request. */
export function timeLeftMs(context = currentContext()): number {
  return Math.max(0, (context?.endsAt ?? Infinity) - performance.now());
}

/** The time that a call that begins now may take with its retries, in milliseconds. */
export const callMs = (context = currentContext()): number => Math.min(config.callTimeoutMs(), timeLeftMs(context));

/** Throws `BackendTimeout` when a call, with the retries of its client library, takes too long. */
export function withinCall<T>(backend: Backend, work: () => Promise<T>, context = currentContext()): Promise<T> {
  return within(backend, callMs(context), work);
}

/**
 * Throws `BackendTimeout` when one attempt, or one step of a transfer, takes too long. `requestMs` is the time that the
 * request may still wait: pass `Infinity` for work that must also be done when that time is over.
 */
export function withinAttempt<T>(
  backend: Backend,
  work: () => Promise<T>,
  requestMs: number = timeLeftMs(),
): Promise<T> {
  return within(backend, Math.min(config.attemptTimeoutMs(), requestMs), work);
}

/** What an attempt gets: a signal that aborts it, and a function that it calls after each step of a long transfer. */
export interface Attempt {
  /** 1 for the first attempt. */
  number: number;
  signal: AbortSignal;
  /** Starts the time limit of the attempt again. */
  progress: () => void;
}

/**
 * Makes up to 3 attempts of an idempotent call, with pauses of random length. Repeats an attempt that took too long,
 * and one that failed with an error that `isTransient` accepts. Throws the last error. The limit of a call counts from
 * its last progress.
 */
export async function retrying<T>(
  backend: Backend,
  isTransient: (error: unknown) => boolean,
  work: (attempt: Attempt) => Promise<T>,
  context = currentContext(),
): Promise<T> {
  let endsAt = performance.now() + callMs(context);
  for (let number = 1; ; number++) {
    const abort = new AbortController();
    const attemptMs = () => Math.min(config.attemptTimeoutMs(), endsAt - performance.now());
    try {
      return await within(backend, attemptMs(), (restart) => {
        const progress = () => {
          endsAt = performance.now() + callMs(context);
          restart(attemptMs());
        };
        return work({ number, signal: abort.signal, progress });
      });
    } catch (error) {
      abort.abort();
      const isWorthAnother = error instanceof BackendTimeout || isTransient(error);
      if (!isWorthAnother || number === MAX_TRIES || timeLeftMs(context) === 0) throw error;
      await pauseAfter(number);
      if (performance.now() >= endsAt) throw error;
    }
  }
}

/**
 * Pauses before the next attempt: a random time, on average `firstMs` after the first attempt and twice as long after
 * each further one.
 */
export function pauseAfter(tries: number, firstMs = config.retryPauseMs()): Promise<void> {
  return pause((0.5 + Math.random()) * 2 ** (tries - 1) * firstMs);
}

/** Settles as `work` does, or throws `BackendTimeout`. `work` gets a function that starts the time again. */
async function within<T>(
  backend: Backend,
  ms: number,
  work: (restart: (ms: number) => void) => Promise<T>,
): Promise<T> {
  if (ms <= 0) throw new BackendTimeout(backend);
  let timer: NodeJS.Timeout | undefined;
  try {
    return await new Promise<T>((resolve, reject) => {
      const start = (limitMs: number) => {
        clearTimeout(timer);
        timer = setTimeout(() => reject(new BackendTimeout(backend)), limitMs);
      };
      start(ms);
      work(start).then(resolve, reject);
    });
  } finally {
    clearTimeout(timer);
  }
}
