import { z } from 'zod';
import { example } from '../../contract/example';
import { deckId, presentationId, time, tokenId } from '../../contract/fields';
import { fail } from '../../errors';
import { endpoint } from '../../http/endpoint';
import { revocationOf } from '../../policy/presentation-access';
import { readIn, refIf, type Transaction } from '../../records/database';
import { presentationRef, type Presentation } from '../../records/presentations';
import { revokeAllLinks, revokeLink } from '../../records/share-links';
import { shareTokenRef, type ShareToken, type TokenState } from '../../records/share-tokens';
import { transact } from '../../records/transact';

export const Input = z
  .object({
    presentationId,
    tokenId: tokenId.optional().meta({
      description: 'Id of the share token of the link. Send either this or `all`.',
      example: example.tokenId,
    }),
    all: z.literal(true).optional().meta({ description: 'Revokes all links. Send either this or `tokenId`.' }),
  })
  .refine((input) => Boolean(input.tokenId) !== Boolean(input.all), {
    path: ['tokenId'],
    error: 'Send tokenId, or all: true.',
  })
  .meta({
    oneOf: [{ required: ['tokenId'] }, { required: ['all'] }],
    example: { presentationId: example.deckId, tokenId: example.tokenId },
  });

export const Answer = z.object({
  presentationId: deckId,
  revokedTokenIds: z.array(tokenId).meta({ description: 'Ids of the share tokens that this call revoked.' }),
  alreadyRevoked: z
    .array(tokenId)
    .meta({ description: 'Ids of the share tokens of the request that were revoked before.', example: [] }),
  revokedAt: time('When the links were revoked. When this call revoked no link, the time of the earlier revocation.'),
});

export const unsharePresentation = endpoint({
  name: 'unsharePresentation',
  about:
    'Revokes one link of a deck, or all its links. The viewer refuses a revoked link from the next request on. A ' +
    'revoked link cannot be restored. A second call revokes nothing and answers 200.',
  command: `deck links revoke ${example.tokenId} --deck ${example.deckId}`,
  method: 'POST',
  caller: { scope: 'presentations:write', deck: 'owner' },
  input: Input,
  answer: Answer,
  errors: ['not-found'],
  cost: { roundTrips: 7, reads: 7, writes: 4 },

  handle({ input: { presentationId: id, tokenId: of }, authorize, now }) {
    return transact(async (tx) => {
      const [found, token] = await readIn(
        tx,
        presentationRef(id),
        refIf((tokenId) => shareTokenRef(id, tokenId), of),
      );
      const deck = authorize(found);
      const outcome = of ? await revokeOne(tx, deck, token, now) : await revokeAll(tx, deck, now);
      return { presentationId: deck.presentationId, ...outcome, revokedAt: outcome.revokedAt.toISOString() };
    });
  },
});

interface Outcome {
  revokedTokenIds: string[];
  alreadyRevoked: string[];
  revokedAt: Date;
}

async function revokeOne(
  tx: Transaction,
  deck: Presentation,
  token: ShareToken | undefined,
  now: Date,
): Promise<Outcome> {
  if (!token) return fail('not-found', undefined, { message: 'The deck has no such token.' });
  const { tokenId } = token;
  const revokedAt = revocationOf(token, deck);
  if (revokedAt) return { revokedTokenIds: [], alreadyRevoked: [tokenId], revokedAt };
  await revokeLink(tx, deck, token, now);
  return { revokedTokenIds: [tokenId], alreadyRevoked: [], revokedAt: now };
}

async function revokeAll(tx: Transaction, deck: Presentation, now: Date): Promise<Outcome> {
  const { revoked, before, revokedAt } = await revokeAllLinks(tx, deck, now);
  const idsOf = (tokens: TokenState[]) => tokens.map(({ tokenId }) => tokenId);
  return { revokedTokenIds: idsOf(revoked), alreadyRevoked: idsOf(before), revokedAt };
}
