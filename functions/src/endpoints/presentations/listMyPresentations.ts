import { z } from 'zod';
import { serviceSecret } from '../../config';
import { endpoint } from '../../http/endpoint';
import { timestamp } from '../../contract/fields';
import { iso } from '../../contract/views';
import { listPresentations } from '../../records/presentations';
import { shareUrlOf } from '../../records/share-tokens';
import { readViewTotals } from '../../records/view-counters';
import { pageCursor } from '../../values/cursor';

/** The caller's decks, newest change first: those that it owns and those that it may edit. Two round trips for a page of any size. */

const PAGE = 100;

export const Input = z.object({
  limit: z.coerce.number().int().min(1).max(PAGE).default(PAGE),
  cursor: pageCursor.optional(),
});

export const Answer = z.object({
  presentations: z.array(
    z.object({
      id: z.uuidv7(),
      title: z.string(),
      version: z.int().positive(),
      role: z.enum(['owner', 'dev']),
      createdAt: timestamp,
      updatedAt: timestamp,
      lastViewedAt: timestamp.nullable(),
      totalViews: z.int().nonnegative(),
      shareUrl: z.url().nullable(),
    }),
  ),
  nextCursor: z.string().nullable(),
});

export const listMyPresentations = endpoint({
  name: 'listMyPresentations',
  method: 'GET',
  caller: { scope: 'presentations:read' },
  input: Input,
  answer: Answer,
  errors: [],
  runtime: { secrets: [serviceSecret] },

  async handle({ input: { limit, cursor }, caller: { userId } }): Promise<z.input<typeof Answer>> {
    // An admin key has no decks of its own.
    if (userId === null) return { presentations: [], nextCursor: null };
    const { decks, next } = await listPresentations(userId, limit, cursor);
    const totals = await readViewTotals(decks);
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
        shareUrl: shareUrlOf(deck.presentationId, deck.firstToken),
      })),
      nextCursor: next,
    };
  },
});
