import { linkStateOf } from './presentation-access';

/** How long a live session lasts, in milliseconds. */
export const LIVE_MS = 8 * 3600_000;
/** The least time between two moves that are taken, in milliseconds. Each is a write of the document of the session. */
export const MOVE_EVERY_MS = 1000;
/** How often a follower without a stream asks, in seconds. */
export const ASK_EVERY_SECONDS = 5;
/** The average time after which a stream ends and is opened again, in milliseconds. */
const STREAM_MS = 50 * 60_000;
/** How long a count of an instance is valid, in milliseconds. An instance renews it much sooner. */
const COUNT_MS = 60_000;

/** What remote controls ask of the page of the presenter. */
export const liveCommands = ['next', 'previous'] as const;
export type LiveCommand = (typeof liveCommands)[number];

/** When a stream that is opened now ends: at a random time, so that the streams of an instance do not end at once. */
export const endOfStream = (now: Date): Date => new Date(now.getTime() + STREAM_MS * (0.8 + 0.4 * Math.random()));

interface Session {
  liveId: string;
  endedAt: Date | null;
  expiresAt: Date;
  startedBy: string;
  /** The rules of the link when the session began. */
  gate: string;
}

type Deck = (NonNullable<Parameters<typeof linkStateOf>[0]> & { memberIds: readonly string[] }) | undefined;
type Token = Omit<NonNullable<Parameters<typeof linkStateOf>[1]>, 'isRight'>;

/** Whether a session has neither ended nor expired. */
export const isRunning = <S extends Pick<Session, 'endedAt' | 'expiresAt'>>(
  session: S | null | undefined,
  now: Date,
): session is S => Boolean(session) && session!.endedAt === null && session!.expiresAt > now;

/**
 * Whether a session is live: it runs, who started it is still a member of the deck, and its link is open, with the
 * rules that it had at the start. A link whose openings are used up stays open for those who opened it.
 */
export function isLive<S extends Session>(
  session: S | undefined,
  { deck, token, gate }: { deck: Deck; token: Token | undefined; gate: string | undefined },
  now: Date,
): session is S {
  const asked = token && { ...token, isRight: true, maxOpenings: null };
  return (
    isRunning(session, now) &&
    Boolean(deck?.memberIds.includes(session.startedBy)) &&
    session.gate === gate &&
    linkStateOf(deck, asked, now) === 'open'
  );
}

type Judged = { verdict: 'taken' | 'late' } | { verdict: 'too-soon'; retryAfterMs: number };

/**
 * What becomes of a move: a number that is not above that of the last one is late, so that a move which was repeated or
 * delayed never takes the audience back.
 */
export const judgeMove = (last: { sequence: number; at: Date } | null, sequence: number, now: Date): Judged =>
  last && sequence <= last.sequence ? { verdict: 'late' } : judgeTime(last, now);

/**
 * What becomes of a command: one with the number of the last one is a repeated call. Remote controls do not know the
 * numbers of each other, and their clocks differ.
 */
export const judgeCommand = (last: { sent: number; at: Date } | null, sent: number, now: Date): Judged =>
  last?.sent === sent ? { verdict: 'late' } : judgeTime(last, now);

function judgeTime(last: { at: Date } | null, now: Date): Judged {
  if (!last) return { verdict: 'taken' };
  const waitMs = last.at.getTime() + MOVE_EVERY_MS - now.getTime();
  // The clock of another instance may be ahead.
  return waitMs > 0 ? { verdict: 'too-soon', retryAfterMs: Math.min(waitMs, MOVE_EVERY_MS) } : { verdict: 'taken' };
}

/** The streams that one instance holds of a session. */
export interface HeldStreams {
  liveId: string;
  followers: number;
  presenters: number;
  at: Date;
}

/** The sum over the instances. An instance that was killed is counted for a minute. */
export function sumOfStreams(
  instances: Readonly<Record<string, HeldStreams>>,
  liveId: string,
  now: Date,
): { followers: number; presenters: number } {
  const sum = { followers: 0, presenters: 0 };
  for (const held of Object.values(instances)) {
    if (held.liveId !== liveId || held.at.getTime() + COUNT_MS < now.getTime()) continue;
    sum.followers += held.followers;
    sum.presenters += held.presenters;
  }
  return sum;
}
