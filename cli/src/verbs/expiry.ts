import { usageFailure } from '../../../client/src/failure';
import type { DeckService } from '../../../client/src/service/service';
import { explainDeck, problemOf, refusal } from './deck-failure';

const UNITS = { m: 60, h: 3600, d: 86_400, w: 604_800 } as const;
const EXAMPLES =
  'Name a date (2031-01-31: to the end of that day), a time (2031-01-31T18:00), 30m, 12h, 7d, 2w, or never.';

/**
 * The moment that the user names: a duration from now, a local date (the links open to its end), a time (local without
 * an offset), or `never`, which is null. Throws a usage failure for anything else, and for the past.
 */
export function parseExpiry(text: string, now: Date): Date | null {
  const words = text.trim();
  if (words.toLowerCase() === 'never') return null;
  const moment = momentOf(words, now);
  // After the year 9999 a time has another form.
  if (!moment || !(moment.getTime() < Date.UTC(10_000, 0))) throw usageFailure(`"${words}" is not a time.`, EXAMPLES);
  if (moment <= now) throw usageFailure(`${moment.toISOString()} is in the past.`, EXAMPLES);
  return moment;
}

function momentOf(words: string, now: Date): Date | undefined {
  const [, amount, unit] = /^(\d{1,6})([mhdw])$/i.exec(words) ?? [];
  if (amount && unit)
    return new Date(now.getTime() + Number(amount) * UNITS[unit.toLowerCase() as keyof typeof UNITS] * 1000);
  const [, year, month, day] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(words) ?? [];
  if (year && month && day) {
    const [y, m, d] = [Number(year), Number(month) - 1, Number(day)];
    // `new Date` takes 2031-02-30 for 2031-03-02.
    // The last moment of the day, so that the client shows the day that the user named, in every zone.
    return new Date(y, m, d).getDate() === d && m < 12 ? new Date(y, m, d, 23, 59, 59, 999) : undefined;
  }
  return /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?$/i.test(words) ? new Date(words) : undefined;
}

/** Sets when the links of a deck stop opening; null for never. Returns the moment as ISO 8601. */
export async function setExpiry(
  service: DeckService,
  { presentationId, expiresAt }: { presentationId: string; expiresAt: Date | null },
): Promise<string | null> {
  try {
    const input = { presentationId, expiresAt: expiresAt?.toISOString() ?? null };
    return (await service.post('setPresentationExpiry', input)).expiresAt;
  } catch (error) {
    const problem = problemOf(error, 'expiresAt');
    if (!problem || expiresAt === null) throw explainDeck(error, presentationId);
    const message = `The service refuses ${expiresAt.toISOString()}: ${problem.message}`;
    throw refusal(error, message, { code: 'wrong-time', nextAction: 'Check the clock of this computer.' });
  }
}
