/** Who a deck is open to. `member` is the owner or an active dev collaborator. */
export type DeckRole = 'owner' | 'member';

/** The least of a caller that a decision about a deck needs. */
export interface Actor {
  kind: 'organization' | 'admin' | 'session';
  userId: string | null;
}

/** Whether the actor may do what an owner may. An admin key passes on everything that exists and is recorded as such. */
export function owns(actor: Actor, of: { ownerId: string }): boolean {
  return actor.kind === 'admin' || (actor.userId !== null && of.ownerId === actor.userId);
}

/** Whether the actor may act on a deck in that role; an admin key in each. */
export function mayAct(actor: Actor, role: DeckRole, deck: { ownerId: string; memberIds: readonly string[] }): boolean {
  if (role === 'owner' || actor.kind === 'admin') return owns(actor, deck);
  return actor.userId !== null && deck.memberIds.includes(actor.userId);
}

export type LinkState = 'open' | 'held' | 'not-found' | 'revoked' | 'expired';

/** When a token was revoked, alone or with every other of its deck; null when it was not. It never changes back. */
export function revocationOf(
  token: { createdAt: Date; revokedAt: Date | null },
  deck: { tokensRevokedAt: Date | null },
): Date | null {
  const withAll = deck.tokensRevokedAt && token.createdAt <= deck.tokensRevokedAt ? deck.tokensRevokedAt : null;
  return token.revokedAt ?? withAll;
}

/** Whether a token opens its deck, as long as the deck itself is open. A held one does not yet (see records/held-tokens). */
export function isLiveToken(
  token: { createdAt: Date; revokedAt: Date | null; isHeld: boolean },
  deck: { tokensRevokedAt: Date | null },
): boolean {
  return !token.isHeld && revocationOf(token, deck) === null;
}

interface Closable {
  expiresAt: Date | null;
  takedown?: object | null | undefined;
}

/** Whether a share link opens now. An unknown deck and a wrong token are deliberately the same. */
export function linkStateOf(
  deck: (Closable & { tokensRevokedAt: Date | null }) | undefined,
  token: { isRight: boolean; createdAt: Date; revokedAt: Date | null; isHeld: boolean } | undefined,
  now: Date,
): LinkState {
  if (!deck || !token?.isRight) return 'not-found';
  if (revocationOf(token, deck)) return 'revoked';
  if (isClosed(deck, now)) return 'expired';
  return token.isHeld ? 'held' : 'open';
}

/** Whether nobody can open the deck through a link any more, or until its owner or an operator opens it again. */
export function isClosed(deck: Closable, now: Date): boolean {
  // When it was taken down is told by the clock of an operator: what is down is down.
  return Boolean(deck.takedown) || (deck.expiresAt !== null && deck.expiresAt <= now);
}
