import type { z } from 'zod';
import type { shareTokenRow } from '../contract/fields';
import { linkRulesView, linkView } from '../rows/decks';
import { iso } from '../rows/fields';
import type { Caller } from '../http/caller';
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
  const seen = views.get(token.tokenId);
  return {
    ...linkView(deck, token),
    lastAccessedAt: iso(seen?.lastViewedAt ?? null),
    accessCount: seen?.totalViews ?? 0,
    shareUrl: shareUrlOf(deck.presentationId, token),
    ...(caller.kind !== 'admin' && {
      ...linkRulesView(deck, token, now),
      shortUrl: shortUrlOf(deck.presentationId, token),
    }),
  };
}
