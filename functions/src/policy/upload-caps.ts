import { planCaps, type Plan } from './plans';
import { isFromWrongClock, waitSeconds } from './request-windows';

/** A number of files and the sum of their sizes in bytes. */
export interface FileTotals {
  files: number;
  bytes: number;
}

export const totalsOf = (files: readonly { sizeBytes: number }[]): FileTotals => ({
  files: files.length,
  bytes: files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
});

/** A deck may store 50 times its plan's deck size, in files and in bytes, all versions and unused files included. */
const STORED_DECKS = 50;
/**
 * The open grants of a deck or session may have 4 times as many files as a deck of the plan. Their bytes are limited
 * per organization; see usage-caps.
 */
const GRANTED_DECKS = 4;

const capsOf = (plan: Plan, deckCount: number): FileTotals => ({
  files: planCaps[plan].filesPerManifest * deckCount,
  bytes: planCaps[plan].deckBytes * deckCount,
});

const grantedCaps = (plan: Plan): FileTotals => ({ ...capsOf(plan, GRANTED_DECKS), bytes: Infinity });

interface Exceeded {
  limit: number;
  actual: number;
  plan: Plan;
  unit: keyof FileTotals;
}

/** The limit that a deck would exceed if it stored `more` as well, or undefined. */
export function exceededStored(stored: FileTotals, more: FileTotals, plan: Plan): Exceeded | undefined {
  return exceeded(
    { files: stored.files + more.files, bytes: stored.bytes + more.bytes },
    capsOf(plan, STORED_DECKS),
    plan,
  );
}

/** The number of granted files that one call exceeds by itself, or undefined. */
export function exceededGrant(wanted: FileTotals, plan: Plan): Exceeded | undefined {
  return exceeded(wanted, grantedCaps(plan), plan);
}

function exceeded(actual: FileTotals, limit: FileTotals, plan: Plan): Exceeded | undefined {
  const unit = (['bytes', 'files'] as const).find((each) => actual[each] > limit[each]);
  return unit && { limit: limit[unit], actual: actual[unit], plan, unit };
}

/** The sum of the grants that end at the same time. */
export interface Grants extends FileTotals {
  until: Date;
}

/** How long a grant counts at most. */
const LONGEST_SECONDS = 3600;
const MINUTE_MS = 60_000;

/**
 * When grants for a deck end: with the last full minute before an hour has passed, so the open grants of a deck end at
 * 60 different times at most. Grants of a session end with it.
 */
export const endOfGrants = (now: Date) =>
  new Date(Math.floor((now.getTime() + LONGEST_SECONDS * 1000) / MINUTE_MS) * MINUTE_MS);

/** Whether grants that expire then are open. Not when an instance whose clock was wrong counted them. */
export function isOpen(until: Date, now: Date): boolean {
  return until > now && !isFromWrongClock(until, new Date(now.getTime() + LONGEST_SECONDS * 1000));
}

/** The rows of the open grants with `wanted` added. Expired rows are dropped. */
export function openGrants(earlier: readonly Grants[], wanted: Grants, now: Date): Grants[] {
  const open = earlier.filter((each) => isOpen(each.until, now));
  const same = open.find((each) => each.until.getTime() === wanted.until.getTime());
  const sum = { ...wanted, files: wanted.files + (same?.files ?? 0), bytes: wanted.bytes + (same?.bytes ?? 0) };
  return [...open.filter((each) => each !== same), sum].sort((a, b) => a.until.getTime() - b.until.getTime());
}

/** The limit that the open grants exceed, or undefined. `retryInSeconds` is the time until the first row expires. */
export function exceededGrants(
  open: readonly Grants[],
  plan: Plan,
  now: Date,
): (Exceeded & { retryInSeconds: number }) | undefined {
  const sum = (unit: keyof FileTotals) => open.reduce((total, each) => total + each[unit], 0);
  const found = exceeded({ files: sum('files'), bytes: 0 }, grantedCaps(plan), plan);
  const expiresAt = open[0]?.until ?? now;
  return found && { ...found, retryInSeconds: waitSeconds(expiresAt.getTime() - now.getTime(), LONGEST_SECONDS) };
}
