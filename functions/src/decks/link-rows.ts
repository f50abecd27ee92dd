import type { z } from 'zod';
import type { shareTokenRow } from '../contract/fields';
import { iso, versionModeView } from '../contract/views';
import { revocationOf } from '../policy/presentation-access';
import type { Presentation } from '../records/presentations';
import { shareUrlOf, type ShareToken } from '../records/share-tokens';

/** A link in an answer to the owner of its deck. */
export function tokenView(
  deck: Presentation,
  token: ShareToken,
  seen: { totalViews: number; lastViewedAt: Date | null } | undefined,
): z.output<typeof shareTokenRow> {
  const revokedAt = revocationOf(token, deck);
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
    ...(token.isForRecipient && { isPersonal: true as const }),
  };
}
