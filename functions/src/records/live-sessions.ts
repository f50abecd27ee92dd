import { createHash } from 'node:crypto';
import { z } from 'zod';
import { runApart } from '../context';
import { isRunning, LIVE_MS, liveCommands, type HeldStreams, type LiveCommand } from '../policy/live';
import { newId } from '../values/ids';
import { anyFields, collection, date, documentOf, paths } from './collections';
import type { Transaction } from './database';
import { presentationRef, type Presentation } from './presentations';
import { sdk } from './sdk';
import type { ShareToken } from './share-tokens';

const slide = z.object({
  key: z.string(),
  title: z.string().nullable(),
  index: z.number().int(),
  count: z.number().int().nullable(),
  step: z.number().int().nullable(),
  steps: z.number().int().nullable(),
  hash: z.string().nullable(),
});

/** The live session of a deck that was started last. One document, because all streams watch it. */
const liveSession = z.object({
  liveId: z.string(),
  presentationId: z.string(),
  tokenId: z.string(),
  /** The rules of the link at the start: other ones end the session. */
  gate: z.string(),
  /** The most streams at once, by the plan at the start. */
  maxFollowers: z.number().int(),
  startedBy: z.string(),
  startedAt: date,
  expiresAt: date,
  endedAt: date.nullable(),
  /** Where the presenter is; null before the first move. */
  move: z.object({ sequence: z.number().int(), at: date, slide }).nullable(),
  /** What a remote control asked last of the presenter's page, counted, and the number that the remote control sent. */
  command: z
    .object({ sequence: z.number().int(), sent: z.number().int(), at: date, name: z.enum(liveCommands) })
    .nullable(),
});
export type LiveSession = z.output<typeof liveSession>;

export const liveSessionRef = (presentationId: string) =>
  collection(paths.liveSessions(presentationId), liveSession).doc('current');

/** The streams of a session by instance. Each instance writes its own, so followers cost no write of their own. */
const liveFollowers = z.object({
  instances: z.record(
    z.string(),
    z.object({ liveId: z.string(), followers: z.number().int(), presenters: z.number().int(), at: date }),
  ),
});

export const liveFollowersRef = (presentationId: string) =>
  collection(paths.liveFollowers(presentationId), liveFollowers).doc('current');

/** The rules of a link that readers meet, as a text that changes with them. */
export const gateOf = ({ passcode, readers, maxOpenings, expiresAt }: ShareToken): string =>
  createHash('sha256')
    .update(JSON.stringify([passcode?.id, readers, maxOpenings, expiresAt.getTime()]))
    .digest('base64url');

/** Starts a session. The transaction has read the deck, its token and its last session. */
export function startLive(
  tx: Transaction,
  { presentationId }: Presentation,
  token: ShareToken,
  { by, maxFollowers, now }: { by: string; maxFollowers: number; now: Date },
): LiveSession {
  const { tokenId } = token;
  const [liveId, expiresAt] = [newId(), new Date(now.getTime() + LIVE_MS)];
  const times = { startedAt: now, expiresAt, endedAt: null };
  const of = { liveId, presentationId, tokenId, gate: gateOf(token), maxFollowers, startedBy: by };
  const session = { ...of, ...times, move: null, command: null };
  tx.set(liveSessionRef(presentationId), session);
  tx.set(liveFollowersRef(presentationId), { instances: {} });
  tx.update(presentationRef(presentationId), { live: { liveId, tokenId, startedBy: by, expiresAt } });
  return session;
}

/** Ends a session. The transaction has read it. */
export function endLive(tx: Transaction, { presentationId, endedAt }: LiveSession, now: Date): void {
  if (endedAt === null) tx.update(liveSessionRef(presentationId), { endedAt: now });
  tx.update(presentationRef(presentationId), { live: null });
}

/** Writes where the presenter is. The transaction has read the session. */
export function moveLive(tx: Transaction, { presentationId }: LiveSession, move: NonNullable<LiveSession['move']>) {
  tx.update(liveSessionRef(presentationId), { move });
}

/** Writes what a remote control asks. The transaction has read the session. */
export function commandLive(
  tx: Transaction,
  { presentationId, command: last }: LiveSession,
  command: { sent: number; at: Date; name: LiveCommand },
): void {
  const sequence = (last?.sequence ?? 0) + 1;
  tx.update(liveSessionRef(presentationId), { command: { ...command, sequence } });
}

/** The session that a deck names, when it runs and has this link. */
export const liveOf = (
  { live }: Presentation,
  tokenId: string,
  now: Date,
): NonNullable<Presentation['live']> | undefined =>
  live?.tokenId === tokenId && isRunning({ ...live, endedAt: null }, now) ? live : undefined;

/**
 * Watches the session of a deck: `onSession` gets the record now and after each change, and undefined when there is
 * none. After `onFault` nothing more comes. Returns what ends the watch. It belongs to no request.
 */
export function watchLive(
  presentationId: string,
  onSession: (session: LiveSession | undefined) => void,
  onFault: (error: unknown) => void,
): () => void {
  let stop = () => {};
  void runApart(() => {
    const ref = documentOf(liveSessionRef(presentationId));
    stop = ref.onSnapshot((found) => onSession(found.data()), onFault);
    return Promise.resolve();
  });
  return () => stop();
}

/** Writes how many streams an instance holds; undefined when it holds none any more. */
export async function noteStreams(
  presentationId: string,
  instance: string,
  held: HeldStreams | undefined,
): Promise<void> {
  const ref = documentOf(anyFields(liveFollowersRef(presentationId)));
  await ref.set({ instances: { [instance]: held ?? sdk().FieldValue.delete() } }, { merge: true });
}
