import { randomBytes } from 'node:crypto';
import { config, serviceSecrets } from '../config';
import { runApart } from '../context';
import { eventOf, type EventStream } from '../http/event-stream';
import { beforeStop } from '../http/server';
import { logWarning } from '../log';
import { ASK_EVERY_SECONDS, endOfStream, isLive, sumOfStreams } from '../policy/live';
import { read } from '../records/database';
import {
  gateOf,
  liveFollowersRef,
  liveSessionRef,
  noteStreams,
  watchLive,
  type LiveSession,
} from '../records/live-sessions';
import { presentationRef } from '../records/presentations';
import { shareTokenRef } from '../records/share-tokens';
import { AUDIENCE_TICKET_MS, writeLiveTicket, type LiveRole, type LiveTicket } from '../values/live-tickets';

/** The name of this instance in counts. */
const instance = randomBytes(9).toString('base64url');

/** Every this many beats an instance writes how many streams it holds, and sends what keeps connections open. */
const COUNT_BEATS = 3;

/** Reads the session of a ticket. Undefined when it is not live any more. One round trip. */
export async function readLive(ticket: LiveTicket, now: Date): Promise<LiveSession | undefined> {
  const { presentationId, tokenId, liveId } = ticket;
  const [deck, token, session] = await read(
    presentationRef(presentationId),
    shareTokenRef(presentationId, tokenId),
    liveSessionRef(presentationId),
  );
  const of = { deck, token, gate: token && gateOf(token) };
  return isLive(session, of, now) && session.liveId === liveId ? session : undefined;
}

/** How many streams follow a session, and how many are of presenters. */
export async function countStreams({ presentationId, liveId }: LiveSession, now: Date) {
  const [counted] = await read(liveFollowersRef(presentationId));
  return sumOfStreams(counted?.instances ?? {}, liveId, now);
}

/** The ticket of a follower, for as long as `ticket` may be followed by others. */
export const audienceTicket = (ticket: LiveTicket, now: Date): string =>
  writeLiveTicket(serviceSecrets.current(), 'audience', ticket, now);

/** Where a follower of a session is to be. */
export const stateOf = ({ liveId, move }: LiveSession) => ({
  liveId,
  sequence: move?.sequence ?? 0,
  slide: move?.slide ?? null,
});

/** The name of a state, by which a client that comes back says what it has. */
const stateId = ({ liveId, move }: LiveSession) => `${liveId}.${move?.sequence ?? 0}`;

/** What a stream is for. A remote control has the ticket of the presenter, and shows no deck. */
type StreamRole = LiveRole | 'remote';

interface Follower {
  stream: EventStream;
  role: StreamRole;
  ticket: LiveTicket;
  endsAt: Date;
  renewAt: Date;
}

const ENDED = eventOf('end', {});

/**
 * All streams of one session on this instance. One watch of its document feeds them, and one timer looks after them.
 */
class Audience {
  readonly #followers = new Set<Follower>();
  readonly #timer: NodeJS.Timeout;
  readonly #stopWatch: () => void;
  #session: LiveSession;
  /** Followers on all instances, and how many of them this instance had when they were counted. */
  #counted = { followers: 0, own: 0 };
  #beats = 0;
  #isOver = false;

  constructor(
    private readonly ticket: LiveTicket,
    session: LiveSession,
    private readonly onOver: () => void,
  ) {
    this.#session = session;
    this.#stopWatch = watchLive(
      ticket.presentationId,
      (changed) => this.#receive(changed),
      (error) => {
        logWarning('The watch of a live session ended.', error);
        this.end();
      },
    );
    const beat = () => void runApart(() => this.#beat()).catch(onBeatFault);
    this.#timer = setInterval(beat, config.liveBeatMs());
    this.#timer.unref();
  }

  /** Adds a stream. It first gets the state, unless `lastEventId` names it. Resolves when the stream has ended. */
  async add(stream: EventStream, role: StreamRole, ticket: LiveTicket, lastEventId: string, now: Date): Promise<void> {
    if (role === 'audience' && this.#isFull()) {
      if (this.#followers.size === 0) this.end();
      return stream.end(eventOf('ask', { everySeconds: ASK_EVERY_SECONDS }));
    }
    const follower = { stream, role, ticket, endsAt: endOfStream(now), renewAt: renewal(now) };
    this.#followers.add(follower);
    if (lastEventId !== stateId(this.#session)) stream.send(stateEvent(this.#session));
    if (role !== 'audience') await this.#count(now);
    await stream.closed;
    this.#followers.delete(follower);
    if (this.#followers.size === 0) this.end();
    if (role !== 'audience' || this.#followers.size === 0) await this.#count(new Date());
  }

  /** Ends all streams, and what they need. `event` tells a client not to come back. */
  end(event?: Buffer): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearInterval(this.#timer);
    this.#stopWatch();
    this.onOver();
    for (const { stream } of this.#followers) stream.end(event);
  }

  /** How many streams of a role this instance holds for the session. */
  own(of: StreamRole = 'audience'): number {
    return [...this.#followers].filter(({ role }) => role === of).length;
  }

  #isFull(): boolean {
    const others = this.#counted.followers - this.#counted.own;
    if (others + this.own() >= this.#session.maxFollowers) return true;
    const held = [...audiences.values()].reduce((sum, audience) => sum + audience.own(), 0);
    return held >= config.liveStreams();
  }

  #receive(changed: LiveSession | undefined): void {
    if (this.#isOver) return;
    if (!changed || changed.liveId !== this.ticket.liveId || changed.endedAt !== null) return this.end(ENDED);
    const before = this.#session;
    // A watch that begins may know less than the read before it.
    if ((changed.move?.sequence ?? 0) > (before.move?.sequence ?? 0)) this.#send(stateEvent(changed));
    const { command } = changed;
    const isNew = command !== null && command.sequence > (before.command?.sequence ?? 0);
    if (isNew) this.#send(eventOf('command', { command: command.name }), ['presenter']);
    this.#session = changed;
  }

  #send(event: Buffer, to: readonly StreamRole[] = ['audience', 'presenter', 'remote']): void {
    for (const { stream, role } of this.#followers) if (to.includes(role)) stream.send(event);
  }

  async #beat(): Promise<void> {
    const now = new Date();
    if (!(await readLive(this.ticket, now))) return this.end(ENDED);
    for (const follower of this.#followers) {
      if (follower.endsAt <= now) follower.stream.end();
      else if (follower.renewAt <= now) this.#renew(follower, now);
    }
    if (this.#beats++ % COUNT_BEATS !== 0) return;
    for (const { stream } of this.#followers) stream.beat();
    await this.#count(now);
  }

  #renew(follower: Follower, now: Date): void {
    if (follower.role !== 'audience') return;
    follower.renewAt = renewal(now);
    follower.stream.send(eventOf('ticket', { ticket: audienceTicket(follower.ticket, now) }));
  }

  /** Writes the streams of this instance, reads those of all, and tells the presenter. The next beat tries again. */
  async #count(now: Date): Promise<void> {
    try {
      const { presentationId, liveId } = this.ticket;
      const followers = this.own();
      const held = { liveId, followers, presenters: this.own('presenter'), at: now };
      await noteStreams(presentationId, instance, this.#followers.size === 0 ? undefined : held);
      if (this.#isOver) return;
      const all = await countStreams(this.#session, now);
      this.#counted = { followers: all.followers, own: followers };
      const { startedAt } = this.#session;
      this.#send(eventOf('followers', { ...all, startedAt: startedAt.toISOString() }), ['presenter', 'remote']);
    } catch (error) {
      onBeatFault(error);
    }
  }
}

const onBeatFault = (error: unknown) => logWarning('The streams of a live session were not looked after.', error);
const renewal = (now: Date) => new Date(now.getTime() + AUDIENCE_TICKET_MS / 2);
const stateEvent = (session: LiveSession) => eventOf('state', stateOf(session), stateId(session));

/** By the id of the session. */
const audiences = new Map<string, Audience>();

/** Feeds a stream until it ends. `session` was read for its ticket. */
export async function feed(
  stream: EventStream,
  role: StreamRole,
  { ticket, session, lastEventId }: { ticket: LiveTicket; session: LiveSession; lastEventId: string },
  now: Date,
): Promise<void> {
  const { liveId } = session;
  let audience = audiences.get(liveId);
  if (!audience) {
    audience = new Audience(ticket, session, () => audiences.delete(liveId));
    audiences.set(liveId, audience);
  }
  await audience.add(stream, role, ticket, lastEventId, now);
}

// Their clients come back, and the server of the instance does not wait for them.
beforeStop('followLiveSession', () => {
  for (const audience of [...audiences.values()]) audience.end();
});
