import { z } from 'zod';
import { serviceSecret } from '../../config';
import {
  closed,
  deckId,
  deckListCursor,
  deckPicture,
  listingOfDeck,
  nextCursor,
  pageLimit,
  shareUrlIsPersonal,
  shareUrlOrNull,
  time,
  timeOrNull,
  title,
  version,
} from '../../contract/fields';
import { iso, pictureView } from '../../contract/views';
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

const Row = z
  .object({
    id: deckId,
    title,
    version: version.meta({ description: 'Number of the current version.' }),
    role: z
      .enum(['owner', 'dev'])
      .meta({ description: 'owner: the caller owns the deck. dev: the caller may edit it as a collaborator.' }),
    createdAt: time('When the deck was created.'),
    updatedAt: time('When the current version was committed.'),
    lastViewedAt: timeOrNull('When the deck was last viewed. Null before the first view.'),
    totalViews: z.int().nonnegative().meta({ description: 'Number of views through all links.', example: 42 }),
    shareUrl: shareUrlOrNull(
      'Address of a link that is not revoked, or null: of the one that expires last, or else of the oldest one.',
    ),
    shareUrlIsPersonal,
    expiresAt: timeOrNull('When the links of the deck stop opening. Null when they do not expire.'),
    closed,
    picture: deckPicture,
    listing: listingOfDeck,
    activeLinks: z
      .int()
      .nonnegative()
      .meta({ description: 'Number of links that are not revoked, also of expired ones.', example: 2 }),
  })
  .meta({ id: 'Presentation', description: 'A deck in the list of the caller.' });

export const Answer = z.object({
  presentations: z
    .array(Row)
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
        id: deck.presentationId,
        title: deck.title,
        version: deck.current.version,
        role: deck.ownerId === userId ? 'owner' : 'dev',
        createdAt: deck.createdAt.toISOString(),
        updatedAt: deck.updatedAt.toISOString(),
        lastViewedAt: iso(totals[i]!.lastViewedAt),
        totalViews: totals[i]!.totalViews,
        ...linkFields(deck.presentationId, deck.firstToken),
        expiresAt: iso(deck.expiresAt),
        closed: closureOf(deck, now),
        picture: pictureView(deck.picture),
        listing: listings[i]!,
        activeLinks: deck.activeLinks,
      })),
      nextCursor: next,
    };
  },
});
