import type { z } from 'zod';
import type { shareTokenRow } from '../contract/fields';
import { iso, versionModeView } from '../contract/views';
import type { Caller } from '../http/caller';
import { NEVER, revocationOf, tokenStateOf } from '../policy/presentation-access';
import type { Presentation } from '../records/presentations';
import { shareUrlOf, shortUrlOf, type ShareToken } from '../records/share-tokens';

interface Reading {
  views: ReadonlyMap<string, { totalViews: number; lastViewedAt: Date | null }>;
  caller: Pick<Caller, 'kind'>;
  now: Date;
}

/** A link in an answer to the owner of its deck. An admin key gets no rules of links. */
export function tokenView(
  deck: Presentation,
  token: ShareToken,
  { views, caller, now }: Reading,
): z.output<typeof shareTokenRow> {
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
    shareUrl: shareUrlOf(deck.presentationId, token),
    ...(caller.kind !== 'admin' && {
      state: tokenStateOf(token, deck, now),
      expiresAt: iso(token.expiresAt < NEVER ? token.expiresAt : null),
      shortUrl: shortUrlOf(deck.presentationId, token),
      hasPasscode: token.passcode !== null,
      maxOpenings: token.maxOpenings,
      openings: token.openings,
      allowedEmailCount: token.readers?.length ?? null,
      notify: token.notify,
    }),
    ...(token.isForRecipient && { isPersonal: true as const }),
  };
}
