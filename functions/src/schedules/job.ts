import { onSchedule, type ScheduleFunction, type ScheduleOptions } from 'firebase-functions/scheduler';
import { withinTimeout } from '../deadlines';
import { logDebug, logError, logInfo } from '../log';
import { optionsOf, resourceClasses, type ResourceClass } from '../resources';

/** How long a run begins new work. Work that it has begun may take the rest of the timeout. */
const WORK_MS = 300_000;

interface JobRun {
  now: Date;
  /** When the run stops beginning new work. */
  until: Date;
  /**
   * Processes one item after the other, until `until`, or for a share of the time that is left until then. An item that
   * fails is logged and left to the next run. Returns how many items were processed and how many failed.
   */
  processItems: <T extends { id: string }>(
    items: AsyncIterable<T>,
    processItem: (item: T) => Promise<void>,
    share?: number,
  ) => Promise<ItemCounts>;
}

interface ItemCounts {
  done: number;
  failed: number;
}

/**
 * Defines a scheduled function. `schedule` has the five fields of unix-cron, in UTC. Runs may overlap, be cut off, or
 * start late: a job must not lose data in these cases. `secrets` are the parameters that it reads, and `resources`
 * names its class. The counts that `handle` returns are logged; a run whose counts are all 0 is a DEBUG line.
 */
export function job(
  name: string,
  schedule: string,
  handle: (run: JobRun) => Promise<Record<string, number>>,
  secrets: NonNullable<ScheduleOptions['secrets']> = [],
  resources: ResourceClass = 'job',
): ScheduleFunction {
  const { timeoutSeconds } = resourceClasses[resources];
  const options = { ...optionsOf(resources), schedule, retryCount: 0, secrets };
  return onSchedule(options, async () => {
    const now = new Date();
    const startedAt = performance.now();
    const until = new Date(now.getTime() + WORK_MS);
    const processItems: JobRun['processItems'] = async (items, processItem, share = 1) => {
      const end = Date.now() + (until.getTime() - Date.now()) * share;
      const counts = { done: 0, failed: 0 };
      for await (const item of items) {
        try {
          await processItem(item);
          counts.done++;
        } catch (error) {
          counts.failed++;
          logError('A job could not process an item.', error, { function: name, id: item.id });
        }
        if (Date.now() > end) break;
      }
      return counts;
    };
    const counts = await withinTimeout(timeoutSeconds, () => handle({ now, until, processItems })).catch(
      (error: unknown) => {
        // The SDK logs the message of the error only, and answers 500.
        logError('A job has failed.', error, { function: name });
        throw error;
      },
    );
    const isIdle = Object.values(counts).every((count) => count === 0);
    const durationMs = Math.round(performance.now() - startedAt);
    (isIdle ? logDebug : logInfo)('A job has run.', { function: name, durationMs, ...counts });
  });
}
