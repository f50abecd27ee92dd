import type { z } from 'zod';
import type { insights } from '../../functions/src/contract/view-fields';
import { addBeacon, noTotals } from '../../functions/src/policy/view-totals';
import { pack } from '../../functions/src/records/packed';
import type { View } from '../../functions/src/records/views';
import { newId } from '../../functions/src/values/ids';
import { newLoadId, slide } from './views';
import { succeed, world, type Account, type Deck } from './world';

export const insightsOf = async (
  { key }: Pick<Account, 'key'>,
  { presentationId }: Pick<Deck, 'presentationId'>,
  query: Record<string, string> = {},
): Promise<z.output<typeof insights>> =>
  succeed(world.call('getPresentationInsights', undefined, { key, path: `/${presentationId}`, query }));

/** Views as beacons write them, written directly into the store: over days up to today, links, and people. */
export async function storeViews(
  { organizationId }: Account,
  { presentationId, tokenId }: Deck,
  count: number,
  { days = 1, links = 1, people = count }: { days?: number; links?: number; people?: number } = {},
): Promise<void> {
  const now = new Date();
  const writer = world.database.bulkWriter({ throttling: false });
  for (let i = 0; i < count; i++) {
    const startedAt = new Date(now.getTime() - (i % days) * 86_400_000);
    const totals = noTotals();
    const slides = [slide('a', 0, i % 60), slide('b', 1, 5)];
    const beacon = { loadId: newLoadId(), sequence: 1, seconds: 10 + (i % 60), hasInput: true, slideCount: 2, slides };
    addBeacon(totals, beacon, startedAt, new Date(startedAt.getTime() - 3_600_000));
    const link = i % links;
    const view: View = {
      ...{ viewId: newId(), presentationId, organizationId, newestViewId: null },
      grantId: `grant-${i % people}`,
      tokenId: link === 0 ? tokenId : Buffer.from(`link-${link}-of-this-deck`).toString('base64url').slice(0, 22),
      ...{ email: null, emailIsProven: false, version: 1, startedAt, lastSeenAt: startedAt, hasScript: true },
      ...{ device: 'desktop', language: 'en', referrerHost: null, seconds: beacon.seconds, slideCount: 2, maxSlide: 2 },
      ...{ totals: pack(totals), waiting: (i % days) / days, folded: null },
    };
    void writer.create(world.database.doc(`presentations/${presentationId}/views/${view.viewId}`), view);
  }
  await writer.close();
}
