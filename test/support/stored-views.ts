import type { z } from 'zod';
import type { insights } from '../../functions/src/contract/view-fields';
import { addBeacon, noTotals, type Beacon } from '../../functions/src/policy/view-totals';
import { pack } from '../../functions/src/records/packed';
import type { View } from '../../functions/src/records/views';
import { newId } from '../../functions/src/values/ids';
import { storeDocuments } from './stored';
import { newLoadId, slide } from './views';
import { succeed, world, type Account, type Deck } from './world';

export const insightsOf = async (
  { key }: Pick<Account, 'key'>,
  { presentationId }: Pick<Deck, 'presentationId'>,
  query: Record<string, string> = {},
): Promise<z.output<typeof insights>> =>
  succeed(world.call('getPresentationInsights', undefined, { key, path: `/${presentationId}`, query }));

type BeaconSlide = NonNullable<Beacon['slides']>[number];

interface Stored {
  days?: number;
  links?: number;
  people?: number;
  waiting?: number;
  slides?: (i: number) => readonly BeaconSlide[];
  host?: () => string | null;
}

/**
 * Views as beacons write them, written directly into the store: over days up to today, links, and people. The first
 * `waiting` of them wait for the fold, which is all of them by default.
 */
export async function storeViews(
  { organizationId }: Account,
  { presentationId, tokenId }: Deck,
  count: number,
  { days = 1, links = 1, people = count, waiting = count, slides = twoSlides, host = () => null }: Stored = {},
): Promise<void> {
  const now = new Date();
  const documents: [path: string, view: View][] = [];
  for (let i = 0; i < count; i++) {
    const startedAt = new Date(now.getTime() - (i % days) * 86_400_000);
    const totals = noTotals();
    const seen = slides(i);
    const told = { seconds: 10 + (i % 60), hasInput: true, slideCount: seen.length, slides: seen };
    addBeacon(
      totals,
      { loadId: newLoadId(), sequence: 1, ...told },
      startedAt,
      new Date(startedAt.getTime() - 3_600_000),
    );
    const link = i % links;
    const { slideCount, maxSlide } = totals;
    const view: View = {
      viewId: newId(),
      presentationId,
      organizationId,
      newestViewId: null,
      grantId: `grant-${i % people}`,
      tokenId: link === 0 ? tokenId : Buffer.from(`link-${link}-of-this-deck`).toString('base64url').slice(0, 22),
      email: null,
      emailIsProven: false,
      version: 1,
      startedAt,
      lastSeenAt: startedAt,
      hasScript: true,
      device: 'desktop',
      language: 'en',
      referrerHost: host(),
      seconds: told.seconds,
      slideCount,
      maxSlide,
      totals: pack(totals),
      waiting: i < waiting ? (i % days) / days : null,
      folded: null,
      endsAt: null,
    };
    documents.push([`presentations/${presentationId}/views/${view.viewId}`, view]);
    if (documents.length >= 1000) await storeDocuments(world.database, documents.splice(0));
  }
  await storeDocuments(world.database, documents);
}

const twoSlides = (i: number) => [slide('a', 0, i % 60), slide('b', 1, 5)];
