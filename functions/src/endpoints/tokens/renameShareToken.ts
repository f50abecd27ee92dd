import { z } from 'zod';
import { serviceSecret } from '../../config';
import { example } from '../../contract/example';
import { newTokenName, presentationId, shareTokenRow, tokenId } from '../../contract/fields';
import { tokenView } from '../../decks/link-rows';
import { fail } from '../../errors';
import { endpoint } from '../../http/endpoint';
import { readIn } from '../../records/database';
import { presentationRef } from '../../records/presentations';
import { renameShareToken as renameToken, shareTokenRef } from '../../records/share-tokens';
import { transact } from '../../records/transact';
import { readTokenViews } from '../../records/view-counters';

export const Input = z.object({ presentationId, tokenId, name: newTokenName });

export const Answer = shareTokenRow;

export const renameShareToken = endpoint({
  name: 'renameShareToken',
  about:
    'Changes the name of a link, also of a revoked one, and returns the link. The address of the link stays the same. ' +
    'The link of the recipient of a mail stays personal under each name.',
  command: `deck links rename ${example.tokenId} 'Board meeting' --deck ${example.deckId}`,
  method: 'POST',
  caller: { scope: 'presentations:write', deck: 'owner' },
  input: Input,
  answer: Answer,
  errors: ['not-found'],
  runtime: { secrets: [serviceSecret] },
  cost: { roundTrips: 4, reads: 4, writes: 2 },

  async handle({ input: { presentationId: id, tokenId: of, name }, authorize }) {
    const { deck, token } = await transact(async (tx) => {
      const [found, stored] = await readIn(tx, presentationRef(id), shareTokenRef(id, of));
      const deck = authorize(found);
      // A held link opens nothing until its email was sent. No answer names it.
      if (!stored || stored.isHeld) return fail('not-found', undefined, { message: 'The deck has no such token.' });
      return { deck, token: renameToken(tx, id, stored, name) };
    });
    const views = await readTokenViews(id);
    return tokenView(deck, token, views.get(of));
  },
});
