import { onTaskDispatched, type TaskQueueFunction, type TaskQueueOptions } from 'firebase-functions/tasks';
import { withinTimeout } from '../deadlines';
import { logError } from '../log';
import { optionsOf, resourceClasses } from '../resources';

/** How long the queue repeats a task that failed, and how often at least. */
const RETRY = { maxRetrySeconds: 3 * 86_400, maxAttempts: 100, minBackoffSeconds: 10, maxBackoffSeconds: 600 };
const RATES = { maxConcurrentDispatches: 200, maxDispatchesPerSecond: 100 };

/**
 * Defines a function that a task queue calls. A task that fails is repeated, and one that was cut off runs again: it
 * must do no harm twice. `secrets` are the parameters that it reads.
 */
export function task<Data>(
  name: string,
  handle: (data: Data) => Promise<void>,
  secrets: NonNullable<TaskQueueOptions['secrets']>,
): TaskQueueFunction<Data> {
  const options = { ...optionsOf('task'), retryConfig: RETRY, rateLimits: RATES, secrets };
  return onTaskDispatched<Data>(options, async ({ data }) => {
    await withinTimeout(resourceClasses.task.timeoutSeconds, () => handle(data)).catch((error: unknown) => {
      // The SDK logs the message of the error only.
      logError('A task has failed.', error, { function: name });
      throw error;
    });
  });
}
