import { read } from '../records/database';
import { foldLoads, foldViews } from '../records/insights';
import { presentationRef } from '../records/presentations';
import { readLoads, type LoadedCounter } from '../records/view-counters';
import { addDays, dayOf } from '../values/days';

/** The days of which loads may be missing in the figures, when the job did not run for a time. */
const LATE_DAYS = 7;
/** The links whose loads are folded in one transaction, with some documents each. */
const LINKS_AT_ONCE = 20;

/** Folds all views of a deck that wait. */
export async function foldDeckViews(presentationId: string): Promise<void> {
  while (await foldViews(presentationId));
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
  const since = addDays(dayOf(now), -LATE_DAYS);
  const of = [...new Set(counters.map(({ tokenId }) => tokenId))];
  for (let start = 0; start < of.length; start += LINKS_AT_ONCE) {
    await foldLoads(presentationId, await readLoads(deck, of.slice(start, start + LINKS_AT_ONCE), since));
  }
  for (const { settle } of counters) await settle();
}
