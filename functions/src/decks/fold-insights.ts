import { config } from '../config';
import { read } from '../records/database';
import { foldLoads, foldViews, VIEWS_AT_ONCE } from '../records/insights';
import { presentationRef } from '../records/presentations';
import { readLoads, type LoadedCounter } from '../records/view-counters';
import { isInvalid } from '../records/refusals';
import { addDays, dayOf } from '../values/days';

/** The days of which loads may be missing in the figures, when the job did not run for a time. */
const LATE_DAYS = 7;
/** The links whose loads are folded in one transaction, with some documents each. */
const LINKS_AT_ONCE = 20;

/** The transactions with which a run folds views of one deck. The views of others wait meanwhile. */
const MAX_FOLDS = 50;

/**
 * Folds views of a deck that wait. Some are left to the next run when there are too many, or when beacons make views
 * wait faster than they are folded. The figures of many links may not fit into one commit of 10 MiB.
 */
export async function foldDeckViews(presentationId: string, maxFolds = MAX_FOLDS): Promise<void> {
  let count = VIEWS_AT_ONCE;
  let hasMore = true;
  for (let folds = 0; hasMore && folds < maxFolds; folds++) {
    try {
      hasMore = await foldViews(presentationId, count);
    } catch (error) {
      if (!isInvalid(error) || count === 1) throw error;
      count = Math.ceil(count / 10);
    }
  }
}

/**
 * Folds the loads of a deck. They are read after the counters were found, so a counter that has not changed since then
 * has nothing more.
 */
export async function foldDeckLoads(
  presentationId: string,
  counters: readonly LoadedCounter[],
  now: Date,
): Promise<void> {
  const [deck] = await read(presentationRef(presentationId));
  if (!deck) return;
  // The loads of a day whose figures are deleted would be added again, to the figures of its month, too.
  const since = addDays(dayOf(now), -Math.min(LATE_DAYS, config.viewRetentionDays()));
  const of = [...new Set(counters.map(({ tokenId }) => tokenId))];
  for (let start = 0; start < of.length; start += LINKS_AT_ONCE) {
    await foldLoads(presentationId, await readLoads(deck, of.slice(start, start + LINKS_AT_ONCE), since));
  }
  for (const { settle } of counters) await settle();
}
