import { onSchedule, type ScheduleFunction } from 'firebase-functions/scheduler';
import { logError, logInfo } from '../log';

const TIMEOUT_SECONDS = 540;
/** The time in which a run begins new work; what it has begun may take the rest of its timeout. */
const WORK_MS = 300_000;

export interface Run {
  now: Date;
  /** When the run should stop taking up new work. */
  until: Date;
  /** Does `work` with each item until the time is up. One that fails is logged and left to the next run; the others go on. */
  each: <T extends { id: string }>(items: AsyncIterable<T>, work: (item: T) => Promise<void>) => Promise<Tally>;
}

interface Tally {
  done: number;
  failed: number;
}

/** A scheduled function. Runs may overlap, die or come late: a job must lose nothing by it. What it answers is logged. */
export function job(
  name: string,
  schedule: string,
  handle: (run: Run) => Promise<Record<string, number>>,
): ScheduleFunction {
  const options = { schedule, timeoutSeconds: TIMEOUT_SECONDS, maxInstances: 1, concurrency: 1, retryCount: 0 };
  return onSchedule(options, async () => {
    const now = new Date();
    const until = new Date(now.getTime() + WORK_MS);
    const each: Run['each'] = async (items, work) => {
      const tally = { done: 0, failed: 0 };
      for await (const item of items) {
        try {
          await work(item);
          tally.done++;
        } catch (error) {
          tally.failed++;
          logError('A job could not do a part of its work.', error, { function: name, id: item.id });
        }
        if (new Date() > until) break;
      }
      return tally;
    };
    logInfo('A job has run.', { function: name, ...(await handle({ now, until, each })) });
  });
}
