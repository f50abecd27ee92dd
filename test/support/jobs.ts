import functionsTest from 'firebase-functions-test';
import {
  finishDeletions,
  foldMarketplaceCounters,
  removeAbandonedUploads,
  removeExpiredSessions,
} from '../../functions/src/index';

const jobs = { finishDeletions, foldMarketplaceCounters, removeAbandonedUploads, removeExpiredSessions };

/** Runs a scheduled function as the scheduler would. */
export async function runJob(name: keyof typeof jobs): Promise<void> {
  // The project that the functions know already, not one of the library's own.
  const { wrap } = functionsTest(JSON.parse(process.env['FIREBASE_CONFIG']!) as object);
  await (wrap(jobs[name] as never) as () => Promise<void>)();
}
