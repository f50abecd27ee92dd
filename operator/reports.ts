import type { ReportReason } from '../functions/src/policy/listing-reports';
import type { PlaceCount, StoredPlace } from '../functions/src/records/listing-reports';

type Counts = Partial<Record<ReportReason, number>>;

/** The numbers of reports for each reason: those of accounts, and those without an account. */
export function countReports(places: readonly PlaceCount[]): { accountReports: Counts; otherReports: Counts } {
  const counts = { accountReports: {} as Counts, otherReports: {} as Counts };
  for (const { by, reason, count } of places) {
    const of = by === 'account' ? counts.accountReports : counts.otherReports;
    of[reason] = (of[reason] ?? 0) + count;
  }
  return counts;
}

/**
 * The number of different reporters, at least: those of the most frequent reason. A reporter counts once for each
 * reason, so the sum of all reasons would count a reporter nine times.
 */
export const reportersOf = (counts: Counts): number => Math.max(0, ...Object.values(counts));

/**
 * The stored texts, at most `limit`: those of accounts first. Within both groups the reasons take turns, each with its
 * newest text first, so that many reports for one reason do not hide the reports for another one.
 */
export function listTexts(places: readonly StoredPlace[], limit: number): object[] {
  const texts = (['account', 'network'] as const).flatMap((by) => {
    const byReason = new Map<ReportReason, object[]>();
    const all = places
      .filter((place) => place.by === by)
      .flatMap(({ reason, texts }) => texts.map((text) => ({ by, reason, ...text })));
    all.sort((a, b) => b.reportedAt.getTime() - a.reportedAt.getTime());
    const turns = all.map((text) => {
      const earlier = byReason.get(text.reason) ?? [];
      byReason.set(text.reason, [...earlier, text]);
      return { turn: earlier.length, text };
    });
    return turns.sort((a, b) => a.turn - b.turn).map(({ text }) => text);
  });
  return texts.slice(0, limit);
}
