import { serviceSecret } from '../../config';
import { foldDeckLoads, foldDeckViews } from '../../decks/fold-insights';
import { loadedCounters, type LoadedCounter } from '../../records/view-counters';
import { decksWithWaitingViews, endViews, silentViews } from '../../records/views';
import { job } from '../../schedules/job';

/** Folds new views and loads into the figures, which are right within 2 minutes, and ends views that are silent. */
export const foldInsights = job(
  'foldInsights',
  '* * * * *',
  async ({ now, processItems }) => {
    // Each of the three has a third of a run at least, whatever waits for the others.
    const foldLoads = ({ id, items }: { id: string; items: LoadedCounter[] }) => foldDeckLoads(id, items, now);
    const loads = await processItems(byDeck(loadedCounters()), foldLoads, 1 / 3);
    const ended = await processItems(silentViews(now), ({ id, viewIds }) => endViews(id, viewIds, now), 1 / 2);
    const views = await processItems(decksWithWaitingViews(), ({ id }) => foldDeckViews(id));
    const failed = views.failed + loads.failed + ended.failed;
    return { decks: views.done, loadedDecks: loads.done, endings: ended.done, failed };
  },
  [serviceSecret],
);

/** The items of each deck together. A run may not come to all decks, so each run begins with another one. */
async function* byDeck<T extends { presentationId: string }>(all: AsyncIterable<T>) {
  const decks = new Map<string, T[]>();
  for await (const item of all) decks.set(item.presentationId, [...(decks.get(item.presentationId) ?? []), item]);
  const ids = [...decks.keys()];
  const start = Math.floor(Math.random() * ids.length);
  for (const id of [...ids.slice(start), ...ids.slice(0, start)]) yield { id, items: decks.get(id)! };
}
