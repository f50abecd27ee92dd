import { planCaps, type Plan } from './plans';
import { secondsUntilRoom, withinWindow } from './request-windows';
import { isOpen } from './upload-caps';

/** What is counted of an organization, over all of its decks. Sums in bytes. */
export interface CountedUsage {
  decks: number;
  storedBytes: number;
  /** When decks were created and remixes began, for the last hour. */
  newDecks: readonly Date[];
  /** When upload sessions were opened, for the last hour. */
  newSessions: readonly Date[];
  /** The bytes of the open grants, by the time at which the grants end. */
  granted: readonly GrantedBytes[];
}

export interface GrantedBytes {
  until: Date;
  bytes: number;
}

/** What an organization uses of its caps. */
export interface Usage {
  decks: number;
  storedBytes: number;
  grantedBytes: number;
  newDecksThisHour: number;
  newSessionsThisHour: number;
}

/** What a call adds to the usage. Absent amounts are 0. */
export interface Claim {
  /** Adds a deck. */
  decks?: 0 | 1;
  /** Counts a new deck or remix of this hour. */
  newDecks?: 0 | 1;
  /** Opens an upload session for a new deck. */
  newSessions?: 0 | 1;
  storedBytes?: number;
  grants?: GrantedBytes;
}

/** A session may fail or expire, so an hour has more sessions than new decks. */
const SESSIONS_PER_NEW_DECK = 2;

export function usageLimits(plan: Plan): Usage {
  const { decks, storedBytes, grantedBytes, newDecksPerHour } = planCaps[plan];
  return {
    decks,
    storedBytes,
    grantedBytes,
    newDecksThisHour: newDecksPerHour,
    newSessionsThisHour: newDecksPerHour * SESSIONS_PER_NEW_DECK,
  };
}

export function usageOf({ decks, storedBytes, ...counted }: CountedUsage, now: Date): Usage {
  return {
    decks,
    storedBytes,
    grantedBytes: openRows(counted.granted, now).reduce((total, { bytes }) => total + bytes, 0),
    newDecksThisHour: withinWindow(counted.newDecks, now).length,
    newSessionsThisHour: withinWindow(counted.newSessions, now).length,
  };
}

function amountsOf({ decks = 0, newDecks = 0, newSessions = 0, storedBytes = 0, grants }: Claim): Usage {
  const grantedBytes = grants?.bytes ?? 0;
  return { decks, storedBytes, grantedBytes, newDecksThisHour: newDecks, newSessionsThisHour: newSessions };
}

/** The caps of an hour. The times are counted under the key of the value. */
const hourly = { newDecksThisHour: 'newDecks', newSessionsThisHour: 'newSessions' } as const;
export type HourlyUnit = keyof typeof hourly;

/** In the order in which they are checked: waiting does not help against the first three. */
const units = [
  'decks',
  'storedBytes',
  'grantedBytes',
  'newDecksThisHour',
  'newSessionsThisHour',
] as const satisfies (keyof Usage)[];

export interface ExceededUsage {
  unit: keyof Usage;
  limit: number;
  /** The usage with the claim. */
  actual: number;
  plan: Plan;
}

/** The cap that the organization would exceed with the claim, or undefined. */
export function exceededUsage(usage: Usage, claim: Claim, plan: Plan): ExceededUsage | undefined {
  const [limits, amounts] = [usageLimits(plan), amountsOf(claim)];
  const unit = units.find((each) => amounts[each] > 0 && usage[each] + amounts[each] > limits[each]);
  return unit && { unit, limit: limits[unit], actual: usage[unit] + amounts[unit], plan };
}

/** Seconds until the cap of an hour has room for one more: 1 to 3 600. */
export function secondsUntilOneMore(unit: HourlyUnit, counted: CountedUsage, plan: Plan, now: Date): number {
  return Math.max(1, secondsUntilRoom(counted[hourly[unit]], usageLimits(plan)[unit], now));
}

/** The usage with the claim, without the times and grants that no longer count. */
export function withClaim(before: CountedUsage, claim: Claim, now: Date) {
  const { decks = 0, newDecks = 0, newSessions = 0, storedBytes = 0, grants } = claim;
  return {
    decks: before.decks + decks,
    storedBytes: before.storedBytes + storedBytes,
    newDecks: [...withinWindow(before.newDecks, now), ...(newDecks ? [now] : [])],
    newSessions: [...withinWindow(before.newSessions, now), ...(newSessions ? [now] : [])],
    granted: grants ? addGranted(before.granted, grants, now) : openRows(before.granted, now),
  };
}

const openRows = (rows: readonly GrantedBytes[], now: Date) => rows.filter(({ until }) => isOpen(until, now));

/** The open rows with these bytes added. Negative bytes release a grant. */
export function addGranted(rows: readonly GrantedBytes[], { until, bytes }: GrantedBytes, now: Date): GrantedBytes[] {
  const open = openRows(rows, now);
  if (until <= now) return open;
  const same = open.find((row) => row.until.getTime() === until.getTime());
  const others = open.filter((row) => row !== same);
  const sum = Math.max(0, (same?.bytes ?? 0) + bytes);
  return [...others, ...(sum > 0 ? [{ until, bytes: sum }] : [])].sort((a, b) => +a.until - +b.until);
}
