import { z } from 'zod';
import { example } from '../../contract/example';
import { deckId, futureTime, presentationId, timeOrNull } from '../../contract/fields';
import { iso } from '../../rows/fields';
import { assertFuture } from '../../decks/preconditions';
import { endpoint } from '../../http/endpoint';
import { readIn } from '../../records/database';
import { presentationRef, setExpiry } from '../../records/presentations';
import { transact } from '../../records/transact';

export const Input = z.object({
  presentationId,
  expiresAt: futureTime.nullable().meta({
    description: 'When the links of the deck stop opening: ISO 8601, in the future. Null removes the expiry.',
    example: '2031-01-01T00:00:00.000Z',
  }),
});

export const Answer = z.object({
  presentationId: deckId,
  expiresAt: timeOrNull('When the links of the deck stop opening. Null when they do not expire.'),
});

export const setPresentationExpiry = endpoint({
  name: 'setPresentationExpiry',
  about:
    'Sets or removes the expiry of a deck. After the expiry the viewer answers 410 for every link of the deck. The ' +
    'service deletes nothing. When the owner sets a later expiry or removes it, the links open again.',
  command: `deck expire 2031-01-01 --deck ${example.deckId}`,
  method: 'POST',
  caller: { scope: 'presentations:write', deck: 'owner' },
  input: Input,
  answer: Answer,
  errors: ['not-found'],
  cost: { roundTrips: 3, reads: 2, writes: 2 },

  handle({ input: { presentationId: id, expiresAt }, authorize, now }) {
    return transact(async (tx) => {
      const [deck] = await readIn(tx, presentationRef(id));
      authorize(deck);
      assertFuture(expiresAt, now);
      setExpiry(tx, id, expiresAt);
      return { presentationId: id, expiresAt: iso(expiresAt) };
    });
  },
});
