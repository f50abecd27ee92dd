import { z } from 'zod';
import { example } from '../../contract/example';
import { deckId, newTitle, presentationId } from '../../contract/fields';
import { endpoint } from '../../http/endpoint';
import { readIn } from '../../records/database';
import { presentationRef, renameDeck } from '../../records/presentations';
import { transact } from '../../records/transact';

export const Input = z.object({
  presentationId,
  title: newTitle.meta({ description: 'The new title.', example: 'Sales, Q3' }),
});

export const Answer = z.object({
  presentationId: deckId,
  title: z
    .string()
    .meta({ description: 'The title as it is stored: in NFC, without surrounding spaces.', example: 'Sales, Q3' }),
});

export const renamePresentation = endpoint({
  name: 'renamePresentation',
  about:
    'Changes the title of a deck, without a new version. Versions and the listing keep their titles. A later commit ' +
    'without a title keeps the new title. A later commit with a title, and a restore of an older version, replace it.',
  command: `deck rename 'Sales, Q3' --deck ${example.deckId}`,
  method: 'POST',
  caller: { scope: 'presentations:write', deck: 'owner' },
  input: Input,
  answer: Answer,
  errors: ['not-found'],
  cost: { roundTrips: 3, reads: 2, writes: 3 },

  handle({ input: { presentationId: id, title }, authorize }) {
    return transact(async (tx) => {
      const [found] = await readIn(tx, presentationRef(id));
      renameDeck(tx, authorize(found), title);
      return { presentationId: id, title };
    });
  },
});
