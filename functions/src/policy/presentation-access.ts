import { LAST_MOMENT_MS } from '../values/cursor';

/** The role that a call on a deck needs. `member` is the owner or an active dev collaborator. */
export type DeckRole = 'owner' | 'member';

/** The fields of a caller that decide about access. */
export interface Actor {
  kind: 'organization' | 'admin' | 'session';
  userId: string | null;
}

/** Whether the actor has the rights of the owner of a deck or listing. An admin key has them on each. */
export function owns(actor: Actor, of: { ownerId: string }): boolean {
  return actor.kind === 'admin' || (actor.userId !== null && of.ownerId === actor.userId);
}

/** Whether the actor may act on a deck in this role. An admin key may act in each role. */
export function mayAct(actor: Actor, role: DeckRole, deck: { ownerId: string; memberIds: readonly string[] }): boolean {
  if (role === 'owner' || actor.kind === 'admin') return owns(actor, deck);
  return actor.userId !== null && deck.memberIds.includes(actor.userId);
}

export type LinkState = 'open' | 'held' | 'not-found' | 'revoked' | 'expired';

/**
 * When a token was revoked, alone or with all tokens of its deck; null when it is not revoked. A
 * revocation is final.
 */
export function revocationOf(
  token: { createdAt: Date; revokedAt: Date | null },
  deck: { tokensRevokedAt: Date | null },
): Date | null {
  const revokedWithAll = deck.tokensRevokedAt && token.createdAt <= deck.tokensRevokedAt ? deck.tokensRevokedAt : null;
  return token.revokedAt ?? revokedWithAll;
}

/** Whether a token is not held and not revoked. Such a token opens its deck until it or its deck expires. */
export function isLiveToken(
  token: { createdAt: Date; revokedAt: Date | null; isHeld: boolean },
  deck: { tokensRevokedAt: Date | null },
): boolean {
  return !token.isHeld && revocationOf(token, deck) === null;
}

/**
 * The `expiresAt` of a link that does not expire: the last time that Firestore can store, so it is sorted behind all
 * others.
 */
export const NEVER = new Date(LAST_MOMENT_MS);

/** When the owner of a link gets a mail about its readers. */
export const notifications = ['never', 'first'] as const;

/** The most links of a deck that are not revoked. */
export const MAX_LIVE_LINKS = 5000;

/** What became of a link, whatever the state of its deck is. */
export const tokenStates = ['open', 'revoked', 'expired', 'used-up'] as const;

/** The fields of a token that say what became of it. Every rule of a link that a request obeys is one of them. */
interface TokenRules {
  createdAt: Date;
  revokedAt: Date | null;
  expiresAt: Date;
  maxOpenings: number | null;
  openings: number;
}

/** The state of a token; of several that fit, the first one in this order: revoked, expired, used-up, open. */
export function tokenStateOf(
  token: TokenRules,
  deck: { tokensRevokedAt: Date | null },
  now: Date,
): (typeof tokenStates)[number] {
  if (revocationOf(token, deck)) return 'revoked';
  if (token.expiresAt <= now) return 'expired';
  return token.maxOpenings !== null && token.openings >= token.maxOpenings ? 'used-up' : 'open';
}

/** Why all links of a deck are closed. */
export const closures = ['taken-down', 'expired'] as const;
type Closure = (typeof closures)[number];

interface Closable {
  expiresAt: Date | null;
  takedown?: object | null | undefined;
}

/**
 * The state of a share link. An unknown deck and a wrong token are both not-found, so a caller cannot find out which
 * decks exist.
 */
export function linkStateOf(
  deck: (Closable & { tokensRevokedAt: Date | null }) | undefined,
  token: (TokenRules & { isRight: boolean; isHeld: boolean }) | undefined,
  now: Date,
): LinkState {
  if (!deck || !token?.isRight) return 'not-found';
  const state = tokenStateOf(token, deck, now);
  if (state !== 'open') return state === 'used-up' ? 'expired' : state;
  if (isClosed(deck, now)) return 'expired';
  return token.isHeld ? 'held' : 'open';
}

/**
 * Whether a person may look at a version of a deck now. An expired deck is closed for its audience only; nobody looks
 * at a deck that was taken down.
 */
export function previewStateOf(
  deck: (Closable & { ownerId: string; memberIds: readonly string[] }) | undefined,
  version: object | undefined,
  userId: string,
): 'open' | 'not-found' | 'permission-denied' | 'expired' {
  if (!deck) return 'not-found';
  if (!mayAct({ kind: 'session', userId }, 'member', deck)) return 'permission-denied';
  if (deck.takedown) return 'expired';
  return version ? 'open' : 'not-found';
}

/**
 * Whether all links of a deck are closed, because an operator took it down or because it expired. An operator can lift
 * the takedown, and the owner can change the expiry.
 */
export function isClosed(deck: Closable, now: Date): boolean {
  return closureOf(deck, now) !== null;
}

/** Why all links of a deck are closed; null when they are not. */
export function closureOf(deck: Closable, now: Date): Closure | null {
  // The time of the takedown is not compared with `now`: it comes from the clock of the operator's machine.
  if (deck.takedown) return 'taken-down';
  return deck.expiresAt !== null && deck.expiresAt <= now ? 'expired' : null;
}
