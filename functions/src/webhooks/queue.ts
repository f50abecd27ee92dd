import { region } from '../config';
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

/**
 * Makes the task of the next try of a delivery, at its time. Each try has a task with a name of its own, so it is made
 * once: the queue refuses the name for an hour after the task has ended.
 */
export async function queueTry({ organizationId, deliveryId, failures, nextAttemptAt }: Delivery): Promise<void> {
  const { getFunctions } = await import('firebase-admin/functions');
  const queue = getFunctions(firebaseApp()).taskQueue<DeliveryTask>(`locations/${region()}/functions/${FUNCTION}`);
  const id = `${deliveryId}-${failures}`;
  try {
    const scheduleTime = nextAttemptAt ?? undefined;
    await queue.enqueue(
      { organizationId, deliveryId, failures },
      { id, dispatchDeadlineSeconds: 60, ...(scheduleTime && { scheduleTime }) },
    );
  } catch (error) {
    if ((error as { code?: string }).code !== 'functions/task-already-exists') throw error;
  }
}
