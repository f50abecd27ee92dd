import { z } from 'zod';
import { serviceSecret } from '../../config';
import { example } from '../../contract/example';
import { presentationId, shareTokenRow, tokenId } from '../../contract/fields';
import { assertToken } from '../../decks/link-changes';
import { tokenView } from '../../decks/link-rows';
import { endpoint } from '../../http/endpoint';
import { read } from '../../records/database';
import { linkReadersRef } from '../../records/link-readers';
import { presentationRef } from '../../records/presentations';
import { shareTokenRef } from '../../records/share-tokens';
import { readViewsOfToken } from '../../records/view-counters';

export const Input = z.object({ presentationId, tokenId });

export const Answer = shareTokenRow.extend({
  allowedEmails: z
    .array(z.string().meta({ description: 'An address or a domain.', example: '@example.org' }))
    .nullable()
    .meta({
      description: 'The addresses and domains that may open the link. Null: everybody who has the link.',
      example: ['grace@example.com', '@example.org'],
    }),
});

export const getShareToken = endpoint({
  name: 'getShareToken',
  about: 'Returns one link of a deck with its rules and its views, also a revoked one. An admin key may not call it.',
  command: `deck links --deck ${example.deckId}`,
  method: 'GET',
  path: ['presentationId', 'tokenId'],
  caller: { scope: 'presentations:read', deck: 'owner', refusesAdmin: true },
  input: Input,
  answer: Answer,
  errors: ['not-found'],
  runtime: { class: 'read', secrets: [serviceSecret] },
  cost: { roundTrips: 3, reads: 5, writes: 0 },

  async handle({ input: { presentationId: id, tokenId: of }, caller, authorize, now }) {
    const [found, stored, readers] = await read(presentationRef(id), shareTokenRef(id, of), linkReadersRef(id, of));
    const deck = authorize(found);
    const token = assertToken(stored);
    const views = new Map([[of, await readViewsOfToken(deck, of)]]);
    const row = tokenView(deck, token, { views, caller, now });
    return { ...row, allowedEmails: token.readers && (readers?.emails ?? []) };
  },
});
