import { z } from 'zod';
import { endpoint } from '../../http/endpoint';
import { presentationId, timestamp, tokenId } from '../../contract/fields';
import { fail } from '../../errors';
import { revocationOf } from '../../policy/presentation-access';
import { readIn, refIf, type Transaction } from '../../records/database';
import { transact } from '../../records/transact';
import { presentationRef, type Presentation } from '../../records/presentations';
import { revokeAllLinks, revokeLink } from '../../records/share-links';
import { shareTokenRef, type ShareToken } from '../../records/share-tokens';

/**
 * Revokes one link of a deck, or all of them; the viewer refuses them from the next request on. All at once is one write, however many
 * there are: the deck notes until when its tokens are void. Doing it again answers the same.
 */

export const Input = z
  .object({ presentationId, tokenId: tokenId.optional(), all: z.literal(true).optional() })
  .refine((input) => Boolean(input.tokenId) !== Boolean(input.all), {
    path: ['tokenId'],
    error: 'Send tokenId, or all: true.',
  });

export const Answer = z.object({
  presentationId: z.uuidv7(),
  revokedTokenIds: z.array(z.string()),
  alreadyRevoked: z.array(z.string()),
  revokedAt: timestamp,
});

export const unsharePresentation = endpoint({
  name: 'unsharePresentation',
  method: 'POST',
  caller: { scope: 'presentations:write', deck: 'owner' },
  input: Input,
  answer: Answer,
  errors: ['not-found'],

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
  const idsOf = (tokens: ShareToken[]) => tokens.map(({ tokenId }) => tokenId);
  return { revokedTokenIds: idsOf(revoked), alreadyRevoked: idsOf(before), revokedAt };
}
