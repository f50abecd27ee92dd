/** Who a deck is open to. `member` is the owner or an active dev collaborator. */
export type DeckRole = 'owner' | 'member';

/** The least of a caller that a decision about a deck needs. */
export interface Actor {
  kind: 'organization' | 'admin';
  userId: string | null;
}

/** An admin key passes on every existing deck and is recorded as such. */
export function mayAct(actor: Actor, role: DeckRole, deck: { ownerId: string; memberIds: readonly string[] }): boolean {
  if (actor.kind === 'admin') return true;
  if (actor.userId === null) return false;
  return role === 'owner' ? deck.ownerId === actor.userId : deck.memberIds.includes(actor.userId);
}

export type LinkVerdict = 'open' | 'not-found' | 'revoked' | 'expired';

/** Whether a share link opens now. An unknown deck and a wrong token are deliberately the same. */
export function judgeLink(
  deck: { expiresAt: Date | null; deletedAt: Date | null } | undefined,
  token: { isRight: boolean; revokedAt: Date | null } | undefined,
  now: Date,
): LinkVerdict {
  if (!deck || deck.deletedAt || !token?.isRight) return 'not-found';
  if (token.revokedAt) return 'revoked';
  if (deck.expiresAt && deck.expiresAt <= now) return 'expired';
  return 'open';
}
