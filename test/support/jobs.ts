import functionsTest from 'firebase-functions-test';
import {
  finishDeletions,
  foldMarketplaceCounters,
  recountUsage,
  refreshMarketplace,
  removeAbandonedUploads,
  removeExpiredSessions,
} from '../../functions/src/index';

const jobs = {
  finishDeletions,
  foldMarketplaceCounters,
  recountUsage,
  refreshMarketplace,
  removeAbandonedUploads,
  removeExpiredSessions,
};

/** Runs a scheduled function as the scheduler does. */
export async function runJob(name: keyof typeof jobs): Promise<void> {
  // The library would otherwise set its own project.
  const { wrap } = functionsTest(JSON.parse(process.env['FIREBASE_CONFIG']!) as object);
  await (wrap(jobs[name] as never) as () => Promise<void>)();
}
