import { z } from 'zod';
import { deckId, presentationId } from '../../contract/fields';
import { endpoint } from '../../http/endpoint';
import { isRunning } from '../../policy/live';
import { readIn } from '../../records/database';
import { endLive, liveSessionRef } from '../../records/live-sessions';
import { presentationRef } from '../../records/presentations';
import { transact } from '../../records/transact';

export const Input = z.object({ presentationId });

export const Answer = z.object({
  presentationId: deckId,
  ended: z.boolean().meta({ description: 'False when no session ran.', example: true }),
});

export const endLiveSession = endpoint({
  name: 'endLiveSession',
  about: 'Ends the live session of a deck. The decks of the audience stay where they are.',
  method: 'POST',
  caller: { scope: 'presentations:write', deck: 'member', refusesAdmin: true },
  input: Input,
  answer: Answer,
  errors: ['not-found'],
  cost: { roundTrips: 3, reads: 3, writes: 3 },

  handle({ input: { presentationId: id }, authorize, now }) {
    return transact(async (tx) => {
      const [found, session] = await readIn(tx, presentationRef(id), liveSessionRef(id));
      authorize(found);
      const ended = isRunning(session, now);
      if (ended) endLive(tx, session, now);
      return { presentationId: id, ended };
    });
  },
});
