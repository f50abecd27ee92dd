import { planCaps, type Plan } from './plans';
import { secondsUntilRoom, withinWindow } from './request-windows';
import { isOpen, SLOT_MS } from './upload-caps';

/**
 * The caps of an organization over all of its decks (decision 19). The counts are spread over shards, so that no
 * document is written by every call. Each shard may hold its share of each cap, and the shares add up to the cap. A
 * transaction that finds room in the shards that it reads and writes therefore cannot exceed the cap.
 */
export const USAGE_SHARDS = 16;

/** What one shard counts. Sums in bytes. A shard may be negative, because a deletion subtracts from any shard. */
export interface UsageShard {
  decks: number;
  bytes: number;
  /** When decks were created and remixes began, for the last hour. */
  newDecks: readonly Date[];
  /** When upload sessions were opened, for the last hour. */
  newSessions: readonly Date[];
  /** The bytes of the open grants, by the ten minutes in which the grants expire. */
  granted: readonly GrantedBytes[];
}

export interface GrantedBytes {
  until: Date;
  bytes: number;
}

export const emptyShard: UsageShard = { decks: 0, bytes: 0, newDecks: [], newSessions: [], granted: [] };

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
    ...{ decks, storedBytes, grantedBytes },
    newDecksThisHour: newDecksPerHour,
    newSessionsThisHour: newDecksPerHour * SESSIONS_PER_NEW_DECK,
  };
}

/** The usage that the shards count together. */
export function usageOf(shards: readonly UsageShard[], now: Date): Usage {
  const sum = (count: (shard: UsageShard) => number) => shards.reduce((total, shard) => total + count(shard), 0);
  return {
    decks: sum(({ decks }) => decks),
    storedBytes: sum(({ bytes }) => bytes),
    grantedBytes: Math.max(
      0,
      sum(({ granted }) => openBytes(granted, now)),
    ),
    newDecksThisHour: sum(({ newDecks }) => withinWindow(newDecks, now).length),
    newSessionsThisHour: sum(({ newSessions }) => withinWindow(newSessions, now).length),
  };
}

const openBytes = (granted: readonly GrantedBytes[], now: Date) =>
  granted.reduce((total, { until, bytes }) => (isOpen(until, now) ? total + bytes : total), 0);

function amountsOf({ decks = 0, newDecks = 0, newSessions = 0, storedBytes = 0, grants }: Claim): Usage {
  return {
    ...{ decks, storedBytes, grantedBytes: grants?.bytes ?? 0 },
    ...{ newDecksThisHour: newDecks, newSessionsThisHour: newSessions },
  };
}

/** Whether a claim adds nothing. */
export const isEmptyClaim = (claim: Claim): boolean => Object.values(amountsOf(claim)).every((amount) => amount <= 0);

/** The caps of an hour. The times of a shard are under the same key. */
const hourly = { newDecksThisHour: 'newDecks', newSessionsThisHour: 'newSessions' } as const;
export type HourlyUnit = keyof typeof hourly;

/** In the order in which they are checked: waiting does not help against the first three. */
const units = [
  ...(['decks', 'storedBytes', 'grantedBytes'] as const),
  ...(Object.keys(hourly) as HourlyUnit[]),
] satisfies (keyof Usage)[];

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
export function secondsUntilOneMore(unit: HourlyUnit, shards: readonly UsageShard[], plan: Plan, now: Date): number {
  const times = withinWindow(
    shards.flatMap((shard) => shard[hourly[unit]]),
    now,
  );
  return Math.max(1, secondsUntilRoom(times, usageLimits(plan)[unit], now));
}

/** The part of a cap that a shard may hold. */
function shareOf(limit: number, shard: number): number {
  return Math.floor(limit / USAGE_SHARDS) + (shard < limit % USAGE_SHARDS ? 1 : 0);
}

/**
 * Adds the claim to these shards, given by number, without exceeding the share of a shard. Returns the shards that
 * change, or undefined when these shards do not have room. Fills the shards in the given order.
 */
export function claimFrom(
  shards: ReadonlyMap<number, UsageShard>,
  claim: Claim,
  plan: Plan,
  now: Date,
): Map<number, UsageShard> | undefined {
  const [limits, rest] = [usageLimits(plan), amountsOf(claim)];
  const changed = new Map<number, UsageShard>();
  for (const [number, before] of shards) {
    const used = usageOf([before], now);
    const taken = amountsOf({});
    for (const unit of units) {
      const room =
        shareOf(limits[unit], number) - (unit === 'grantedBytes' ? openBytes(before.granted, now) : used[unit]);
      taken[unit] = Math.max(0, Math.min(room, rest[unit]));
      rest[unit] -= taken[unit];
    }
    if (units.some((unit) => taken[unit] > 0)) changed.set(number, add(before, taken, claim.grants?.until, now));
    if (units.every((unit) => rest[unit] === 0)) return changed;
  }
  return undefined;
}

function add(before: UsageShard, taken: Usage, until: Date | undefined, now: Date): UsageShard {
  const times = (key: 'newDecks' | 'newSessions', more: number) => [
    ...withinWindow(before[key], now),
    ...(more > 0 ? [now] : []),
  ];
  return {
    decks: before.decks + taken.decks,
    bytes: before.bytes + taken.storedBytes,
    newDecks: times('newDecks', taken.newDecksThisHour),
    newSessions: times('newSessions', taken.newSessionsThisHour),
    granted: until
      ? addGranted(before.granted, { until, bytes: taken.grantedBytes }, now)
      : openRows(before.granted, now),
  };
}

const openRows = (rows: readonly GrantedBytes[], now: Date) => rows.filter(({ until }) => isOpen(until, now));

/**
 * The open rows with these bytes added. The expiry is rounded up to ten minutes, so grants of at most one hour need at
 * most 7 rows. Negative bytes release a grant.
 */
export function addGranted(rows: readonly GrantedBytes[], { until, bytes }: GrantedBytes, now: Date): GrantedBytes[] {
  const slot = new Date(Math.ceil(until.getTime() / SLOT_MS) * SLOT_MS);
  const open = openRows(rows, now);
  if (slot <= now) return open;
  const same = open.find((row) => row.until.getTime() === slot.getTime());
  const others = open.filter((row) => row !== same);
  return [...others, { until: slot, bytes: (same?.bytes ?? 0) + bytes }].sort((a, b) => +a.until - +b.until);
}

/** Subtracts decks and bytes from two shards, each from the shard that has more of them. */
export function subtractFrom(
  [a, b]: readonly [UsageShard, UsageShard],
  { decks, storedBytes }: Pick<Usage, 'decks' | 'storedBytes'>,
): readonly [UsageShard, UsageShard] {
  const [decksFromA, bytesFromA] = [a.decks >= b.decks ? decks : 0, a.bytes >= b.bytes ? storedBytes : 0];
  return [
    { ...a, decks: a.decks - decksFromA, bytes: a.bytes - bytesFromA },
    { ...b, decks: b.decks - (decks - decksFromA), bytes: b.bytes - (storedBytes - bytesFromA) },
  ];
}

/**
 * The shards that count `decks` and `storedBytes` exactly and evenly, with the hourly counts and grants of the earlier
 * shards. Even shards hold at most their share when the usage is within the caps, and at least their share when it is
 * not.
 */
export function evenShards(
  earlier: readonly UsageShard[],
  { decks, storedBytes }: Pick<Usage, 'decks' | 'storedBytes'>,
  now: Date,
): UsageShard[] {
  const timesOf = (key: 'newDecks' | 'newSessions') =>
    withinWindow(
      earlier.flatMap((shard) => shard[key]),
      now,
    );
  const [newDecks, newSessions] = [timesOf('newDecks'), timesOf('newSessions')];
  const rows = earlier
    .flatMap(({ granted }) => granted)
    .reduce<GrantedBytes[]>((sum, row) => addGranted(sum, row, now), []);
  return Array.from({ length: USAGE_SHARDS }, (_, number) => ({
    decks: shareOf(decks, number),
    bytes: shareOf(storedBytes, number),
    newDecks: newDecks.filter((_time, i) => i % USAGE_SHARDS === number),
    newSessions: newSessions.filter((_time, i) => i % USAGE_SHARDS === number),
    granted: rows.map(({ until, bytes }) => ({ until, bytes: shareOf(Math.max(0, bytes), number) })),
  }));
}
