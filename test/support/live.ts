import type { z } from 'zod';
import type { Answer } from '../../functions/src/endpoints/live/startLiveSession';
import { followAt } from './live-stream';
import { succeed, world, type Account, type Deck } from './world';

export type Started = z.output<typeof Answer>;

/** Starts a live session, and returns it with the ticket of its presenter. */
export async function startLive(by: Account, { presentationId }: Pick<Deck, 'presentationId'>, tokenId?: string) {
  const input = { presentationId, ...(tokenId && { tokenId }) };
  const started = await succeed(world.call<Started>('startLiveSession', input, { key: by.key }));
  return { ...started, presenter: started.presenterUrl.split('#present=')[1]! };
}

export const move = (ticket: string, sequence: number, of: { index: number } | { command: string }) =>
  world.call<{ taken: boolean; retryAfterMs: number | null; sequence: number; slide: { index: number } | null }>(
    'moveLiveSession',
    { ticket, sequence, ...('index' in of ? { slide: { key: `slide-${of.index}`, index: of.index } } : of) },
  );

/** A stream of a live session of the world. */
export const follow = (ticket: string, lastEventId?: string) => followAt(world.cloud.baseUrl, ticket, lastEventId);
