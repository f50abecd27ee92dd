import functionsTest from 'firebase-functions-test';
import type { ScheduleFunction } from 'firebase-functions/scheduler';
import * as functions from '../../functions/src/index';

/** The names of the scheduled functions. */
type JobName = {
  [Name in keyof typeof functions]: (typeof functions)[Name] extends ScheduleFunction ? Name : never;
}[keyof typeof functions];

export const jobNames = Object.entries(functions).flatMap(([name, deployed]) =>
  'scheduleTrigger' in deployed.__endpoint ? [name as JobName] : [],
);

/** Runs a scheduled function as the scheduler does. */
export async function runJob(name: JobName): Promise<void> {
  // The library would otherwise set its own project.
  const { wrap } = functionsTest(JSON.parse(process.env['FIREBASE_CONFIG']!) as object);
  await (wrap(functions[name] as never) as () => Promise<void>)();
}
