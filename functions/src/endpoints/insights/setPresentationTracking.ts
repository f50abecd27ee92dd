import { z } from 'zod';
import { deckId, presentationId } from '../../contract/fields';
import { tracking } from '../../contract/view-fields';
import { endpoint } from '../../http/endpoint';
import { readIn } from '../../records/database';
import { presentationRef, setTracking } from '../../records/presentations';
import { transact } from '../../records/transact';

export const Input = z.object({ presentationId, tracking });

export const Answer = z.object({ presentationId: deckId, tracking });

export const setPresentationTracking = endpoint({
  name: 'setPresentationTracking',
  about:
    'Sets what is recorded of the readers of a deck: their visits, or only how often it is loaded. It changes nothing ' +
    'that was recorded before.',
  method: 'POST',
  caller: { scope: 'presentations:write', deck: 'owner', refusesAdmin: true },
  input: Input,
  answer: Answer,
  errors: ['not-found'],
  cost: { roundTrips: 3, reads: 2, writes: 2 },

  handle({ input: { presentationId: id, tracking: set }, authorize }) {
    return transact(async (tx) => {
      const [deck] = await readIn(tx, presentationRef(id));
      authorize(deck);
      setTracking(tx, id, set);
      return { presentationId: id, tracking: set };
    });
  },
});
