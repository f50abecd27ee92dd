import { z } from 'zod';
import { fail } from '../errors';
import { exceededListingRate } from '../policy/listing-rates';
import { withinWindow } from '../policy/request-windows';
import { DAY_SECONDS } from '../values/units';
import { collection, date, paths } from './collections';
import { readIn, type Transaction } from './database';
import { organizationRef } from './organizations';

/** When an organization published the listings of the last day: at most 20 times. The TTL policy deletes it. */
export const listingWindow = z.object({ times: z.array(date), expiresAt: date });
export type ListingWindow = z.output<typeof listingWindow>;

export const listingWindowRef = (organizationId: string) =>
  collection(paths.listingWindows, listingWindow).doc(organizationId);

/** Throws rate-limited when the organization published 20 listings in the last day. The window was read in `tx`. */
export async function assertRoomForListing(
  tx: Transaction,
  organizationId: string,
  window: ListingWindow | undefined,
  now: Date,
): Promise<void> {
  const exceeded = exceededListingRate(window?.times ?? [], now);
  if (!exceeded) return;
  const [organization] = await readIn(tx, organizationRef(organizationId));
  const message = `The organization published ${exceeded.limit} listings within one day.`;
  fail('rate-limited', { ...exceeded, plan: organization?.plan }, { message });
}

/** Counts a new listing, in the transaction that creates it. */
export function countListing(
  tx: Transaction,
  organizationId: string,
  window: ListingWindow | undefined,
  now: Date,
): void {
  const times = [...withinWindow(window?.times ?? [], now, DAY_SECONDS), now];
  tx.set(listingWindowRef(organizationId), { times, expiresAt: new Date(now.getTime() + DAY_SECONDS * 1000) });
}
