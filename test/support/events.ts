import type { AnyEvent, EventType } from '../../functions/src/contract/events';
import { passSeconds } from './clock';
import { succeed, world, type Account } from './world';

export type { AnyEvent } from '../../functions/src/contract/events';

interface EventPage {
  events: AnyEvent[];
  nextCursor: string | null;
}

/** A page of the feed. */
export const feed = ({ key }: Pick<Account, 'key'>, query: Record<string, string> = {}): Promise<EventPage> =>
  succeed(world.call<EventPage>('listEvents', undefined, { key, query }));

/** The newest events of an organization, the newest first. */
export const newestEvents = async (owner: Pick<Account, 'key'>, query: Record<string, string> = {}) =>
  (await feed(owner, { order: 'desc', limit: '100', ...query })).events;

/** The events that `work` causes in the organization of `owner`, the oldest first. */
export async function eventsOf(owner: Pick<Account, 'key'>, work: () => Promise<unknown>): Promise<AnyEvent[]> {
  const known = new Set((await newestEvents(owner)).map(({ eventId }) => eventId));
  passSeconds(1);
  await work();
  return (await newestEvents(owner)).filter(({ eventId }) => !known.has(eventId)).reverse();
}

/** The data of the one event of this type. */
export function dataOf<T extends EventType>(events: readonly AnyEvent[], type: T) {
  const found = events.filter((each) => each.type === type);
  expect([type, found.length]).toEqual([type, 1]);
  return found[0]!.data as Extract<AnyEvent, { type: T }>['data'];
}
