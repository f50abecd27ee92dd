import type { Contract } from '../../client/src/service/contract';

/** What the service takes for listings, for the commands and for the tools of agents. */

type Kind = Contract['listMarketplaceListings']['answer']['listings'][number]['kind'];
export type ReportReason = Contract['reportMarketplaceListing']['input']['reason'];

export const listingKinds = ['presentation', 'app', 'plan'] as const satisfies Kind[];
export const listingOrders = ['best', 'recent', 'popular', 'week', 'stars'] as const;

/** All reasons of the service; one that is missing here does not compile. */
const reasons: Record<ReportReason, true> = {
  copyright: true,
  illegal: true,
  impersonation: true,
  malware: true,
  offensive: true,
  phishing: true,
  privacy: true,
  spam: true,
  other: true,
};
export const reportReasons = Object.keys(reasons) as ReportReason[];
