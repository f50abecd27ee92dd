import { planCaps, type Plan } from './plans';

/** So many files, of so many bytes together. */
export interface FileTotals {
  files: number;
  bytes: number;
}

export const totalsOf = (files: readonly { sizeBytes: number }[]): FileTotals => ({
  files: files.length,
  bytes: files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
});

/** A deck keeps the files of as many decks of its plan's largest size: those of all its versions, and those that no version names. */
const STORED_DECKS = 50;
/** As much may be granted at one time: a push of the largest deck, begun four times within an hour. */
const GRANTED_DECKS = 4;

const decks = (plan: Plan, count: number): FileTotals => ({
  files: planCaps[plan].filesPerManifest * count,
  bytes: planCaps[plan].deckBytes * count,
});

interface Exceeded {
  limit: number;
  actual: number;
  plan: Plan;
  unit: keyof FileTotals;
}

/** What a deck would store more than its plan allows with these files, if that is so. */
export function exceededStored(stored: FileTotals, more: FileTotals, plan: Plan): Exceeded | undefined {
  return exceeded(
    { files: stored.files + more.files, bytes: stored.bytes + more.bytes },
    decks(plan, STORED_DECKS),
    plan,
  );
}

/** What one call asks to be granted more than may ever be open, if that is so. */
export function exceededGrant(wanted: FileTotals, plan: Plan): Exceeded | undefined {
  return exceeded(wanted, decks(plan, GRANTED_DECKS), plan);
}

function exceeded(actual: FileTotals, limit: FileTotals, plan: Plan): Exceeded | undefined {
  const unit = (['bytes', 'files'] as const).find((each) => actual[each] > limit[each]);
  return unit && { limit: limit[unit], actual: actual[unit], plan, unit };
}

/** Grants that end at about the same time. */
export interface Grants extends FileTotals {
  until: Date;
}

const SLOT_MS = 10 * 60_000;

/** The grants that are open with these. They are kept by tens of minutes: however many there are, it is a handful of rows. */
export function openGrants(earlier: readonly Grants[], wanted: Grants, now: Date): Grants[] {
  const until = new Date(Math.ceil(wanted.until.getTime() / SLOT_MS) * SLOT_MS);
  const open = earlier.filter((each) => each.until > now);
  const same = open.find((each) => each.until.getTime() === until.getTime());
  const sum = { until, files: wanted.files + (same?.files ?? 0), bytes: wanted.bytes + (same?.bytes ?? 0) };
  return [...open.filter((each) => each !== same), sum].sort((a, b) => a.until.getTime() - b.until.getTime());
}

/** What of open grants is more than the plan allows at one time, if anything, and when the first of them end. */
export function exceededGrants(
  open: readonly Grants[],
  plan: Plan,
  now: Date,
): (Exceeded & { retryInSeconds: number }) | undefined {
  const sum = (unit: keyof FileTotals) => open.reduce((total, each) => total + each[unit], 0);
  const found = exceeded({ files: sum('files'), bytes: sum('bytes') }, decks(plan, GRANTED_DECKS), plan);
  const endsAt = open[0]?.until ?? now;
  return found && { ...found, retryInSeconds: Math.max(1, Math.ceil((endsAt.getTime() - now.getTime()) / 1000)) };
}
