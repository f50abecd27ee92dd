import { z } from 'zod';
import { serviceSecret } from '../../config';
import { deckListCursor, nextCursor, pageLimit } from '../../contract/fields';
import { listedDeck } from '../../contract/rows';
import { deckView } from '../../rows/decks';
import { iso, pictureView } from '../../rows/fields';
import { listingsOf } from '../../decks/deck-listings';
import { endpoint } from '../../http/endpoint';
import { closureOf } from '../../policy/presentation-access';
import { listPresentations } from '../../records/presentations';
import { linkFields } from '../../records/share-tokens';
import { readViewTotals } from '../../records/view-counters';

export const Input = z.object({
  limit: pageLimit('decks', { usual: 100 }),
  cursor: deckListCursor,
});

export const Answer = z.object({
  presentations: z
    .array(listedDeck)
    .meta({ description: 'The decks of the caller, then those that the caller may edit; each last committed first.' }),
  nextCursor,
});

export const listMyPresentations = endpoint({
  name: 'listMyPresentations',
  about:
    'Lists the decks that the caller owns, then those that the caller may edit as a collaborator. The answer for an ' +
    'admin key is an empty list.',
  command: 'deck list',
  method: 'GET',
  caller: { scope: 'presentations:read' },
  input: Input,
  answer: Answer,
  errors: [],
  runtime: { class: 'hot', secrets: [serviceSecret] },
  cost: { roundTrips: 4, reads: 4, writes: 0 },

  async handle({ input: { limit, cursor }, caller: { userId }, now }): Promise<z.input<typeof Answer>> {
    // An admin key belongs to no user, so it owns no decks.
    if (userId === null) return { presentations: [], nextCursor: null };
    const { decks, next } = await listPresentations(userId, limit, cursor);
    const [totals, listings] = await Promise.all([readViewTotals(decks), listingsOf(decks)]);
    return {
      presentations: decks.map((deck, i) => ({
        ...deckView(deck),
        role: deck.ownerId === userId ? 'owner' : 'dev',
        lastViewedAt: iso(totals[i]!.lastViewedAt),
        totalViews: totals[i]!.totalViews,
        ...linkFields(deck.presentationId, deck.firstTokens, now),
        closed: closureOf(deck, now),
        picture: pictureView(deck.picture),
        listing: listings[i]!,
        remixedFromSlug: deck.remixedFrom?.slug ?? null,
      })),
      nextCursor: next,
    };
  },
});
