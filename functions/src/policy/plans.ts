import { GB, MB } from '../values/units';

/** The limits of a plan; sizes in bytes. */
export interface PlanCaps {
  filesPerManifest: number;
  deckBytes: number;
  htmlBytes: number;
  assetBytes: number;
  collaborators: number;
  /** The caps of an organization over all of its decks. */
  decks: number;
  storedBytes: number;
  grantedBytes: number;
  newDecksPerHour: number;
  /** Events that are sent to webhooks in a day, in UTC. */
  deliveriesPerDay: number;
  /** Streams that follow a live session at once. Others ask again and again. */
  liveFollowers: number;
}

export const planCaps = {
  free: {
    filesPerManifest: 500,
    deckBytes: 250 * MB,
    htmlBytes: 10 * MB,
    assetBytes: 50 * MB,
    collaborators: 10,
    decks: 100,
    storedBytes: 5 * GB,
    grantedBytes: 500 * MB,
    newDecksPerHour: 60,
    deliveriesPerDay: 1_000,
    liveFollowers: 100,
  },
  starter: {
    filesPerManifest: 1_000,
    deckBytes: 1 * GB,
    htmlBytes: 15 * MB,
    assetBytes: 100 * MB,
    collaborators: 20,
    decks: 500,
    storedBytes: 25 * GB,
    grantedBytes: 2 * GB,
    newDecksPerHour: 120,
    deliveriesPerDay: 10_000,
    liveFollowers: 5_000,
  },
  pro: {
    filesPerManifest: 2_500,
    deckBytes: 5 * GB,
    htmlBytes: 20 * MB,
    assetBytes: 250 * MB,
    collaborators: 50,
    decks: 2_000,
    storedBytes: 100 * GB,
    grantedBytes: 10 * GB,
    newDecksPerHour: 300,
    deliveriesPerDay: 50_000,
    liveFollowers: 5_000,
  },
  business: {
    filesPerManifest: 5_000,
    deckBytes: 10 * GB,
    htmlBytes: 30 * MB,
    assetBytes: 500 * MB,
    collaborators: 75,
    decks: 10_000,
    storedBytes: 500 * GB,
    grantedBytes: 20 * GB,
    newDecksPerHour: 600,
    deliveriesPerDay: 200_000,
    liveFollowers: 5_000,
  },
  enterprise: {
    filesPerManifest: 10_000,
    deckBytes: 20 * GB,
    htmlBytes: 50 * MB,
    assetBytes: 1 * GB,
    collaborators: 100,
    decks: 50_000,
    storedBytes: 2_000 * GB,
    grantedBytes: 40 * GB,
    newDecksPerHour: 1_200,
    deliveriesPerDay: 1_000_000,
    liveFollowers: 5_000,
  },
} as const satisfies Record<string, PlanCaps>;

export type Plan = keyof typeof planCaps;

export const plans = Object.keys(planCaps) as [Plan, ...Plan[]];

/** The largest value of a cap over all plans: the limit of a request whose plan is not known yet. */
export function largestCap(cap: keyof PlanCaps): number {
  return Math.max(...plans.map((plan) => planCaps[plan][cap]));
}
