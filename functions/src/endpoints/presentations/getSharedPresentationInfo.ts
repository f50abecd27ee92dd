import { z } from 'zod';
import { serviceSecret } from '../../config';
import { endpoint } from '../../http/endpoint';
import { presentationId, timestamp, versionMode } from '../../contract/fields';
import { iso, versionModeView } from '../../contract/views';
import { revocationOf } from '../../policy/presentation-access';
import { read } from '../../records/database';
import { presentationRef } from '../../records/presentations';
import { listShareTokens, shareUrlOf } from '../../records/share-tokens';
import { readTokenViews } from '../../records/view-counters';

/** A deck as its owner sees it, with every token, revoked ones too, and what was viewed through each. Three round trips. */

export const Input = z.object({ presentationId });

export const Answer = z.object({
  id: z.uuidv7(),
  ownerId: z.string(),
  organizationId: z.string(),
  title: z.string(),
  version: z.int().positive(),
  createdAt: timestamp,
  updatedAt: timestamp,
  expiresAt: timestamp.nullable(),
  totalViews: z.int().nonnegative(),
  lastViewedAt: timestamp.nullable(),
  primaryShareUrl: z.url().nullable(),
  tokens: z.array(
    z.object({
      tokenId: z.string(),
      name: z.string(),
      versionMode,
      createdAt: timestamp,
      revoked: z.boolean(),
      revokedAt: timestamp.nullable(),
      lastAccessedAt: timestamp.nullable(),
      accessCount: z.int().nonnegative(),
      shareUrl: z.url().nullable(),
    }),
  ),
});

export const getSharedPresentationInfo = endpoint({
  name: 'getSharedPresentationInfo',
  method: 'GET',
  path: ['presentationId'],
  caller: { scope: 'presentations:read', deck: 'owner' },
  input: Input,
  answer: Answer,
  errors: ['not-found'],
  runtime: { secrets: [serviceSecret] },

  async handle({ input, authorize }) {
    const [found] = await read(presentationRef(input.presentationId));
    const deck = authorize(found);
    const id = deck.presentationId;
    const [stored, views] = await Promise.all([listShareTokens(id), readTokenViews(id)]);
    // One that is held for its mail is none yet.
    const tokens = stored.filter(({ isHeld }) => !isHeld);
    const total = views.get('');
    return {
      id,
      ownerId: deck.ownerId,
      organizationId: deck.organizationId,
      title: deck.title,
      version: deck.current.version,
      createdAt: deck.createdAt.toISOString(),
      updatedAt: deck.updatedAt.toISOString(),
      expiresAt: iso(deck.expiresAt),
      totalViews: total?.totalViews ?? 0,
      lastViewedAt: iso(total?.lastViewedAt ?? null),
      primaryShareUrl: shareUrlOf(id, deck.firstToken),
      tokens: tokens.map((token) => {
        const revokedAt = revocationOf(token, deck);
        const seen = views.get(token.tokenId);
        return {
          tokenId: token.tokenId,
          name: token.name,
          versionMode: versionModeView(token.pinned),
          createdAt: token.createdAt.toISOString(),
          revoked: revokedAt !== null,
          revokedAt: iso(revokedAt),
          lastAccessedAt: iso(seen?.lastViewedAt ?? null),
          accessCount: seen?.totalViews ?? 0,
          shareUrl: shareUrlOf(id, token),
        };
      }),
    };
  },
});
