import { serviceSecret } from '../../config';
import { foldDeckLoads, foldDeckViews } from '../../decks/fold-insights';
import { loadedCounters } from '../../records/view-counters';
import { decksWithWaitingViews, endViews, silentViews } from '../../records/views';
import { job } from '../../schedules/job';

/** Folds new views and loads into the figures, which are right within 2 minutes, and ends views that are silent. */
export const foldInsights = job(
  'foldInsights',
  '* * * * *',
  async ({ now, processItems }) => {
    const loads = await processItems(byDeck(loadedCounters()), ({ id, items }) => foldDeckLoads(id, items, now));
    const ended = await processItems(silentViews(now), ({ id, viewIds }) => endViews(id, viewIds, now));
    // Last, because busy decks can take all the time of a run.
    const views = await processItems(decksWithWaitingViews(), ({ id }) => foldDeckViews(id));
    const failed = views.failed + loads.failed + ended.failed;
    return { decks: views.done, loadedDecks: loads.done, endings: ended.done, failed };
  },
  [serviceSecret],
);

/** The items of each deck together. */
async function* byDeck<T extends { presentationId: string }>(all: AsyncIterable<T>) {
  const decks = new Map<string, T[]>();
  for await (const item of all) decks.set(item.presentationId, [...(decks.get(item.presentationId) ?? []), item]);
  for (const [id, items] of decks) yield { id, items };
}
