import { z } from 'zod';
import { presentationId, time, tokenId } from '../../contract/fields';
import { liveExpiry, liveId, liveSequence, liveSlide } from '../../contract/live-fields';
import { endpoint } from '../../http/endpoint';
import { isLive, sumOfStreams } from '../../policy/live';
import { read, refIf } from '../../records/database';
import { gateOf, liveFollowersRef, liveSessionRef } from '../../records/live-sessions';
import { presentationRef } from '../../records/presentations';
import { shareTokenRef } from '../../records/share-tokens';

export const Input = z.object({ presentationId });

export const Answer = z.object({
  live: z
    .object({
      liveId,
      tokenId: tokenId.meta({ description: 'Id of the link whose readers follow.' }),
      followers: z.int().nonnegative().meta({
        description: 'How many readers follow by a stream: right within 30 seconds.',
        example: 41,
      }),
      hasPresenter: z.boolean().meta({ description: 'Whether a page of a presenter is open.', example: true }),
      sequence: liveSequence,
      slide: liveSlide,
      startedAt: time('When the session was started.'),
      expiresAt: liveExpiry,
    })
    .nullable()
    .meta({ description: 'The live session of the deck. Null when there is none.' }),
});

export const getLiveSession = endpoint({
  name: 'getLiveSession',
  about: 'Returns the live session of a deck: which link follows, how many readers do, and where the presenter is.',
  method: 'GET',
  path: ['presentationId'],
  caller: { scope: 'presentations:read', deck: 'member', refusesAdmin: true },
  input: Input,
  answer: Answer,
  errors: ['not-found'],
  runtime: { class: 'read' },
  cost: { roundTrips: 3, reads: 5, writes: 0 },

  async handle({ input: { presentationId: id }, authorize, now }) {
    const [found, session, counted] = await read(presentationRef(id), liveSessionRef(id), liveFollowersRef(id));
    const deck = authorize(found);
    const [token] = await read(refIf((of: string) => shareTokenRef(id, of), session?.tokenId));
    if (!isLive(session, { deck, token, gate: token && gateOf(token) }, now)) return { live: null };
    const { followers, presenters } = sumOfStreams(counted?.instances ?? {}, session.liveId, now);
    return {
      live: {
        liveId: session.liveId,
        tokenId: session.tokenId,
        followers,
        hasPresenter: presenters > 0,
        sequence: session.move?.sequence ?? 0,
        slide: session.move?.slide ?? null,
        startedAt: session.startedAt.toISOString(),
        expiresAt: session.expiresAt.toISOString(),
      },
    };
  },
});
