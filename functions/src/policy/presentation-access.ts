/** Who a deck is open to. `member` is the owner or an active dev collaborator. */
export type DeckRole = 'owner' | 'member';

/** The least of a caller that a decision about a deck needs. */
export interface Actor {
  kind: 'organization' | 'admin' | 'session';
  userId: string | null;
}

/** An admin key passes on every existing deck and is recorded as such. */
export function mayAct(actor: Actor, role: DeckRole, deck: { ownerId: string; memberIds: readonly string[] }): boolean {
  if (actor.kind === 'admin') return true;
  if (actor.userId === null) return false;
  return role === 'owner' ? deck.ownerId === actor.userId : deck.memberIds.includes(actor.userId);
}

export type LinkVerdict = 'open' | 'not-found' | 'revoked' | 'expired';

/**
 * When a token was revoked, alone or with every other of its deck; null while it opens the deck. A `revokedAt` in the future is a term: the
 * token opens until then (see records/held-tokens).
 */
export function revocationOf(
  token: { createdAt: Date; revokedAt: Date | null },
  deck: { tokensRevokedAt: Date | null },
  now: Date,
): Date | null {
  const alone = token.revokedAt && token.revokedAt <= now ? token.revokedAt : null;
  const withAll = deck.tokensRevokedAt && token.createdAt <= deck.tokensRevokedAt ? deck.tokensRevokedAt : null;
  return alone ?? withAll;
}

/** Whether a share link opens now. An unknown deck and a wrong token are deliberately the same. */
export function judgeLink(
  deck: { expiresAt: Date | null; tokensRevokedAt: Date | null } | undefined,
  token: { isRight: boolean; createdAt: Date; revokedAt: Date | null } | undefined,
  now: Date,
): LinkVerdict {
  if (!deck || !token?.isRight) return 'not-found';
  if (revocationOf(token, deck, now)) return 'revoked';
  if (deck.expiresAt && deck.expiresAt <= now) return 'expired';
  return 'open';
}

/** When a deck's links stop opening: when it was taken down, or else when it expires. Null while neither is set. */
export function closingTime(deck: { expiresAt: Date | null; takedown?: { at: Date } | null | undefined }): Date | null {
  return deck.takedown?.at ?? deck.expiresAt;
}
