import { region } from '../config';
import { retrying } from '../deadlines';
import { firebaseApp } from '../firebase-app';
import type { Delivery } from '../records/webhook-deliveries';

/** The function that sends an event. */
const FUNCTION = 'deliverEvent';

/** The data of a task. `failures` tells the tries of a delivery apart. */
export interface DeliveryTask {
  organizationId: string;
  deliveryId: string;
  failures: number;
}

/** Codes of the library for a queue that the request reached, and that will not take it at another attempt either. */
const finalCodes = new Set(
  ['invalid-argument', 'not-found', 'permission-denied', 'unauthenticated', 'failed-precondition', 'aborted'].map(
    (code) => `functions/${code}`,
  ),
);

/**
 * Makes the task of the next try of a delivery, at its time. Each try has a task with a name of its own, so it is made
 * once: the queue refuses the name for an hour after the task has ended. Makes up to 3 attempts.
 */
export async function queueTry({ organizationId, deliveryId, failures, nextAttemptAt }: Delivery): Promise<void> {
  const { getFunctions } = await import('firebase-admin/functions');
  const queue = getFunctions(firebaseApp()).taskQueue<DeliveryTask>(`locations/${region()}/functions/${FUNCTION}`);
  const id = `${deliveryId}-${failures}`;
  const scheduleTime = nextAttemptAt ?? undefined;
  const options = { id, dispatchDeadlineSeconds: 60, ...(scheduleTime && { scheduleTime }) };
  await retrying(
    'Tasks',
    (error) => !finalCodes.has(String(codeOf(error))),
    async () => {
      try {
        await queue.enqueue({ organizationId, deliveryId, failures }, options);
      } catch (error) {
        if (codeOf(error) !== 'functions/task-already-exists') throw error;
      }
    },
  );
}

const codeOf = (error: unknown) => (error as { code?: unknown } | null)?.code;
