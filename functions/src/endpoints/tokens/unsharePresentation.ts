import { z } from 'zod';
import { assertMayAct } from '../../decks/deck-access';
import { endpoint } from '../../http/endpoint';
import { example } from '../../contract/example';
import { deckId, presentationId, time, tokenId } from '../../contract/fields';
import { fail } from '../../errors';
import { revocationOf } from '../../policy/presentation-access';
import { read, type Transaction } from '../../records/database';
import { transact } from '../../records/transact';
import { presentationRef, type Presentation } from '../../records/presentations';
import { listShareTokens, readLinks, shareTokenRef, type ShareToken } from '../../records/share-tokens';

/** `all` is one write for any number of links: the deck stores until when its tokens are revoked. */

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
  revokedAt: time('When the links were revoked. When this call revoked none: when they were revoked before.'),
});

export const unsharePresentation = endpoint({
  name: 'unsharePresentation',
  about:
    'Revokes one link of a deck, or all its links. The viewer refuses a revoked link from the next request on. ' +
    'A revoked link cannot be restored. A second call revokes nothing and answers 200.',
  method: 'POST',
  caller: { scope: 'presentations:write', deck: 'owner' },
  input: Input,
  answer: Answer,
  errors: ['not-found'],

  handle({ input, caller, now }) {
    return transact(async (tx) => {
      const { presentationId: id, tokenId: of = 'none' } = input;
      const [found, token] = await read(tx, presentationRef(id), shareTokenRef(id, of));
      const deck = assertMayAct(caller, 'owner', found);
      const outcome = input.tokenId ? await revokeOne(tx, deck, of, token, now) : await revokeAll(tx, deck, now);
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
  id: string,
  token: ShareToken | undefined,
  now: Date,
): Promise<Outcome> {
  const ref = shareTokenRef(deck.presentationId, id);
  if (!token) return fail('not-found', undefined, { message: 'The deck has no such token.' });
  const revokedAt = revocationOf(token, deck);
  if (revokedAt) return { revokedTokenIds: [], alreadyRevoked: [id], revokedAt };
  const links = await readLinks(tx, deck, { ...token, revokedAt: now });
  tx.update(ref, { revokedAt: now });
  tx.update(presentationRef(deck.presentationId), links);
  return { revokedTokenIds: [id], alreadyRevoked: [], revokedAt: now };
}

async function revokeAll(tx: Transaction, deck: Presentation, now: Date): Promise<Outcome> {
  const tokens = await listShareTokens(deck.presentationId, tx);
  // A held one is not live yet, and must not become so.
  const isStanding = (token: ShareToken) => revocationOf(token, deck) === null;
  const standing = tokens.filter(isStanding);
  const alreadyRevoked = tokens.filter((token) => !isStanding(token)).map((token) => token.tokenId);
  if (standing.length === 0) return { revokedTokenIds: [], alreadyRevoked, revokedAt: deck.tokensRevokedAt ?? now };
  // A token may have been made a moment later than this call began.
  const revokedAt = new Date(Math.max(now.getTime(), ...standing.map((token) => token.createdAt.getTime())));
  tx.update(presentationRef(deck.presentationId), { tokensRevokedAt: revokedAt, firstToken: null, latestToken: null });
  return { revokedTokenIds: standing.map((token) => token.tokenId), alreadyRevoked, revokedAt };
}
